"""A study ready to run: its file, its tasks, and the stages of each participant."""

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from arena.errors import ConfigError
from arena.recording import spec_sha256
from human_data.people.study.config import Block, Study, Test
from human_data.people.study.items import Likert, duplicates
from human_data.people.study.load import Loc, read_study
from human_data.people.study.stages import EndStage, Phase, QuestionStage, Stage, TaskStage, TextStage
from testbed import CHILDREN, Task, find_tasks, task_named

ARENA_S = 0.1
"""Seconds per unit of an arena's time limit `t`, which ends it after 5/3 t steps of 0.06 s."""

UNLIMITED_S = 60.0
"""Estimate for an arena without a limit."""

WORDS_PER_S = 4.0
"""Silent reading, about 240 words a minute (Brysbaert 2019, Journal of Memory and Language 109, 104047)."""

ITEM_S = 8.0
"""Estimate for a question; half of it for a scale."""

ARENAS = "arenas"
"""Key of the described study with the hashes of its tasks' arenas."""


@dataclass(frozen=True)
class Plan:
    """`tasks` are those of each phase, in the order of the file; `testbed` as for `load_plan`."""

    source: str
    study: Study
    tasks: Mapping[Phase, tuple[Task, ...]]
    testbed: Path | None = None

    @property
    def test(self) -> tuple[Task, ...]:
        """The tasks that count."""
        return self.tasks["test"]

    def stages(self, order: Sequence[str]) -> tuple[Stage, ...]:
        """All stages of a participant who plays the test's tasks in this order of ids."""
        by_id = {task.id: task for task in self.test}
        warm_up = len(self.tasks.get("tutorial", ())) + len(self.tasks.get("practice", ()))
        positions = count(-warm_up)
        return (
            *self._questionnaires("before"),
            *self._phase("tutorial", self.tasks.get("tutorial", ()), positions),
            *self._phase("practice", self.tasks.get("practice", ()), positions),
            *self._with_breaks(self._phase("test", [by_id[task] for task in order], count(0))),
            *self._questionnaires("after"),
            EndStage("completed"),
        )

    def described(self) -> dict[str, Any]:
        """Everything that defines the study, as JSON-serialisable values."""
        study = self.study.model_dump(mode="json", by_alias=True)
        specs = {
            f"{phase}/{task.id}": spec_sha256(task.spec)
            for phase, tasks in self.tasks.items()
            for task in tasks
        }
        return {**study, ARENAS: specs}

    def read_again(self) -> "Plan":
        """The plan of the same study after its file was edited. Raises ConfigError as `load_plan`."""
        plan = load_plan(self.source, self.testbed)
        if plan.study.name != self.study.name:
            raise ConfigError(
                f"{self.source}: name: got {plan.study.name}, but {self.study.name} is being served; restart "
                "the server to serve another study"
            )
        return plan

    def sha256(self) -> str:
        """Hash of `described`."""
        return hashlib.sha256(json.dumps(self.described(), sort_keys=True).encode()).hexdigest()

    def minutes(self) -> tuple[float, float]:
        """Estimated and maximum duration in minutes, assuming that nobody lingers on the pages."""
        blocks = self.study.blocks()
        played = {phase: sum(_seconds(task, blocks[phase]) for task in self.tasks[phase]) for phase in blocks}
        limit = self.study.test.limit_minutes
        if limit is not None:
            played["test"] = min(played["test"], 60 * limit)
        longest, pages = sum(played.values()), self._pages_s()
        # A task that is understood takes about half of its time.
        return (longest / 2 + pages) / 60, (longest + pages) / 60

    def _pages_s(self) -> float:
        study = self.study
        times = {"before": 1, "between": self.breaks(), "after": 1}
        shown = [page for page in study.questionnaires for _ in range(times[page.when])]
        texts = [study.consent.text, *(block.text for block in study.blocks().values())]
        texts += [page.text for page in shown]
        items = [item for page in shown for item in page.items]
        answering = sum(ITEM_S / 2 if isinstance(item, Likert) else ITEM_S for item in items)
        return sum(len(text.split()) for text in texts) / WORDS_PER_S + answering

    def breaks(self) -> int:
        """Number of breaks."""
        every = self.study.test.break_every
        return (len(self.test) - 1) // every if every else 0

    def _questionnaires(self, when: str, suffix: str = "") -> Iterator[QuestionStage]:
        for page in self.study.questionnaires:
            if page.when == when:
                yield QuestionStage(f"questions-{page.name}{suffix}", f"{page.name}{suffix}", page)

    def _phase(self, phase: Phase, tasks: Sequence[Task], positions: Iterator[int]) -> Iterator[Stage]:
        block = self.study.blocks().get(phase)
        if block is None:
            return
        if block.title or block.text:
            yield TextStage(f"introduction-{phase}", block.title, block.text)
        for number, task in enumerate(tasks, start=1):
            yield TaskStage(f"{phase}-{number}", phase, block, task, next(positions), number, len(tasks))

    def _with_breaks(self, stages: Iterator[Stage]) -> Iterator[Stage]:
        every, texts = self.study.test.break_every, self.study.words
        for stage in stages:
            yield stage
            if not (every and isinstance(stage, TaskStage)):
                continue
            if stage.number % every == 0 and stage.number < stage.count:
                number = stage.number // every
                yield from self._questionnaires("between", f"-{number}")
                text = texts.break_text.replace("{n}", str(stage.number))
                text = text.replace("{count}", str(stage.count))
                yield TextStage(f"break-{number}", texts.break_title, text, is_break=True)


