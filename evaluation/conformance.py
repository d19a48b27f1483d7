"""Conformance checks: play a suite in every mode and report faults. Authors of suites need to read nothing
further: each fault names expectation and fix."""

import asyncio
import json
import math
import os
import pickle
import random
import re
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from inspect_ai.tool import ToolDef
from pydantic_core import to_jsonable_python

from arena.errors import ArenaError, ConfigError, EvaluationError
from evaluation.agents.agents import opening
from evaluation.by_hand.form import Form
from evaluation.capabilities import agents_of, form_of, judged, logged_task, prompts_of, reply_of, tools_of
from evaluation.choices.effective import effective, preset_names
from evaluation.choices.run_choices import SCAFFOLDS
from evaluation.engines.backend import CURRENT
from evaluation.request import EvalRequest
from evaluation.scale.references import LETTERS, RUNNERS, garbage, scale_of
from evaluation.suite import AgentTurn, EpisodeSetup, ModelEnd, Observation, Record, Suite, TaskSpec
from evaluation.suites import chosen_tasks, find_task, register
from evaluation.verify.sources import Options, Verdict, find_sources

MOST_REPLIES = 1000
"""Maximum replies before an unbounded episode counts as endless."""

TRIES = 3
"""Maximum requests for a new reply after a wrong one."""

NONSENSE = (
    *("", " \n", "I'm sorry, but I can't help with that.", "\x00", "\u2603 \U0001f916", "None", "-1"),
    *("nan inf 1e999", "9" * 400, "x" * 20_000, '{"a": [1, null]}', "()[]{};;,,", "<answer></answer>"),
)
"""Replies that models occasionally write; some may mean something to a suite."""


class Fault(NamedTuple):
    """Fault with the check that found it."""

    check: str
    said: str


