"""What Inspect AI has no public name for: no other module imports its private ones."""

from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import GenerateConfig
from inspect_ai.model._generate_config import active_generate_config
from inspect_ai.model._model import active_model

__all__ = ["PrerequisiteError", "given_config", "running_model"]


def given_config() -> GenerateConfig:
    """The parameters of requests that options of `inspect eval` set, or whoever made the model."""
    model, config = active_model(), active_generate_config()
    return model.config.merge(config) if model is not None else config


def running_model() -> str | None:
    """The name of the model that Inspect's command makes a task for; None in other programs."""
    model = active_model()
    return str(model) if model is not None else None
