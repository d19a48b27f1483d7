"""The files that choices of a run name."""

from pathlib import Path

from llm_control.choices import ArenaChoices
from llm_control.demonstration.file import file_sha256


def files(choices: ArenaChoices) -> dict[str, str]:
    """The hash of a demonstration's file and pictures."""
    shown = choices.demonstration
    return {"demonstration": file_sha256(Path(shown))} if isinstance(shown, str) else {}