class Kit:
    """Suite under test, with choices, two short tasks, and a log folder."""

    def __init__(self, suite: Suite, choices: dict[str, Any], folder: Path) -> None:
        self.suite, self.given, self.folder = suite, choices, folder
        self.choices: Any = effective(suite, None, choices).choices

    @cached_property
    def tasks(self) -> list[TaskSpec]:
        """The two shortest tasks of a run."""
        return self.short[:2]

    @cached_property
    def short(self) -> list[TaskSpec]:
        """The four shortest tasks of a run."""
        found = chosen_tasks(self.suite, self.choices, None)
        return sorted(found, key=lambda task: self.most(task) or math.inf)[:4]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of these tasks."""
        return tuple(task.id for task in self.tasks)

    def longest(self, task: TaskSpec) -> int:
        """Maximum replies of an episode of wrong replies, each asked for again."""
        return TRIES * (self.most(task) or MOST_REPLIES)

    def most(self, task: TaskSpec) -> int | None:
        """Maximum replies of an episode by the choices."""
        return self.choices.bounds(task.content).replies

    def setup(self, place: int = 0, trial: int = 0, **changed: Any) -> EpisodeSetup:
        """Set up an episode of a task."""
        choices = self.choices.model_copy(update=changed)
        every = tuple(self.tasks) if choices.needs_all_tasks else ()
        return EpisodeSetup(
            self.suite, self.tasks[place], trial, choices, prompts_of(self.suite, choices), every
        )

    @cached_property
    def agent(self) -> str | None:
        """Name the best offline agent; None without any."""
        scale, own = scale_of(self.suite), [name for name in agents_of(self.suite) if name == name.lower()]
        return scale.agents.get("ideal", next(iter(own), None)) if scale else next(iter(own), None)

    @cached_property
    def replies(self) -> tuple[str, ...]:
        """Collect replies: valid ones of an agent or form, and invalid ones."""
        if self.agent is not None:
            known = [str(turn["reply"]) for turn in self.by_agent(self.tasks[0]).turns]
        else:
            known = [reply for _, reply in _by_form(self, islice(range(20), 20))]
        return (*known[:20], *(garbage(np.random.default_rng(seed)) for seed in range(5)), *known[20:])

    def by_agent(self, task: TaskSpec) -> Record:
        """Play an episode with the best offline agent."""
        from evaluation.transcript import play

        return play(self.suite, str(self.agent), task, self.choices)


class Played(NamedTuple):
    """Played episode: observations and record."""

    shown: tuple[Observation, ...]
    record: Record

    @property
    def digest(self) -> str:
        """Hash every text, picture and value."""
        found = sha256()
        for each in self.shown:
            for part in each.parts:
                found.update(part.encode("utf-8", "replace") if isinstance(part, str) else part.tobytes())
            found.update(repr((each.done, each.kind, each.fresh, each.told, each.reward)).encode())
        found.update(json.dumps(to_jsonable_python(self.record.as_dict(), inf_nan_mode="constants")).encode())
        return found.hexdigest()


def play(setup: EpisodeSetup, replies: Sequence[str] | Iterator[str]) -> Played:
    """Play replies until they or the episode end; finish the episode."""
    with closing(setup.suite.open(setup)) as environment:
        shown = [environment.begin()]
        for reply in replies:
            if shown[-1].done:
                break
            shown.append(environment.reply(reply))
        return Played(tuple(shown), environment.finish())


def _data(kit: Kit) -> Iterator[str]:
    """Check names, headline, choices, presets and versions."""
    suite, kind = kit.suite, type(kit.suite)
    missing = [
        each for each in ("name", "title", "task_name") if not isinstance(getattr(suite, each, None), str)
    ]
    for name in missing:
        yield f"{kind.__name__}.{name} is missing: write {name} = '...' into the class"
    if missing:
        return
    for name in sorted(
        name for name in {*dir(kind)} - {*dir(Suite), *Suite.__annotations__} if not name.startswith("_")
    ):
        yield (
            f"{kind.__name__}.{name}: it is never read; a suite brings what `Suite` lacks in modules of its "
            "folder, which `evaluation.capabilities` lists, and its own members begin with _"
        )
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", suite.name):
        yield f"name = {suite.name!r}: expected lower case letters, digits, - and _"
    module = sys.modules[kind.__module__]
    if getattr(module, "SUITE", None) is not suite or kind.__module__ == "__main__":
        yield (
            f"{kind.__module__} has no SUITE that is this suite, so other processes cannot find it: write "
            f"SUITE = {kind.__name__}() at the end of a module that can be imported"
        )
    for name, field in suite.choices.model_fields.items():
        if not field.description:
            yield f"choice {name}: has no description; help shows it; Field(..., description='...')"
    for name in preset_names(suite):
        effective(suite, name, {})
    if not suite.versions():
        yield "versions(): is empty; expected at least the suite's own package and its version"


def _tasks(kit: Kit) -> Iterator[str]:
    """Check ids, hashes, metadata and content of tasks, and unknown names."""
    suite, every = kit.suite, kit.suite.tasks(kit.choices, None)
    if not every:
        yield "tasks(): returned none with the default choices"
        return
    ids = [task.id for task in every]
    if len(set(ids)) < len(ids):
        yield f"tasks(): the id {max(ids, key=ids.count)} is duplicated; ids are unique in a suite"
    if len(every) > 1 and len({task.sha256 for task in every}) == 1:
        yield "tasks(): all have the same sha256; it is the hash of what defines each task"
    if [(t.id, t.sha256) for t in suite.tasks(kit.choices, None)] != [(t.id, t.sha256) for t in every]:
        yield "tasks(): two calls gave different tasks; draw them from a seeded generator"
    for task in every[:50]:
        yield from _task(kit, task)
    for name in ("", "no-such-task", "0", "*", "../x"):
        with suppress(ConfigError):
            if name not in ids and suite.named(name, kit.choices, None):
                yield f"named({name!r}): gave a task; expected None, or a ConfigError that says what exists"
    if suite.task_version() != suite.task_version():
        yield "task_version(): two calls differ"


def _task(kit: Kit, task: TaskSpec) -> Iterator[str]:
    if not isinstance(task.id, str) or re.search(r"[\s,]", task.id) or not task.id:
        yield f"task {task.id!r}: an id is a text without commas and spaces, for --tasks A,B"
        return
    if not re.fullmatch(r"[0-9a-f]{64}", str(task.sha256)):
        yield f"task {task.id}: sha256 is {task.sha256!r}; expected hashlib.sha256(...).hexdigest()"
    if not isinstance(task.group, str | int):
        yield f"task {task.id}: group is {task.group!r}; expected a word or a number"
    if (read := _logged(kit.suite, task)).sha256 != task.sha256:
        yield f"task {task.id}: another one, {read.id}, after it was written to a log and read again"
    again = find_task(kit.suite, task.id, kit.choices, None)
    if again is None or again.sha256 != task.sha256:
        yield f"named({task.id!r}): did not give the task that tasks() has by this id"


def _logged(suite: Suite, task: TaskSpec) -> TaskSpec:
    """Read a task back after writing it to a log."""
    return logged_task(suite, json.loads(json.dumps(to_jsonable_python(task))))


def _texts(kit: Kit) -> Iterator[str]:
    """Check the messages before the first observation, for every agent."""
    for agent in ("direct", *SCAFFOLDS):
        setup = kit.setup(agent=agent)
        said = "".join(message.text for message in opening(kit.suite, setup.choices, setup.prompts, 1))
        if not said.strip():
            yield (
                "opening(): says nothing, so a model does not know what to do; write TEXTS = "
                "{'system': '...'} in the suite's module, or a package `prompts` with system.md"
            )
            return
    first = play(kit.setup(), ()).shown[0]
    if not first.parts or any(not isinstance(part, str | np.ndarray) for part in first.parts):
        yield f"begin(): parts are {first.parts!r}; expected texts and pictures, at least one"


def _wrong_replies(kit: Kit) -> Iterator[str]:
    """Check that wrong replies are turns with errors, without exception or pass."""
    most = kit.longest(kit.tasks[0])
    rng = np.random.default_rng(1)
    wrong: dict[str, Callable[[int], str]] = {
        "silence": lambda k: "",
        "garbage": lambda k: garbage(rng),
        "letters": lambda k: LETTERS[k % len(LETTERS)],
        "nonsense": lambda k: NONSENSE[k % len(NONSENSE)],
    }
    for name, reply in wrong.items():
        given = [reply(k) for k in range(most + 1)]
        shown, record = play(kit.setup(), given)
        yield from (f"{name}: {fault}" for fault in _of_record(record, given[: len(shown) - 1], kit))
        if not shown[-1].done:
            yield (
                f"{name}: the episode wants more than {most} replies, {TRIES} for each of bounds; count "
                "a wrong reply as a turn, and return the most of an episode from choices.bounds(content)"
            )
        if name in ("silence", "garbage"):
            if usable := [k for k, turn in enumerate(record.turns, start=1) if not turn["error"]]:
                yield f"{name}: reply {usable[0]} has no error, although it is unusable"
            if record.passed:
                yield f"{name}: passes, so a verdict means nothing; count a missing answer as a wrong one"


def _of_record(record: Record, replies: Sequence[str], kit: Kit) -> Iterator[str]:
    if [turn.get("reply") for turn in record.turns] != list(replies):
        yield (
            f"the record has {len(record.turns)} turns after {len(replies)} replies, or other texts; every "
            "reply is a turn whose `reply` is its text as it was"
        )
    if any("error" not in turn for turn in record.turns):
        yield "a turn has no `error`: what the model was shown about an unusable reply, otherwise None"
    if record.score is not None and not 0 <= record.score <= 1:
        yield f"score is {record.score}; expected 0 to 1"
    if not isinstance(record.passed, bool | None):
        yield f"passed is {record.passed!r}; expected True, False or None"
    if "total_reward" not in record.metrics:
        yield f"metrics are {dict(record.metrics)}; expected `total_reward` among them"
    for name, value in record.metrics.items():
        if not isinstance(value, int | float) or not math.isfinite(value):
            yield f"metric {name} is {value!r}; expected a finite number"
    for name, of in kit.suite.headline.items():
        if of in ("passed", "score") and getattr(record, of) is None:
            yield f"headline {name!r} is `{of}`, which the record lacks; fill it, or change `headline`"
    try:
        json.dumps(record.as_dict())
    except TypeError as error:
        yield f"the record is not ready for JSON: {error}; use plain values in turns, metrics and replay"


def _ends(kit: Kit) -> Iterator[str]:
    """Check episodes that are finished early, closed, or refused a reply."""
    for number in range(3):
        shown, record = play(kit.setup(), [""] * number)
        if len(record.turns) != number:
            yield f"finish() after {number} replies: the record has {len(record.turns)} turns"
        if not shown[-1].done and record.model_end != ModelEnd.SOLVER:
            yield f"finish() after {number} replies: model_end is {record.model_end!r}, expected SOLVER"
        if record.passed:
            yield f"finish() after {number} empty replies: passed"
    kit.suite.open(kit.setup()).close()
    with closing(kit.suite.open(kit.setup())) as environment:
        environment.begin()
        environment.refuse("text", "no call")
        (turn,) = environment.finish().turns
        if (turn.get("reply"), turn.get("error")) != ("text", "no call"):
            yield f"refuse('text', 'no call'): its turn is {dict(turn)}; expected that reply and that error"


def _determinism(kit: Kit) -> Iterator[str]:
    """Check for equal bits: repeated, in another process, and with interleaved episodes."""
    for trial in (0, 1):
        setup = kit.setup(trial=trial)
        once = play(setup, kit.replies).digest
        random.seed(trial)
        np.random.seed(trial)
        if play(setup, kit.replies).digest != once:
            yield (
                "the same replies gave another episode; take whatever is random from one generator seeded by "
                "(choices.seed, task.id, trial), and nothing from the clock"
            )
            return
        if play(setup._replace(task=_logged(kit.suite, setup.task)), kit.replies).digest != once:
            yield "a task that was read from a log gives another episode; is its content ready for JSON?"
        if _interleaved(setup, kit.replies) != [once, once]:
            yield "concurrent episodes disturb one another; keep nothing of an episode outside its object"
            return
        if (found := _in_new_process(setup, kit.replies)) != once:
            yield (
                f"another process gave another episode ({found}); nothing may depend on the order of a set, "
                "or on the state of the process"
            )
            return


def _interleaved(setup: EpisodeSetup, replies: Sequence[str]) -> list[str]:
    """Digest two episodes played in turns."""
    with ExitStack() as stack:
        both = [stack.enter_context(closing(setup.suite.open(setup))) for _ in range(2)]
        shown = [[each.begin()] for each in both]
        for reply in replies:
            for seen, each in zip(shown, both, strict=True):
                if not seen[-1].done:
                    seen.append(each.reply(reply))
        return [Played(tuple(s), each.finish()).digest for s, each in zip(shown, both, strict=True)]


def _in_new_process(setup: EpisodeSetup, replies: Sequence[str]) -> str:
    """Digest the episode in a new process, or return the failure."""
    program = "import pickle, sys; f, a = pickle.load(sys.stdin.buffer); print(f(*a).digest)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=pickle.dumps((play, (setup, tuple(replies)))),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONHASHSEED": "1"},
        capture_output=True,
        check=False,
    )
    return (done.stdout or done.stderr.strip().splitlines()[-1]).decode().strip()


def _agent(kit: Kit) -> Iterator[str]:
    """Check that the best offline agent beats silence, by text and tools."""
    if kit.agent is None:
        yield (
            "no offline agent: no usable replies are available here, so verdict, determinism and "
            "verify are not tested; write AGENTS = {'ideal': reply} in its folder (`evaluation.suite.Agent`)"
        )
        return
    name, best = f"{kit.suite.name}/{kit.agent}", kit.by_agent(kit.tasks[0])
    silent = play(kit.setup(), [""] * kit.longest(kit.tasks[0])).record
    floor, first = ((each.score or 0, bool(each.passed)) for each in (silent, best))
    others = ((each.score or 0, bool(each.passed)) for each in map(kit.by_agent, kit.short[1:]))
    if max(first, *others, first) <= floor:
        yield f"{name}: scores {best.score}, and so does silence; is its verdict or the agent wrong?"
    given = [str(turn["reply"]) for turn in best.turns]
    yield from _of_record(best, given, kit)
    if play(kit.setup(), given).record.score != best.score:
        yield f"{name}: the same replies gave another score than the agent"


def _tools(kit: Kit) -> Iterator[str]:
    """Check tools by name, and calls with wrong arguments."""
    tools, names = tools_of(kit.suite), kit.choices.tool_names
    if set(names) - set(tools) or bool(names) != bool(tools):
        yield f"choices.tool_names are {names} and TOOLS has {tuple(tools)}; expected the same names"
        return
    for name in names:
        if not (defined := ToolDef(tools[name]())).description:
            yield f"tool {name}: has no description; write a docstring, with Args for each argument"
        wrong: Sequence[Any] = ({}, {"nonsense": 1}, dict.fromkeys(defined.parameters.properties))
        for arguments in wrong:
            said = reply_of(kit.suite, name, arguments)
            shown, record = play(kit.setup(replies="tools"), [said])
            if len(shown) != 2 or not record.turns[0]["error"]:
                yield f"tool {name}: a call with {arguments} became {said!r}, which has no error"


def _form(kit: Kit) -> Iterator[str]:
    """Check that every entry of the form makes a usable reply."""
    for form, reply in _by_form(kit, iter(range(20, 30))):
        with suppress(ConfigError):
            if any(each.required for each in form.questions):
                form.read({})
                yield f"form: left empty, it gave {reply!r}; an empty form has to be refused"


def _by_form(kit: Kit, seeds: Iterator[int]) -> Iterator[tuple[Form, str]]:
    """Yield an episode's forms with random entries."""
    with closing(kit.suite.open(kit.setup())) as environment:
        shown = environment.begin()
        for seed in seeds:
            form = None if shown.done else form_of(kit.suite, kit.tasks[0], kit.choices, shown)
            if form is None:
                return
            entered = {each.id: each.example(random.Random(seed)) for each in form.questions}
            try:
                reply = form.reply(form.read(entered))
            except ConfigError:  # the form itself rejects the reply
                continue
            yield form, reply
            shown = environment.reply(reply)


