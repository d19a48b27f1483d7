"""Choices of the suite, in addition to the common ones."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from evaluation.choices.run_choices import Bounds, Names, Rule, RunChoices, listed
from suites.boxing.environments import WORLDS
from suites.boxing.questions import Mode
from suites.boxing.world import Wording

TRIES = 3
"""Maximum replies per request, as in the paper; then it is unanswered."""


def _number(text: str) -> str:
    if not (text.isascii() and text.isdecimal() and len(text) <= 3):
        raise PydanticCustomError("numbers", "whole numbers from 0 to 999, such as 0,5,10")
    return text


_Numbers = Annotated[tuple[Annotated[str, AfterValidator(_number)], ...], BeforeValidator(listed)]

_Agent = Literal["direct", "react", "plan-execute", "hypothesizer", "apprentice"]


class BoxingChoices(RunChoices):
    """Prompting options of BoxingGym."""

    words: ClassVar[frozenset[str]] = RunChoices.words | {"evaluations", "programs"}
    later: ClassVar[frozenset[str]] = RunChoices.later | {
        "programs",
        "drafts",
        "program_seconds",
        "novice_model",
        "narrator",
    }
    rules: ClassVar[tuple[Rule, ...]] = (
        *RunChoices.rules,
        Rule(
            ("agent", "conversation"),
            lambda c: c["agent"] == "apprentice" and c["conversation"] == "run",
            "its programs belong to one episode",
        ),
        Rule(
            ("novice_model", "novice"),
            lambda c: c["novice_model"] is not None and not c["novice"],
            "there is no novice",
        ),
    )

    agent: _Agent = Field(  # type: ignore[assignment]  # one more than every suite has
        default="direct", description=RunChoices.model_fields["agent"].description
    )

    environments: Names | None = Field(
        default=None, description=f"environments to play, of {', '.join(WORLDS)}; none: all"
    )
    goals: Names | None = None
    seeds: int = Field(default=5, ge=1, le=1000)
    wording: Wording = "equations"
    mode: Mode = "repaired"
    experiments: int = Field(default=10, ge=0, le=100)
    evaluations: _Numbers = ("0", "1", "3", "5", "7", "10")
    questions: int = Field(default=10, ge=1, le=100)
    ask: Literal["singly", "together"] = "singly"
    novice: bool = False
    novice_model: str | None = None
    narrator: str | None = None
    explanation: int = Field(default=200, ge=1, le=10_000)
    programs: _Numbers = ("3", "6", "10")
    drafts: int = Field(default=3, ge=1, le=20)
    program_seconds: int = Field(default=120, ge=1, le=3600)

    @model_validator(mode="before")
    @classmethod
    def _told(cls, values: Any) -> Any:
        """Set the paper's wording, unless another one is chosen."""
        if isinstance(values, dict) and values.get("mode") == "as-published":
            return {"wording": "story", **values}
        return values

    @classmethod
    def renamed(cls, logged: Mapping[str, Any]) -> dict[str, Any]:
        """Rename a log's choices; up to 0.3.0.dev0 `prior` set the equations."""
        found = super().renamed(logged)
        if "prior" in found:
            found = {"wording": "equations" if found.pop("prior") else "plain", **found}
        return found

    @property
    def judges(self) -> tuple[str, ...]:
        """Models that speak in an episode in addition to the player."""
        return tuple(name for name in (self.novice_model, self.narrator) if name is not None)

    @property
    def evaluated(self) -> tuple[int, ...]:
        """Numbers of experiments before questions, ascending."""
        return self._and_last(self.evaluations)

    @property
    def fitted(self) -> tuple[int, ...]:
        """Numbers of experiments before an apprentice's programs, ascending."""
        return self._and_last(self.programs)

    def _and_last(self, chosen: tuple[str, ...]) -> tuple[int, ...]:
        numbers = {*map(int, chosen), self.experiments}
        return tuple(sorted(each for each in numbers if each <= self.experiments))

    def bounds(self, content: Any = None) -> Bounds:
        """Bound an episode's requests; estimates assume a single reply to each. Every request may take
        `TRIES` replies. A goal other than prediction has one question."""
        several = self.ask == "singly" and (content is None or content["goal"] == "prediction")
        each = self.questions if several else 1
        experiments = self.experiments * (1 if self.narrator is None else 2)
        replies = experiments + each * (len(self.evaluated) + self.novice) + self.novice
        return Bounds(replies=replies, turn_tokens=120, told_tokens=60)
