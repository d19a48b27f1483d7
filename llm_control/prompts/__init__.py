"""The arena's texts, in Markdown files beside this module."""

from pathlib import Path

from arena.errors import ConfigError
from evaluation.prompts import PromptFiles, PromptSet, suite_prompts, variables_of, with_files
from llm_control.choices import ArenaChoices
from llm_control.paper import CONVERT, PAPER

VARIABLES = variables_of(__package__)
"""By name of a text: the variables that it is filled with, as `variables.yaml` explains them."""

OPTIONAL = variables_of(__package__, "optional.yaml")
"""The same for texts that are empty unless a folder has them."""


def arena_prompts(system_file: Path | None = None) -> PromptSet:
    """All texts of a run in the arena; a file may replace the system prompt. Raises ConfigError."""
    return with_files(suite_prompts(__package__, VARIABLES, OPTIONAL), PromptFiles(system_file))


def refuse(files: PromptFiles, choices: ArenaChoices) -> None:
    """Raise ConfigError if the choices need the paper's texts or demonstration and they are not given."""
    if choices.texts != "paper" or choices.acts:
        return
    if files.folder is None:
        raise ConfigError(
            f"this protocol uses the texts of {PAPER} (texts = paper), which are not shipped: {CONVERT}; "
            "then give --prompts DIR/experiments, or DIR/frame-by-frame for moves. --texts any uses "
            "arena-llm's own"
        )
    if choices.demonstration is True:
        raise ConfigError(
            f"this protocol uses the demonstration of {PAPER} (texts = paper), which is not shipped: "
            f"{CONVERT}; then give --demonstration DIR/experiments/demonstration.yaml. --texts any uses "
            "arena-llm's own"
        )