def _estimate(kit: Kit) -> Iterator[str]:
    """Check calls and tokens of a run, without a key."""
    from evaluation.estimate import estimate

    found = estimate(EvalRequest(kit.suite, "openai/gpt-4o", choices={**kit.given, "tasks": kit.ids}))
    if found is None:
        yield "choices.bounds(content).replies is None: estimates need the most replies of an episode"
    elif found.replies > max(kit.most(task) or 0 for task in kit.tasks):
        yield f"an estimate counts {found.replies} replies, more than choices.bounds(content) allows"


def _judge(kit: Kit) -> Iterator[str]:
    """Check that a failing or silent judge costs no episode."""

    async def fails(model: str, text: str) -> str:
        raise EvaluationError("no answer")

    async def silent(model: str, text: str) -> str:
        return ""

    record = play(kit.setup(), kit.replies).record
    for ask in (fails, silent):
        again = asyncio.run(judged(kit.setup(), record, ask))
        if [turn["reply"] for turn in again.turns] != [turn["reply"] for turn in record.turns]:
            yield "judge(): the record that it returns has other turns"


def _run(kit: Kit) -> Iterator[str]:
    """Check an interrupted run, its report, resuming, verification, and a conversation."""
    from evaluation.evaluate import evaluate

    report = import_module("report.build").faults  # it stands to the right of this package
    choices = {**kit.given, "tasks": kit.ids, "relaunches": 0}
    for extra in ({}, {"conversation": "run"}):
        asked = EvalRequest(kit.suite, f"{kit.suite.name}/{_BREAKING}", choices={**choices, **extra})
        for broken in (kit.ids[-1:], ()):
            _broken.clear()
            _broken.update(broken)
            log = evaluate(asked, kit.folder, display="none", resume=not broken, max_samples=1)
            when = "an interrupted run" if broken else "a resumed run"
            yield from (f"{when}: {fault}" for fault in report(log, kit.folder))
        yield from _verified(log)


