"""Suite for models: nine objects, a machine, and its Blickets."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from arena.errors import ConfigError, EvaluationError
from evaluation.choices.run_choices import PICTURE_FILES, Bounds, Rule, RunChoices
from evaluation.prompts import PromptSet
from evaluation.scale.references import FILE, RUNNERS, Scale, by_kind
from evaluation.suite import Message, Suite, TaskSpec, rules, version_of
from suites.est.world import CONTEXT, HORIZON, PRESETS, appearances, draw

MOST_EPISODES = 10_000
"""Test episodes of a preset, as many as in the paper."""

LAST_EPISODE = 99_999
"""Number of the last episode. Those after the test episodes are for training."""


class EstChoices(RunChoices):
    """Prompting options of the Blicket machine."""

    tool_names: ClassVar[tuple[str, ...]] = ("experiment",)

    rules: ClassVar[tuple[Rule, ...]] = (*RunChoices.rules, *PICTURE_FILES)

    machine: Literal["est", "ivre", "conjunctive", "noisy"] = "est"
    episodes: int = Field(default=100, ge=1, le=MOST_EPISODES)
    observation: Literal["image", "text", "both"] = "text"
    image_size: int = Field(default=512, ge=64, le=1024)
    strict: bool = False

    def bounds(self, content: Any = None) -> Bounds:
        """Bound an episode by one reply per step. Texts have about 300 characters."""
        images = int(self.shows_images)
        return Bounds(
            replies=HORIZON,
            first_images=images,
            images=images,
            image_px=self.image_size,
            turn_tokens=80,
            told_tokens=None if self.observation == "image" else 40,
        )


class EstSuite(Suite):
    """Blicket detection: find the objects that light the machine."""

    name = task_name = "est"
    title = "EST (Blicket detection)"
    choices = EstChoices

    def tasks(self, choices: EstChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """List the first episodes of a machine."""
        return [_task(choices.machine, number) for number in range(1, choices.episodes + 1)]

    def named(self, name: str, choices: EstChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """Find an episode of the machine by its id, such as est-00007."""
        found = re.fullmatch(rf"{choices.machine}-([0-9]{{5}})", name)
        if found is None or found[1] == "00000":
            raise ConfigError(
                f"no task {name}; with machine = {choices.machine} they are "
                f"{_id(choices.machine, 1)} to {_id(choices.machine, LAST_EPISODE)}"
            )
        return [_task(choices.machine, int(found[1]))]

    def task_version(self, folder: Path | None = None) -> str:
        """Version of the first episodes of all machines."""
        every = (EstChoices.model_validate({"machine": machine}) for machine in PRESETS)
        return version_of(task for choices in every for task in self.tasks(choices, folder))

    def opening(self, choices: EstChoices, prompts: PromptSet, episodes: int) -> list[Message]:
        """Compose the rules."""
        low, high = PRESETS[choices.machine].blickets
        rule = "rule_est" if choices.machine == "ivre" else f"rule_{choices.machine}"
        values = {"rule": prompts[rule].fill(), "blickets": f"{low} to {high}"}
        return rules(choices, prompts, **values, steps=HORIZON, context=CONTEXT)

    def check(self, model: str, tasks: Sequence[TaskSpec], choices: EstChoices) -> None:
        """Refuse a reference agent that would need pictures. Raises EvaluationError."""
        provider, _, agent = model.partition("/")
        if provider == self.name and agent not in RUNNERS and choices.observation == "image":
            raise EvaluationError(f"{model}: reads words, and this run has none; use --observation text")


def _task(machine: str, number: int) -> TaskSpec:
    """Create a machine's episode by number, always the same."""
    rng = np.random.default_rng([list(PRESETS).index(machine), number])
    drawn = draw(PRESETS[machine], 1, rng)
    blickets = np.flatnonzero(drawn.blickets[0]).tolist()
    context = [np.flatnonzero(panel).tolist() for panel in drawn.context[0]]
    objects = [list(words) for words in appearances(rng)]
    content = {"objects": objects, "blickets": blickets, "context": context}
    digest = hashlib.sha256(json.dumps([machine, content]).encode()).hexdigest()
    return TaskSpec(
        _id(machine, number),
        f"{len(blickets)} Blicket{'s' * (len(blickets) != 1)}",
        digest,
        target=", ".join(str(k + 1) for k in blickets),
        metadata={"machine": machine},
        content=content,
    )


def _id(machine: str, number: int) -> str:
    return f"{machine}-{number:05}"


SUITE = EstSuite()


def split(name: str, choices: EstChoices) -> Iterator[str]:
    """Yield ids for testing, the paper's 10,000, or training, the rest."""
    first, last = (1, MOST_EPISODES) if name == "test" else (MOST_EPISODES + 1, LAST_EPISODE)
    return (_id(choices.machine, number) for number in range(first, last + 1))


SCALE = Scale(
    Path(__file__).with_name(FILE),
    scoring=1,
    agents={"prior-only": "blind", "random": "random", "ideal": "ideal"},
    matters=("machine",),
    settings=tuple({"machine": machine, "episodes": 500} for machine in PRESETS),
    group=by_kind,
)
