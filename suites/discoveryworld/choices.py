"""The choices of the suite, beside those of every suite."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from evaluation.choices.run_choices import PICTURE_FILES, Bounds, Rule, RunChoices
from suites.discoveryworld.catalogue import PAPER_SEEDS, Kind, kinds, seed_list


class DiscoveryWorldChoices(RunChoices):
    """How DiscoveryWorld is put to a model."""

    tool_names: ClassVar[tuple[str, ...]] = ("act",)

    rules: ClassVar[tuple[Rule, ...]] = (*RunChoices.rules, *PICTURE_FILES)

    words: ClassVar[frozenset[str]] = RunChoices.words | {"seeds"}

    seeds: Annotated[str, AfterValidator(lambda text: seed_list(text) and text)] = Field(
        default=PAPER_SEEDS, description="seeds of each world, such as 0-4 (the paper's) or 5,9,100-120"
    )
    steps: Annotated[int, Field(ge=1, le=100_000)] | None = Field(
        default=None,
        description="steps of an episode; none: the paper's, 100 if easy or a unit test, else 1000",
    )
    observation: Literal["text", "image", "both"] = Field(
        default="text", description="what is around in words, as a picture of the package, or both"
    )
    format: Literal["compact", "full"] = Field(
        default="compact", description="full: the package's JSON; compact: without floors, grass and walls"
    )
    teleport: bool = Field(default=True, description="the paper's aids: to be at a place or object at once")
    judge: str | None = Field(
        default=None, description="model that judges what was found out, such as openai/gpt-4o; none: nobody"
    )

    @property
    def judges(self) -> tuple[str, ...]:
        """The one judge, if there is any."""
        return (self.judge,) if self.judge else ()

    def steps_of(self, kind: Kind) -> int:
        """How many steps an episode has; in the paper 100 if it is easy or a unit test, otherwise 1,000."""
        return self.steps or (100 if kind.level in ("easy", "unit") else 1000)

    def bounds(self, content: Any = None) -> Bounds:
        """A reply for each step."""
        several = kinds().values() if content is None else [kinds()[content["kind"]]]
        images = int(self.shows_images)
        return Bounds(
            replies=max(self.steps_of(kind) for kind in several),
            first_images=images,
            images=images,
            image_px=512,
            image_width=768,
            turn_tokens=2300 if self.format == "full" else 600,
            told_tokens=30,
        )