def _verified(log: Any) -> Iterator[str]:
    from evaluation.verify.sample import verify_sample

    if not log.complete:
        yield f"resumed, {log.finished} of {log.planned} episodes have a score"
    for source in find_sources([log.path], lambda path: False).sources:
        for checked in verify_sample(source, Options(True, None, None)):
            if checked.verdict is not Verdict.AGREES:
                why = checked.problem or "; ".join(map(str, checked.findings[:3]))
                yield f"verify: {checked.name} {checked.verdict}: {why}"


_BREAKING = "breaks-off"

_broken: set[str] = set()
"""Tasks in which that agent fails. A module global, because Inspect AI caches agents."""


async def _breaks_off(turn: AgentTurn) -> str:
    """Write garbage; fail at the second reply in a task."""
    said = sum(message.role == "assistant" for message in turn.messages)
    if said and CURRENT.get().setup.task.id in _broken:
        raise RuntimeError("broken off")
    return garbage(np.random.default_rng([turn.seed, said]))


CHECKS = {
    check.__name__.lstrip("_").replace("_", " "): check
    for check in (
        *(_data, _tasks, _texts, _wrong_replies, _ends, _determinism),
        *(_agent, _tools, _form, _judge, _estimate, _run),
    )
}
"""Checks in order."""

