"""A study ready to run: file, tasks, and each participant's stages."""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from arena.errors import ConfigError
from arena.files import read_text
from arena.recording import spec_sha256
from evaluation.by_hand.form import Likert, Section, duplicates
from evaluation.request import EvalRequest
from evaluation.suites import DEFAULT, get_suite
from llm_control.suite import task_spec
from people.play.task_source import Course, SuiteTask
from people.store.participation import COMPLETED, Ending
from people.study.config import Block, Practice, Questionnaire, Study, Test
from people.study.links import PLACEHOLDER
from people.study.load import Lines, condition_lines, digest, in_condition, in_file, media_files, study_of
from people.texts import PAGE_TEXTS, Texts, base_of
from testbed import Task, find_tasks, task_named
from testbed.originals import is_published

Phase = Literal["picture", "tutorial", "practice", "test"]
WARM_UP: tuple[Phase, ...] = ("picture", "tutorial", "practice")


class TextStage(NamedTuple):
    """A page to read, such as an introduction or a break. `block`: as of `QuestionStage`."""

    name: str
    title: str
    text: str
    is_break: bool = False
    block: str = ""
    sound: str | None = None


class QuestionStage(NamedTuple):
    """A page with questions; answers are stored under `page`. `block` is the name of the block of the test
    that it is shown in, "" for none."""

    name: str
    page: str
    questionnaire: Questionnaire
    block: str = ""


@dataclass(frozen=True, slots=True)
class TaskStage:
    """A task: `number` of `count` tasks of its phase, from 1. `position` as in `Assignment`."""

    name: str
    phase: Phase
    block: Block
    task: Task | SuiteTask
    position: int
    number: int
    count: int

    @property
    def block_name(self) -> str:
        """Name of the block: tutorial, practice, or a test block."""
        return self.block.name if isinstance(self.block, Test) else self.phase

    @property
    def tries(self) -> int | None:
        """Maximum number of attempts at passing it; None: no limit."""
        return self.block.tries if isinstance(self.block, Practice) else 1


Stage = TextStage | QuestionStage | TaskStage | Ending
"""`name` is unique among the stages of a participant."""


ARENA_S = 0.1
"""Seconds per unit of an arena's time limit `t`. It ends the arena after 5/3 t steps of 0.06 s."""

UNLIMITED_S = 60.0
"""Estimate for an arena without a limit."""

REPLY_S = 10.0
"""Estimated seconds per reply in another suite. A task may have as many as its limit allows."""

WORDS_PER_S = 4.0
"""Silent reading speed, about 240 words a minute (Brysbaert 2019, J. Mem. Lang. 109, 104047)."""

ITEM_S = 8.0
"""Estimate for a question; half of it for a scale."""

ARENAS = "arenas"
"""Key of the described study with the hashes of its tasks' arenas."""

Tasks = tuple[Task | SuiteTask, ...]
Folders = tuple[Path, Path | None]
"""Folders of the study's file and of task ids; None: the battery."""


