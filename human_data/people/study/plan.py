"""A study ready to be run: its file, its tasks, and the stages of each person."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from arena.recording import spec_sha256
from human_data.people.study.config import Block, Study
from human_data.people.study.items import Likert, Questionnaire
from human_data.people.study.read import Loc, read_study
from human_data.people.study.stages import Asking, End, Part, Playing, Reading, Stage
from human_data.people.study.tasks import block_tasks
from testbed import Task

ARENA_S = 0.1
"""Seconds for each unit of an arena's time limit `t`, which ends it after 5/3 t steps of 0.06 s."""

UNLIMITED_S = 60.0
"""What an arena without a limit is reckoned as."""

WORDS_PER_S = 4.0
"""Silent reading, about 240 words a minute (Brysbaert 2019, Journal of Memory and Language 109, 104047)."""

ITEM_S = 8.0
"""What a question is reckoned as; one with a scale half of it."""

_LATE = ("completion",)
"""What may be changed while people are on their way: nobody who is has seen it."""


@dataclass(frozen=True)
class Plan:
    """`tasks` are those of each part of the study by its name, in the order of the file."""

    source: str
    study: Study
    tasks: Mapping[Part, tuple[Task, ...]]

    @property
    def test(self) -> tuple[Task, ...]:
        """The tasks that count."""
        return self.tasks["test"]

    def stages(self, order: Sequence[str]) -> tuple[Stage, ...]:
        """All stages of a person who plays the test's tasks in this order of ids."""
        by_id = {task.id: task for task in self.test}
        warm_up = len(self.tasks.get("tutorial", ())) + len(self.tasks.get("practice", ()))
        places = count(-warm_up)
        return (
            *self._questionnaires("before"),
            *self._part("tutorial", self.tasks.get("tutorial", ()), places),
            *self._part("practice", self.tasks.get("practice", ()), places),
            *self._with_breaks([*self._part("test", [by_id[task] for task in order], count(0))]),
            *self._questionnaires("after"),
            End("completed"),
        )

    def described(self) -> dict[str, Any]:
        """Everything that makes it this study and no other, as JSON can hold it."""
        told = self.study.model_dump(mode="json", by_alias=True, exclude=set(_LATE))
        specs = {
            f"{part}/{task.id}": spec_sha256(task.spec) for part in self.tasks for task in self.tasks[part]
        }
        return {**told, "arenas": specs}

    def sha256(self) -> str:
        """Hash of `described`."""
        return hashlib.sha256(json.dumps(self.described(), sort_keys=True).encode()).hexdigest()

    def minutes(self) -> tuple[float, float]:
        """How long a person needs about, and at most, in minutes; nobody waits at the pages to the end."""
        played = {part: sum(map(_seconds, self.tasks[part], [block] * 999)) for part, block in self._blocks()}
        limit = self.study.test.limit_minutes
        if limit is not None:
            played["test"] = min(played["test"], 60 * limit)
        most, pages = sum(played.values()), self._pages_s()
        # A task that is understood takes about half of its time.
        return (most / 2 + pages) / 60, (most + pages) / 60

    def _pages_s(self) -> float:
        study = self.study
        texts = [study.consent.text, *(block.text for block in study.blocks())]
        shown = [page for page in study.questionnaires for _ in range(self._times(page))]
        texts += [page.text for page in shown]
        items = [item for page in shown for item in page.items]
        asked = sum(ITEM_S / 2 if isinstance(item, Likert) else ITEM_S for item in items)
        return sum(len(text.split()) for text in texts) / WORDS_PER_S + asked

    def _times(self, page: Questionnaire) -> int:
        return self.breaks() if page.when == "between" else 1

    def breaks(self) -> int:
        """How many breaks there are."""
        every = self.study.test.break_every
        return (len(self.test) - 1) // every if every else 0

    def _blocks(self) -> Iterator[tuple[Part, Block]]:
        parts: tuple[tuple[Part, Block | None], ...] = (
            ("tutorial", self.study.tutorial), ("practice", self.study.practice), ("test", self.study.test),
        )  # fmt: skip
        return ((part, block) for part, block in parts if block is not None)

    def _questionnaires(self, when: str) -> Iterator[Asking]:
        for page in self.study.questionnaires:
            if page.when == when:
                yield Asking(f"questions-{page.name}", page.name, page)

    def _part(self, part: Part, tasks: Sequence[Task], places: Iterator[int]) -> Iterator[Stage]:
        block = dict(self._blocks()).get(part)
        if block is None:
            return
        if block.title or block.text:
            yield Reading(f"introduction-{part}", block.title, block.text)
        for number, task in enumerate(tasks, start=1):
            yield Playing(f"{part}-{number}", part, block, task, next(places), number, len(tasks))

    def _with_breaks(self, stages: Sequence[Stage]) -> Iterator[Stage]:
        every, words = self.study.test.break_every, self.study.words
        for stage in stages:
            yield stage
            if (
                not every
                or not isinstance(stage, Playing)
                or stage.number % every
                or stage.number == stage.count
            ):
                continue
            number = stage.number // every
            for page in self.study.questionnaires:
                if page.when == "between":
                    yield Asking(f"questions-{page.name}-{number}", f"{page.name}-{number}", page)
            text = words.break_text.replace("{n}", str(stage.number)).replace("{count}", str(stage.count))
            yield Reading(f"break-{number}", words.break_title, text, is_break=True)


def load_plan(path: str | Path) -> Plan:
    """Read a study's file and all its tasks; raises ConfigError, with file and line, where it is wrong."""
    study, lines = read_study(path)

    def where(*loc: str | int) -> str:
        here: Loc = loc
        while here not in lines:
            here = here[:-1]
        return f"{path}:{lines[here]}"

    parts: tuple[tuple[Part, Block | None], ...] = (
        ("tutorial", study.tutorial), ("practice", study.practice), ("test", study.test),
    )  # fmt: skip
    folder = Path(path).parent
    tasks = {
        part: block_tasks(study, block, part, folder, where) for part, block in parts if block is not None
    }
    return Plan(str(path), study, tasks)


def _seconds(task: Task, block: Block) -> float:
    limit = task.spec.time_limit * ARENA_S if task.spec.time_limit else UNLIMITED_S
    return min(limit, block.limit_s or limit)
