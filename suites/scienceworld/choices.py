"""The choices of the suite, beside those of every suite."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from evaluation.choices.run_choices import Bounds, RunChoices
from suites.scienceworld.catalogue import Split, kinds

PAPER_STEPS = 100
"""Steps of an episode in all experiments of the paper."""

MOVES, MOST_COMMANDS = 100, 200
"""An episode with the budget `moves` ends after more moves, as in the package, or after so many commands."""

GOLD_FACTOR = 2
"""Steps of an episode with the budget `gold`, for each command of the gold path."""


class ScienceWorldChoices(RunChoices):
    """How ScienceWorld is put to a model."""

    tool_names: ClassVar[tuple[str, ...]] = ("act",)

    split: Split = Field(default="test", description="which variations of a task: train, dev or test")
    variations: Annotated[int, Field(ge=1)] | None = Field(
        default=3, description="variations of each task, at equal distances in the split; none: all"
    )
    simplifications: Literal["easy", "plain"] = Field(
        default="easy",
        description="easy: teleport, open doors, pots water themselves, no wiring unless needed; plain: none",
    )
    budget: Literal["paper", "moves", "gold"] = Field(
        default="paper",
        description=f"paper: {PAPER_STEPS} steps; gold: {GOLD_FACTOR} x the gold path; "
        f"moves: {MOVES} by the package's count",
    )
    hints: Literal["none", "objects", "actions"] = Field(
        default="none", description="listed in every turn: nothing, what can be named, or each valid command"
    )

    def bounds(self, content: Any = None) -> Bounds:
        """A reply for each step; hints are lists of about 50 names or 400 commands.

        Gold paths differ from load to load, so that their lengths are estimates.
        """
        tasks = kinds() if content is None else [content["task"]]
        gold = GOLD_FACTOR * max(kinds()[task].gold for task in tasks)
        longest = {"paper": PAPER_STEPS, "moves": MOST_COMMANDS, "gold": gold}[self.budget]
        hints = {"none": 0, "objects": 200, "actions": 3000}[self.hints]
        return Bounds(replies=longest, turn_tokens=300 + hints, told_tokens=60)
