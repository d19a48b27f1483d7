"""What `eval --show` and reports say of a run in the arena besides its choices."""

from collections.abc import Sequence

from evaluation.prompts import PromptSet
from llm_control.choices import ArenaChoices
from llm_control.paper.differences import differences_sentence, in_short


def remarks(choices: ArenaChoices, prompts: PromptSet, protocol: str | None) -> Sequence[str]:
    """What the run is in short if no preset says so, and how it differs from the paper."""
    short = [] if protocol else [f"Without a preset: {in_short(choices, prompts)}."]
    return () if choices.acts else (*short, differences_sentence(choices, prompts))
