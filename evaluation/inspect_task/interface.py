"""Interface to Inspect AI: private names, registered names, and errors. No other module imports a private
name of Inspect AI."""

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
    """Read request parameters set by `inspect eval` or the model's creator."""
    model, config = active_model(), active_generate_config()
    return model.config.merge(config) if model is not None else config


def log_every_call() -> None:
    """Keep the raw call of every request of the sample, unless disabled. Inspect keeps the first five of a
    sample by default, also in runs by its own command."""
    current = transcript()
    if current._log_model_api is None:
        current._log_model_api = True
        current._subscribe(_drop_pictures)


def _drop_pictures(event: Event) -> None:
    """Remove pictures from a raw call to Google, to halve the log.

    The messages have them. Inspect does so for Anthropic, and means to for Google, by a key that its requests
    no longer have. Those to OpenAI share the picture with the messages, so the log keeps it once.
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
    """List the scorers and metrics for a log's header."""
    return resolve_eval_scorers([as_scorer_spec(each) for each in scorers]) or []


def running_model() -> str | None:
    """Name the model of Inspect's running command; None in other programs."""
    model = active_model()
    return str(model) if model is not None else None


P = ParamSpec("P")
R = TypeVar("R")

DISTRIBUTION = "arena_llm"
"""Name of the distribution, the first part of names such as arena_llm/testbed."""


def of_distribution(function: Callable[P, R]) -> Callable[P, R]:
    """Make Inspect register a function as `arena_llm/NAME`; apply below Inspect's own decorator.

    Inspect puts the package that defines a function before its name. Here that would be llm_control, or
    nothing in an editable installation, because no distribution has that name.
    """
    function.__module__ = import_module(DISTRIBUTION).__name__
    return function


_OPTION = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)(?: (?=[\w+,./-]*[\dA-Z])([\w+,./-]*[\w/]))?")
"""Option of our commands with its value. A word with a digit or a capital letter is a value."""

_RENAMED = {"testbed": ("folder", "DIR"), "icl": ("demonstration", "yes")}
"""Options with other names in the task, with an example value."""


class InspectUserError(ConfigError, PrerequisiteError):
    """The task or agent was misused; the text is the message."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        # Inspect prints this with rich, which would take brackets for markup.
        self.message = escape(message)


def refusing(function: Callable[P, R]) -> Callable[P, R]:
    """Convert a function's user errors to `InspectUserError`, with options as `-T NAME=VALUE`."""

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
    """Write an option of ours as an argument of the task."""
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
"""Request parameters by choice, with their names in Inspect's `GenerateConfig`."""

LIMITS = {
    "epochs": "trials",
    "token_limit": "max_tokens_per_episode",
    "cost_limit": "max_cost_per_episode",
    "time_limit": "time_limit_per_episode",
}
"""Choices that set a task attribute, which Inspect's options would override."""


def chosen_with_options(suite: Suite, protocol: str | None, options: Mapping[str, Any]) -> Effective:
    """Combine the effective choices with options of Inspect's command. Raises ConfigError as `effective`
    does, and InspectUserError for an option that contradicts a choice."""
    found = effective(suite, protocol, options)
    obeyed = _obeyed(found.choices, given_config())
    return effective(suite, protocol, {**options, **obeyed}) if obeyed else found


def obeying(choices: RunChoices) -> RunChoices:
    """Adapt a task's earlier choices to the present run's options. Raises InspectUserError for an option that
    contradicts a choice."""
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
        # Inspect sends the word, which among our choices means that nothing is sent.
        if (choice, value) != ("reasoning_effort", "none"):
            found[choice] = value
    return found


class ChosenTask(Task):
    """Task whose trials and limits are choices of a run.

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
