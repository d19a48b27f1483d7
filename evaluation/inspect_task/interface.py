"""Where Inspect AI is met: its private names, the names by which it knows our objects, and its errors.

No other module imports a private name of Inspect AI.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from inspect_ai import Task
from inspect_ai._eval.task.log import resolve_eval_scorers
from inspect_ai._util.error import PrerequisiteError as PrerequisiteError
from inspect_ai.event import Event
from inspect_ai.log import transcript
from inspect_ai.model import GenerateConfig
from inspect_ai.model._generate_config import active_generate_config
from inspect_ai.model._model import active_model
from inspect_ai.model._model import model_usage_cost as model_usage_cost
from inspect_ai.scorer import Scorer
from inspect_ai.scorer._scorer import as_scorer_spec
from rich.markup import escape

from arena.errors import ArenaError, ConfigError
from evaluation.choices.effective import Effective, effective
from evaluation.choices.run_choices import RunChoices, shown
from evaluation.suite import Suite


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


def logged_scorers(scorers: Sequence[Scorer]) -> list[Any]:
    """What a log's header has of its scorers and their metrics."""
    return resolve_eval_scorers([as_scorer_spec(each) for each in scorers]) or []


def running_model() -> str | None:
    """The name of the model that Inspect's command makes a task for; None in other programs."""
    model = active_model()
    return str(model) if model is not None else None


P = ParamSpec("P")
R = TypeVar("R")

DISTRIBUTION = "arena_llm"
"""What is installed, and the first part of names such as arena_llm/testbed."""


def of_distribution(function: Callable[P, R]) -> Callable[P, R]:
    """Make Inspect register a function as `arena_llm/NAME`; this goes below Inspect's own decorator.

    Inspect puts the package that defines a function before its name. Here that would be llm_control, or
    nothing in an editable installation, because no distribution has that name.
    """
    function.__module__ = import_module(DISTRIBUTION).__name__
    return function


_OPTION = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)(?: (?=[\w+,./-]*[\dA-Z])([\w+,./-]*[\w/]))?")
"""An option as our commands write it, and its value: a word with a digit or a capital letter."""

_RENAMED = {"testbed": ("folder", "DIR"), "icl": ("demonstration", "yes")}
"""Options that the task calls otherwise, with a value to show."""


class InspectUserError(ConfigError, PrerequisiteError):
    """What was asked of the task or the agent is wrong; the text is the message."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        # Inspect prints this with rich, which would take brackets for markup.
        self.message = escape(message)


def refusing(function: Callable[P, R]) -> Callable[P, R]:
    """Turn a function's errors of a user into `InspectUserError`, which names options as `-T NAME=VALUE`."""

    @wraps(function)
    def called(*arguments: P.args, **named: P.kwargs) -> R:
        try:
            return function(*arguments, **named)
        except InspectUserError:
            raise
        except ArenaError as error:
            raise InspectUserError(_OPTION.sub(_argument, str(error))) from None

    return called


def _argument(option: re.Match[str]) -> str:
    """An option of ours as an argument of the task."""
    name, value = _RENAMED.get(option[1], (option[1].replace("-", "_"), "VALUE"))
    return f"-T {name}={option[2] or value}"


PARAMETERS = {
    "temperature": "temperature",
    "max_tokens": "max_tokens",
    "stop": "stop_seqs",
    "reasoning_effort": "reasoning_effort",
    "reasoning_tokens": "reasoning_tokens",
    "reasoning_summary": "reasoning_summary",
    "retries": "max_retries",
    "reply_timeout": "attempt_timeout",
}
"""The parameters of a request by the choice: in Python as Inspect's `GenerateConfig` calls them."""

LIMITS = {
    "epochs": "trials",
    "token_limit": "max_tokens_per_episode",
    "cost_limit": "max_cost_per_episode",
    "time_limit": "time_limit_per_episode",
}
"""The choice that sets an attribute of a task, which an option of the same name would override."""


def chosen_with_options(suite: Suite, protocol: str | None, options: Mapping[str, Any]) -> Effective:
    """The effective choices, with those that options of Inspect's command set.

    Raises ConfigError as `effective` does, and InspectUserError for an option that contradicts a choice.
    """
    found = effective(suite, protocol, options)
    obeyed = _obeyed(found.choices, given_config())
    return effective(suite, protocol, {**options, **obeyed}) if obeyed else found


def obeying(choices: RunChoices) -> RunChoices:
    """The choices of a task that was made before the options were known, as the present run has them.

    Raises InspectUserError for an option that contradicts a choice.
    """
    obeyed = _obeyed(choices, given_config())
    return choices.model_copy(update=obeyed) if obeyed else choices


def _obeyed(choices: RunChoices, given: GenerateConfig) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for choice, parameter in PARAMETERS.items():
        value = getattr(given, parameter)
        value = tuple(value) if isinstance(value, list) else value
        if value is None or value == getattr(choices, choice):
            continue
        if choice in choices.model_fields_set:
            raise _contradiction(parameter, value, choices, choice)
        # Inspect sends the word, which among our choices says that nothing is sent.
        if (choice, value) != ("reasoning_effort", "none"):
            found[choice] = value
    return found


class ChosenTask(Task):
    """A task whose trials and limits are choices of a run.

    Inspect sets an attribute of the task where an option of its command overrides it. That raises
    InspectUserError, before any request, if the choice has another value.
    """

    def __init__(self, choices: RunChoices, **arguments: Any) -> None:
        self._choices: RunChoices | None = None
        super().__init__(**arguments)
        self._choices = choices

    def __setattr__(self, name: str, value: Any) -> None:
        choices, choice = self.__dict__.get("_choices"), LIMITS.get(name, "")
        if choices is not None and choice in choices.model_fields_set and value != getattr(choices, choice):
            raise _contradiction(name, value, choices, choice)
        if choices is not None and name == "epochs_reducer" and value:
            raise InspectUserError(
                "--epochs-reducer: pass rates and their standard errors are those of all trials, and the "
                "trials of a task are one cluster; leave it out"
            )
        super().__setattr__(name, value)


def _contradiction(option: str, value: Any, choices: RunChoices, choice: str) -> InspectUserError:
    return InspectUserError(
        f"--{option.replace('_', '-')} {shown(value)} contradicts {choice} = "
        f"{shown(getattr(choices, choice))}, which -T {choice} or the protocol sets; leave one of them out"
    )