@dataclass(frozen=True)
class Plan:
    """`tasks` are those of each block, in the order of the file. `conditions` are the plans of each. `media`
    are the pictures and sounds that the file names, by these names; `testbed` as for `load_plan`."""

    source: str
    study: Study
    tasks: Mapping[str, Tasks]
    conditions: Mapping[str, "Plan"] = field(default_factory=dict)
    media: Mapping[str, Path] = field(default_factory=dict)
    testbed: Path | None = None

    def of(self, condition: str | None) -> "Plan":
        """The plan for the participants in a condition; without conditions this one."""
        return self.conditions.get(condition or "", self)

    def all_tasks(self) -> Iterator[tuple[str, Task | SuiteTask]]:
        """The tasks of all conditions, each with its place: condition and block."""
        for block, tasks in self.tasks.items():
            yield from ((block, task) for task in tasks)
        for name, plan in self.conditions.items():
            yield from ((f"{name}/{block}", task) for block, task in plan.all_tasks())

    @property
    def test(self) -> Tasks:
        """The tasks that count, of all blocks."""
        return tuple(task for block in self.study.test for task in self.tasks[block.name])

    def stages(self, order: Sequence[str], blocks: Sequence[str] = ()) -> tuple[Stage, ...]:
        """Return all stages of a participant with this task order. The order is that of the test's ids.
        `blocks` are the names of the test's blocks in the order of the participant; default: of the file."""
        return (
            *self._questionnaires("before"),
            *self._warm_up(),
            *self._test(order, blocks),
            *self._questionnaires("after"),
            Ending(COMPLETED, COMPLETED),
        )

    def positions(self, blocks: Sequence[str] = ()) -> dict[str, range]:
        """Return the positions of the tasks of each block of the test. `blocks` as for `stages`."""
        found, at = {}, 0
        for name in blocks or [block.name for block in self.study.test]:
            found[name] = range(at, at + len(self.tasks[name]))
            at += len(self.tasks[name])
        return found

    def described(self) -> dict[str, Any]:
        """Everything that defines the study, as JSON-serialisable values."""
        specs = {f"{place}/{task.id}": _digest(task) for place, task in self.all_tasks()}
        files = {name: digest(path) for name, path in self.media.items()}
        study = self.study.model_dump(mode="json", by_alias=True)
        return {**study, ARENAS: specs, **({"files": files} if files else {})}

    def read_again(self) -> "Plan":
        """Return the plan of the same study after its file was edited. Raises ConfigError as `load_plan`."""
        plan = load_plan(self.source, self.testbed)
        if plan.study.name != self.study.name:
            raise ConfigError(
                f"{self.source}: name: got {plan.study.name}, but {self.study.name} is being served; restart "
                "the server to serve another study"
            )
        return plan

    def minutes(self) -> tuple[float, float]:
        """Return the estimated and maximum duration in minutes. They assume no lingering on the pages."""
        played = {
            name: sum(_seconds(task, block) for task in self.tasks[name])
            for name, block in self.study.blocks().items()
        }
        for block in self.study.test:
            if block.limit_minutes is not None:
                played[block.name] = min(played[block.name], 60 * block.limit_minutes)
        longest, pages = sum(played.values()), self._pages_s()
        # A task that is understood takes about half of its time.
        return (longest / 2 + pages) / 60, (longest + pages) / 60

    def _pages_s(self) -> float:
        study = self.study
        times = {"before": 1, "between": self.breaks(), "after": 1}
        shown = [page for page in study.questionnaires for _ in range(times[page.when])]
        forms = (study.consent, study.assent)
        texts = [form.text for form in forms if form] + [block.text for block in study.blocks().values()]
        texts += [page.text for page in shown]
        items = [item for page in shown for item in page.items]
        answering = sum(ITEM_S / 2 if isinstance(item, Likert) else ITEM_S for item in items)
        return sum(len(text.split()) for text in texts) / WORDS_PER_S + answering

    def breaks(self) -> int:
        """Return the number of breaks."""
        counts = ((len(self.tasks[block.name]), block.break_every) for block in self.study.test)
        return sum((count - 1) // every for count, every in counts if every)

    def _questionnaires(self, when: str, suffix: str = "", block: str = "") -> Iterator[QuestionStage]:
        for page in self.study.questionnaires:
            if page.when == when:
                yield QuestionStage(f"questions-{page.name}{suffix}", f"{page.name}{suffix}", page, block)

    def _warm_up(self) -> Iterator[Stage]:
        blocks = self.study.blocks()
        present = [phase for phase in WARM_UP if phase in blocks]
        positions = count(-sum(len(self.tasks[phase]) for phase in present))
        for phase in present:
            block, tasks = blocks[phase], self.tasks[phase]
            yield from _introduction(phase, block)
            for number, task in enumerate(tasks, start=1):
                yield TaskStage(f"{phase}-{number}", phase, block, task, next(positions), number, len(tasks))

    def _test(self, order: Sequence[str], blocks: Sequence[str]) -> Iterator[Stage]:
        named = {block.name: block for block in self.study.test}
        breaks = count(1)
        for name, positions in self.positions(blocks).items():
            block = named[name]
            by_id = {task.id: task for task in self.tasks[name]}
            yield from _introduction(name, block, name)
            for played, position in enumerate(positions, start=1):
                number, task = position + 1, by_id[order[position]]
                yield TaskStage(f"test-{number}", "test", block, task, position, number, len(order))
                if block.break_every and played % block.break_every == 0 and played < len(positions):
                    yield from self._break(next(breaks), number, len(order), name)

    def _break(self, which: int, done: int, of: int, block: str) -> Iterator[Stage]:
        yield from self._questionnaires("between", f"-{which}", block)
        texts = self.study.words
        text = texts.break_text.replace("{n}", str(done)).replace("{count}", str(of))
        yield TextStage(f"break-{which}", texts.break_title, text, is_break=True, block=block)


def _introduction(name: str, block: Block, of_test: str = "") -> Iterator[Stage]:
    if block.title or block.text or block.sound:
        yield TextStage(f"introduction-{name}", block.title, block.text, block=of_test, sound=block.sound)


def load_plan(path: str | Path, testbed: Path | None = None) -> Plan:
    """Read a study's file and all its tasks. Their ids are those of the battery or of the folder `testbed`.
    Raises ConfigError, with file and line, if it is wrong."""
    study, lines = study_of(read_text(path), str(path))
    folders = (Path(path).parent, testbed)

    def plan_of(study: Study, lines: Lines, conditions: Mapping[str, Plan]) -> Plan:
        def where(*loc: str | int) -> str:
            """Return the file, the line and the path of a key."""
            here = in_file(loc, lines)
            return f"{path}:{lines[here]}: {'.'.join(map(str, here))}"

        _check_agents(study, where)
        media = media_files(study, folders[0], where)
        for each in conditions.values():
            media |= each.media
        return Plan(str(path), study, _all_tasks(study, folders, where), conditions, media, testbed)

    conditions = {
        name: plan_of(in_condition(study, name), condition_lines(lines, name), {})
        for name in study.conditions
    }
    return plan_of(study, lines, conditions)


def _all_tasks(study: Study, folders: Folders, where: Callable[..., str]) -> dict[str, Tasks]:
    """Return the tasks of each block. `where` describes the place of a key in the file."""
    tasks: dict[str, Tasks] = {}
    drawn: set[str] = set()
    for name, block in study.blocks().items():
        loc = ("test", study.test.index(block)) if isinstance(block, Test) else (name,)
        if block.suite is not None:
            tasks[name] = _of_suite(block, block.suite, study.seed, partial(where, *loc))
        elif isinstance(block, Test) and block.levels:
            tasks[name] = _drawn(study, block, drawn, folders[1], partial(where, *loc))
            drawn |= {task.id for task in tasks[name]}
        else:
            tasks[name] = _listed(study, block, folders, partial(where, *loc))
        if block.suite is None and study.mode == "scripts":
            tasks[name] = Course.by_scripts(cast("Sequence[Task]", tasks[name]), _of_study(study)).every()
    return tasks


def _listed(study: Study, block: Block, folders: Folders, where: Callable[..., str]) -> tuple[Task, ...]:
    folder, testbed = folders
    tasks: list[Task] = []
    for number, task in enumerate(block.task_ids):
        path = str(folder / task) if task.endswith((".yaml", ".yml")) else task
        try:
            tasks.append(task_named(path, testbed, study.animal_ai))
            if sum(item.name == "Agent" for item in tasks[-1].spec.items) > 1:
                raise ConfigError(
                    f"{tasks[-1].id}: the arena has several agents, but a person can drive only one"
                )
        except ConfigError as error:
            place = where("tasks", number).removesuffix(f".{number}")
            raise ConfigError(f"{place}: {error}") from None
    others = (task.id for task in tasks if not is_published(task.id, task.sha256))
    if block.tasks == "children" and (other := next(others, None)):
        raise ConfigError(
            f"{where('tasks')}: children: {other} is not the file that they played; run arena-llm "
            "testbed fetch original and give --testbed original, or write short-form"
        )
    if twice := duplicates(task.id for task in tasks):
        raise ConfigError(f"{where('tasks')}: {twice[0]} is listed twice; list it once")
    return tuple(tasks)


def _of_suite(block: Block, suite: str, seed: int, where: Callable[..., str]) -> tuple[SuiteTask, ...]:
    """Return the tasks of another suite's block. The first was begun to see that people can play it."""
    written = {name: _option(value) for name, value in block.choices.items()}
    try:
        chosen = {"seed": str(seed), **written, "tasks": ",".join(block.task_ids)}
        return Course.of(get_suite(suite), chosen).every()
    except ConfigError as error:
        raise ConfigError(f"{where('suite')}: {error}") from None


def _of_study(study: Study) -> dict[str, str]:
    return {"seed": str(study.seed), "animal_ai": study.animal_ai}


def arena_choices(study: Study) -> dict[str, str]:
    """Return the options with which agents play tasks of the arena."""
    return {**_of_study(study), **{name: _option(value) for name, value in study.agents.items()}}


def _check_agents(study: Study, where: Callable[..., str]) -> None:
    """Raise ConfigError for choices that agents cannot play a study with."""
    try:
        choices = EvalRequest(get_suite(DEFAULT), "", choices=arena_choices(study)).effective.choices
    except ConfigError as error:
        raise ConfigError(f"{where('agents')}: {error}") from None
    if choices.conversation != "episode" or choices.replies != "text" or choices.needs_all_tasks:
        raise ConfigError(f"{where('agents')}: participants play one task at a time, in text")


def _option(value: str | bool | int | float) -> str:
    """Return a choice as it is written as an option."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _digest(task: Task | SuiteTask) -> str:
    """Return a hash of a task's definition."""
    spec = task.spec if isinstance(task, SuiteTask) else task_spec(task)
    return spec_sha256(spec.content.spec) if isinstance(spec.content, Task) else spec.sha256


def _drawn(
    study: Study, test: Test, taken: Collection[str], testbed: Path | None, where: Callable[..., str]
) -> tuple[Task, ...]:
    """Tasks of the block's levels that no block before has drawn."""
    tasks: list[Task] = []
    for level, number in sorted(test.levels.items()):
        available = [task for task in find_tasks((level,), testbed, study.animal_ai) if task.id not in taken]
        if number > len(available):
            place = where("levels", str(level))
            raise ConfigError(f"{place}: got {number} tasks, but the level has {len(available)}")
        drawn = random.Random(f"{study.seed} level {level}").sample(available, number)
        tasks += sorted(drawn, key=lambda task: task.id)
    return tuple(tasks)


def _seconds(task: Task | SuiteTask, block: Block) -> float:
    if isinstance(task, SuiteTask):
        replies = task.course.choices.bounds(task.course.tasks[task.place].content).replies
        limit = UNLIMITED_S if replies is None else replies * REPLY_S
    else:
        limit = task.spec.time_limit * ARENA_S if task.spec.time_limit else UNLIMITED_S
    return min(limit, block.limit_s or limit)


SHORT_S = 5.0
"""Minimum useful duration of a task, seconds. Before, a ball cannot be reached, 83 steps of 0.06 s, or a form
filled in."""


def doubts(plan: Plan) -> Iterator[str]:
    """Sentences about a study and its conditions, each once."""
    yield from _about_participants(plan)
    found = (each for one in (plan, *plan.conditions.values()) for each in (*_about_tasks(one), *_texts(one)))
    yield from dict.fromkeys(found)


def _about_participants(plan: Plan) -> Iterator[str]:
    people = plan.study.participants
    alike = Counter(code.casefold() for code in people.codes)
    for same in (code for code, number in alike.items() if number > 1):
        codes = " and ".join(code for code in people.codes if code.casefold() == same)
        yield f"The codes {codes} differ only in capital letters, and belong to different participants."
    if people.quota is not None and people.quota < len(people.codes):
        yield f"The quota of {people.quota} is smaller than the number of codes, {len(people.codes)}."


def _about_tasks(plan: Plan) -> Iterator[str]:
    practised = {task.id for name in ("tutorial", "practice") for task in plan.tasks.get(name, ())}
    for task in plan.test:
        if task.id in practised:
            yield f"{task.id} is a test task that participants have played before, as tutorial or practice."
    for name, block in plan.study.blocks().items():
        if block.suite is not None and base_of(plan.study.language) != "en":
            yield f"{name}: the texts of the suite {block.suite} are in English, as are the answers."
        if block.limit_s is not None and block.limit_s < SHORT_S:
            yield f"{name}: limit_s ends each task after {block.limit_s:g} s, before anything can be reached."


def _texts(plan: Plan) -> Iterator[str]:
    for name, text in plan.study.words:
        lost = set(PLACEHOLDER.findall(getattr(Texts(), name))) - set(PLACEHOLDER.findall(text))
        for number in sorted(lost):
            yield f"words.{name}: the text lacks {{{number}}}, so this number is not shown."


def untranslated(study: Study) -> list[str]:
    """Yield a file's keys whose texts are shown in English. The study's language is another."""
    if base_of(study.language) == "en":
        return []
    shown: dict[str, tuple[Section, tuple[str, ...]]] = {
        "consent": (study.consent, ("title",)),
        "participants": (study.participants, ("title",)),
        "completion": (study.completion, ("title", "text")),
        "words": (study.words, tuple(Texts.model_fields)),
    }
    return [
        *(
            f"{name}.{key}"
            for name, (part, keys) in shown.items()
            for key in keys
            if key not in part.model_fields_set
        ),
        *(f"play_words.{text}" for text in PAGE_TEXTS if text not in study.play_words),
    ]
