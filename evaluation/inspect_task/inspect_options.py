"""Options of Inspect AI's own command that mean the same as choices of a run.

An option is obeyed if the choice is at its default, and refused if the choice has another value.
"""

from collections.abc import Mapping
from typing import Any

from inspect_ai import Task
from inspect_ai.model import GenerateConfig

from evaluation.choices.effective import Effective, effective
from evaluation.choices.run_choices import RunChoices, shown
from evaluation.inspect_task.interface import InspectUserError, given_config
from evaluation.suite import Suite

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
