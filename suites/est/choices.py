"""The choices of the suite, beside those of every suite."""

from typing import Any, ClassVar, Literal

from pydantic import Field

from evaluation.choices.run_choices import PICTURE_FILES, Bounds, Rule, RunChoices
from suites.est.world import HORIZON

MOST_EPISODES = 10_000
"""Test episodes of a preset, as many as in the paper."""

LAST_EPISODE = 99_999
"""Number of the last episode: those after the test episodes are to train on."""


class EstChoices(RunChoices):
    """How the Blicket machine is put to a model."""

    tool_names: ClassVar[tuple[str, ...]] = ("experiment",)

    rules: ClassVar[tuple[Rule, ...]] = (*RunChoices.rules, *PICTURE_FILES)

    machine: Literal["est", "ivre", "conjunctive", "noisy"] = Field(
        default="est",
        description="est: 3-8 Blickets, any lights it; ivre: 1-4; conjunctive: needs two; noisy: 1/10 errs",
    )
    episodes: int = Field(
        default=100, ge=1, le=MOST_EPISODES, description="tasks to play, the first ones of 10,000"
    )
    observation: Literal["image", "text", "both"] = Field(
        default="text", description="what is on the machine: in words, as a picture, or both"
    )
    image_size: int = Field(default=512, ge=64, le=1024, description="pixels a side of a picture")
    strict: bool = Field(
        default=False, description="only the exact syntax; by default obvious slips are corrected"
    )

    def bounds(self, content: Any = None) -> Bounds:
        """A reply for each step; the texts after it have about 300 characters."""
        images = int(self.shows_images)
        return Bounds(
            replies=HORIZON,
            first_images=images,
            images=images,
            image_px=self.image_size,
            turn_tokens=80,
            told_tokens=None if self.observation == "image" else 40,
        )
