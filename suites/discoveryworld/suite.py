"""Suite of discovery cycles in the authors' worlds."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from arena.errors import ConfigError
from arena.packages import installed, require
from evaluation.choices.run_choices import PICTURE_FILES, Bounds, Rule, RunChoices
from evaluation.prompts import PromptSet
from evaluation.scale.references import FILE, Scale, by_kind
from evaluation.suite import Message, Suite, TaskSpec, rules
from evaluation.suites import unknown_task
from suites.discoveryworld import catalogue
from suites.discoveryworld.actions import available


class DiscoveryWorldChoices(RunChoices):
    """Prompting options of DiscoveryWorld."""

    tool_names: ClassVar[tuple[str, ...]] = ("act",)

    rules: ClassVar[tuple[Rule, ...]] = (*RunChoices.rules, *PICTURE_FILES)

    words: ClassVar[frozenset[str]] = RunChoices.words | {"seeds"}

    seeds: Annotated[str, AfterValidator(lambda text: catalogue.seed_list(text) and text)] = (
        catalogue.PAPER_SEEDS
    )
    steps: Annotated[int, Field(ge=1, le=100_000)] | None = None
    observation: Literal["text", "image", "both"] = "text"
    format: Literal["compact", "full"] = "compact"
    teleport: bool = True
    judge: str | None = None

    @property
    def judges(self) -> tuple[str, ...]:
        """The one judge, if any."""
        return (self.judge,) if self.judge else ()

    def steps_of(self, kind: catalogue.Kind) -> int:
        """Steps of an episode: the paper's 100 (easy or unit test) or 1,000."""
        return self.steps or (100 if kind.level in ("easy", "unit") else 1000)

    def bounds(self, content: Any = None) -> Bounds:
        """Bound an episode by one reply per step."""
        several = catalogue.kinds().values() if content is None else [catalogue.kinds()[content["kind"]]]
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


class DiscoveryWorldSuite(Suite):
    """Scientific discovery on a small colony."""

    name = task_name = "discoveryworld"
    title = "DiscoveryWorld"
    group_name = "theme"
    headline = MappingProxyType({"completion": "passed", "procedure": "score", "knowledge": "knowledge"})
    choices = DiscoveryWorldChoices

    def tasks(self, choices: DiscoveryWorldChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """List all worlds at the chosen seeds."""
        return [task for name in catalogue.kinds() for task in self.named(name, choices, folder)]

    def named(self, name: str, choices: DiscoveryWorldChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """Find the worlds of a theme, a level, or both, or one. At the chosen seeds, unless the name has its
        seed."""
        if found := catalogue.selected(name):
            return [_task(kind, seed) for kind in found for seed in catalogue.seed_list(choices.seeds)]
        if (world := catalogue.find_world(name)) is not None:
            return [_task(*world)]
        known = [*catalogue.THEMES, *catalogue.LEVELS, "unit", *catalogue.kinds()]
        raise unknown_task(name, known, ", or a world such as proteomics-easy-0")

    def opening(self, choices: DiscoveryWorldChoices, prompts: PromptSet, episodes: int) -> list[Message]:
        """Compose the rules."""
        lines = [f"- `{action.written}`: {action.does}" for action in available(choices.teleport)]
        seen = prompts[f"seen_{choices.observation}"].fill()
        return rules(choices, prompts, actions="\n".join(lines), seen=seen)

    def check(self, model: str, tasks: Sequence[TaskSpec], choices: DiscoveryWorldChoices) -> None:
        """Refuse missing packages, and scripts of other worlds. Raises ConfigError, with what to install or
        to choose."""
        if not model:
            return
        require("discoveryworld")
        provider, _, agent = model.partition("/")
        # There is a script for each theme, which has its name.
        themes = catalogue.THEMES if agent == "ideal" else (agent,)
        if provider != self.name or not set(themes) <= set(catalogue.THEMES):
            return
        others = [task.id for task in tasks if task.id.rpartition("-")[0].rpartition("-")[0] not in themes]
        if others or not choices.teleport:
            what = f"not {others[0]}" if others else "with teleport = yes"
            names = ",".join(themes)
            raise ConfigError(f"{model}: it plays only worlds of {names}, {what}; use --tasks {names}")

    def versions(self) -> dict[str, str]:
        """Versions, including the package's."""
        return super().versions() | installed("discoveryworld")


def _task(kind: catalogue.Kind, seed: int) -> TaskSpec:
    return TaskSpec(
        f"{kind.name}-{seed}",
        kind.theme,
        hashlib.sha256(f"discoveryworld {kind.scenario} {kind.difficulty} {seed}".encode()).hexdigest(),
        target="task completed",
        metadata={"level": kind.level, "skill": kind.skill},
        content={"kind": kind.name, "theme": kind.theme, "level": kind.level, "seed": seed},
    )


SUITE = DiscoveryWorldSuite()


def split(name: str, choices: DiscoveryWorldChoices) -> Iterator[str]:
    """Yield ids for testing, at the paper's seeds, or training, at others."""
    paper = catalogue.seed_list(catalogue.PAPER_SEEDS)
    seeds = paper if name == "test" else range(len(paper), catalogue.MOST_SEEDS)
    wanted = [kind for each in choices.tasks or catalogue.kinds() for kind in catalogue.selected(each)]
    return (f"{kind.name}-{seed}" for seed in seeds for kind in wanted)


SCALE = Scale(
    Path(__file__).with_name(FILE),
    scoring=1,
    agents={"random": "random", "ideal": "ideal"},
    matters=("steps", "teleport"),
    settings=({"seeds": "0-1"},),
    group=by_kind,
)
