"""What Inspect AI has no public name for: no other module imports its private ones."""

from typing import Any

from inspect_ai._util.error import PrerequisiteError
from inspect_ai.event import Event
from inspect_ai.log import transcript
from inspect_ai.model import GenerateConfig
from inspect_ai.model._generate_config import active_generate_config
from inspect_ai.model._model import active_model, model_usage_cost

__all__ = ["PrerequisiteError", "given_config", "log_every_call", "model_usage_cost", "running_model"]


def given_config() -> GenerateConfig:
    """The parameters of requests that options of `inspect eval` set, or whoever made the model."""
    model, config = active_model(), active_generate_config()
    return model.config.merge(config) if model is not None else config


def log_every_call() -> None:
    """Keep the raw call of every request of the current sample, unless an option says to keep none.

    Inspect keeps the first five of a sample by default, also in runs by its own command.
    """
    current = transcript()
    if current._log_model_api is None:
        current._log_model_api = True
        current._subscribe(_drop_pictures)


def _drop_pictures(event: Event) -> None:
    """Take the pictures out of a raw call to Google, which would double the log; its messages have them.

    Inspect does so for Anthropic, and means to for Google, by a key that its requests no longer have. Those
    to OpenAI have a picture as the messages do, so that the log keeps it once.
    """
    if event.event == "model" and event.call is not None and "contents" in event.call.request:
        event.call = event.call.model_copy(update={"request": _without_pictures(event.call.request)})


def _without_pictures(part: Any) -> Any:
    if isinstance(part, list):
        return [_without_pictures(each) for each in part]
    if not isinstance(part, dict):
        return part
    known = {name: _without_pictures(value) for name, value in part.items()}
    if isinstance(picture := known.get("inlineData"), dict):
        known["inlineData"] = {**picture, "data": "<base64-data-removed>"}
    return known


def running_model() -> str | None:
    """The name of the model that Inspect's command makes a task for; None in other programs."""
    model = active_model()
    return str(model) if model is not None else None
