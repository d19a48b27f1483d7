"""Texts of the arena, in Markdown files of this package."""

from pathlib import Path

from arena.errors import ConfigError
from evaluation.prompts import PromptFiles, PromptSet, suite_prompts, variables_of, with_files
from llm_control.choices import ArenaChoices
from llm_control.paper import CONVERT, PAPER

VARIABLES = variables_of(__package__)
"""Variables by text name, explained in `variables.yaml`."""

OPTIONAL = variables_of(__package__, "optional.yaml")
"""Variables of texts that are empty unless a folder has them."""


def arena_prompts(system_file: Path | None = None) -> PromptSet:
    """Load all texts of a run. A file may replace the system prompt. Raises ConfigError."""
    return with_files(suite_prompts(__package__, VARIABLES, OPTIONAL), PromptFiles(system_file))


def refuse(files: PromptFiles, choices: ArenaChoices) -> None:
    """Raise ConfigError if required texts or demonstrations of the paper are missing."""
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
