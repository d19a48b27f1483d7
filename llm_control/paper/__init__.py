"""Doing as the paper did: its texts as a folder of prompts, and a list of what still differs."""

from typing import TYPE_CHECKING

from arena.errors import ConfigError
from evaluation.prompts import PromptFiles

if TYPE_CHECKING:
    from llm_control.choices import ArenaChoices

PAPER = "arXiv 2410.23242"

CONVERT = (
    "`arena-llm prompts --from CHECKOUT --out DIR` converts a checkout of "
    "github.com/Kinds-of-Intelligence-CFI/LLM-AAI or of github.com/tpYu0/llm-aai-supporting-materials"
)
"""How a user gets the texts, which are not shipped."""


def refuse_other_texts(files: PromptFiles, choices: "ArenaChoices") -> None:
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