FIRST = ("data", "tasks", "texts")
"""Checks required by all others."""


def check_suite(
    suite: Suite, checks: Sequence[str] = tuple(CHECKS), choices: dict[str, Any] | None = None
) -> tuple[Fault, ...]:
    """Check a suite, registered or not, with options of a run. Returns no faults if it keeps its contract."""
    found: list[Fault] = []
    register(suite)
    with TemporaryDirectory() as folder, patch.dict(RUNNERS, {_BREAKING: _breaks_off}):
        try:
            kit = Kit(suite, choices or {}, Path(folder))
        except (ArenaError, AttributeError, TypeError) as error:
            return (Fault("data", f"its choices cannot be read: {error}"),)
        for name in checks:
            found += [Fault(name, said) for said in _found(CHECKS[name], kit)]
            if found and name in FIRST:
                break
    return tuple(found)


def _found(check: Callable[[Kit], Iterator[str]], kit: Kit) -> Iterator[str]:
    """Run a check; exceptions of the suite are faults too."""
    try:
        yield from check(kit)
    except Exception as error:  # any exception of a suite is a fault
        home = str(Path(str(sys.modules[type(kit.suite).__module__].__file__)).parent)
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if frame.filename.startswith(home)] or frames[-1:]
        place = f"{own[-1].filename}:{own[-1].lineno}"
        yield f"{place}: {type(error).__name__}: {' '.join(str(error).split())[:300]}"