def load_plan(path: str | Path, testbed: Path | None = None) -> Plan:
    """Read a study's file and all its tasks, whose ids are those of the battery or of the folder `testbed`.

    Raises ConfigError, with file and line, if it is wrong.
    """
    study, lines = read_study(path)

    def where(*loc: str | int) -> str:
        here: Loc = loc
        while here not in lines:
            here = here[:-1]
        return f"{path}:{lines[here]}"

    folders = (Path(path).parent, testbed)
    tasks = {phase: _tasks(study, block, phase, folders, where) for phase, block in study.blocks().items()}
    return Plan(str(path), study, tasks, testbed)


def _tasks(
    study: Study, block: Block, name: str, folders: tuple[Path, Path | None], where: Callable[..., str]
) -> tuple[Task, ...]:
    """The tasks of a block; paths of files are relative to the first of `folders`, ids are of the second.

    `where` is the file and line of keys.
    """
    folder, testbed = folders
    if isinstance(block, Test) and block.levels:
        return _drawn(study, block, testbed, where)
    tasks = []
    for number, task in enumerate(CHILDREN if isinstance(block.tasks, str) else block.tasks):
        path = str(folder / task) if task.endswith((".yaml", ".yml")) else task
        try:
            tasks.append(_single_agent(task_named(path, testbed, study.animal_ai)))
        except ConfigError as error:
            raise ConfigError(f"{where(name, 'tasks', number)}: {name}.tasks: {error}") from None
    if twice := duplicates(task.id for task in tasks):
        raise ConfigError(f"{where(name, 'tasks')}: {name}.tasks: {twice[0]} is listed twice; list it once")
    return tuple(tasks)


def _single_agent(task: Task) -> Task:
    if sum(item.name == "Agent" for item in task.spec.items) > 1:
        raise ConfigError(f"{task.id}: the arena has several agents, but a person can drive only one")
    return task


def _drawn(study: Study, test: Test, testbed: Path | None, where: Callable[..., str]) -> tuple[Task, ...]:
    tasks: list[Task] = []
    for level, number in sorted(test.levels.items()):
        available = find_tasks((level,), testbed, study.animal_ai)
        if number > len(available):
            line = where("test", "levels", str(level))
            raise ConfigError(
                f"{line}: test.levels.{level}: got {number} tasks, but the level has {len(available)}"
            )
        drawn = random.Random(f"{study.seed} level {level}").sample(available, number)
        tasks += sorted(drawn, key=lambda task: task.id)
    return tuple(tasks)


def _seconds(task: Task, block: Block) -> float:
    limit = task.spec.time_limit * ARENA_S if task.spec.time_limit else UNLIMITED_S
    return min(limit, block.limit_s or limit)
