"""Models and policies as participants of a study, with the same conditions, blocks, texts and tasks.

Everything is in the study's database, trial by trial, so that an interrupted run continues there. The replies
of an interrupted trial are kept in the folder of the logs, and are not asked for again.
"""

import hashlib
import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import inspect_ai
from inspect_ai import Task as InspectTask
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arena.errors import ConfigError, EvaluationError
from evaluation.capabilities import player
from evaluation.engines.backend import backend, in_thread
from evaluation.episode import Reply as ModelReply
from evaluation.episode import Session
from evaluation.evaluate import check_model
from evaluation.generation.budget import Admission, RunBudget, RunLimits, admission
from evaluation.generation.generate import guard
from evaluation.generation.journal import ENDING, Journal, begin_replies, no_other_process, open_journal
from evaluation.generation.prices import set_price
from evaluation.inspect_task import interface
from evaluation.inspect_task.dialogue import Dialogue, first_messages
from evaluation.log.files import local_path, read_summaries
from evaluation.report_folder import check_writable
from evaluation.request import EvalRequest, model_name
from evaluation.suite import EpisodeSetup, ModelEnd, Player, Record
from evaluation.suites import DEFAULT, get_suite, suite_names
from llm_control.suite import task_spec
from people.play.task_source import SuiteTask
from people.play.worker_protocol import STOPPED
from people.store import Participant, Store, Trial
from people.store.participation import ORDER, Ending
from people.store.tables import Kind, Reply
from people.study.config import Block, Study, Test
from people.study.flow import advance, assigned, current_stage, finish_page
from people.study.plan import Plan, TaskStage, TextStage, arena_choices
from people.study.progress import progress_of, used_cells
from people.study.server import start_or_resume
from testbed import Task

FOR_PEOPLE = "consent, checks of picture and attention, questionnaires and breaks"
"""Parts of a study that agents skip."""

LONGEST_SLUG = 48
"""Characters of an agent's name in the codes of its participants, which may have 64."""


@dataclass(frozen=True)
class StudyAgent:
    """Agent with its full `name`, and the `plan` of its part of a study.

    Offline agents play the blocks of their own suite only, language models all.
    """

    name: str
    plan: Plan

    @property
    def suite(self) -> str | None:
        """Return an offline agent's suite; None for a language model."""
        provider = self.name.partition("/")[0]
        return provider if provider in suite_names() else None

    @cached_property
    def player(self) -> Player | None:
        """Return the player of whole episodes; None for agents that write replies."""
        return None if self.suite is None else player(get_suite(self.suite), self.name.partition("/")[2])

    @cached_property
    def arena(self) -> EvalRequest:
        """Return choices and texts for tasks of the arena."""
        suite, plays = get_suite(DEFAULT), self.player is not None and self.suite == DEFAULT
        request = EvalRequest(suite, self.name if plays else "", choices=arena_choices(self.plan.study))
        given = request.long(request.choices).items()
        effective = {name: value for name, value in given if name in suite.choices.for_players}
        return replace(request, choices=effective) if plays else request

    def setup(self, task: Task | SuiteTask, trial: int) -> EpisodeSetup:
        """Set up an episode of a task."""
        spec = task.spec if isinstance(task, SuiteTask) else task_spec(task)
        if isinstance(task, SuiteTask) and not isinstance(spec.content, Task):
            setup = task.setup(trial)
            forced = setup.suite.choices.player_defaults if self.player else {}
            return setup._replace(choices=setup.choices.model_copy(update=forced))
        request = self.arena
        return EpisodeSetup(request.suite, spec, trial, request.effective.choices, request.prompts)

    def check(self) -> None:
        """Raise ArenaError for tasks that the agent cannot play, such as those of other agents."""
        for plan in (self.plan, *self.plan.conditions.values()):
            for block, tasks in plan.tasks.items():
                setups = [self.setup(task, 0) for task in tasks]
                if block in plan.study.blocks():
                    setups[0].suite.check(self.name, [each.task for each in setups], setups[0].choices)

    def participants(self, store: Store, count: int) -> list[Participant]:
        """Draw the agent's first `count` participants, in conditions and orders as for people.

        Raises ConfigError if another agent has one of their codes.
        """
        study, slug = self.plan.study, re.sub(r"[^A-Za-z0-9_.-]+", "-", self.name).strip("-.")[-LONGEST_SLUG:]
        found = []
        for number in range(1, count + 1):
            kind: Kind = "policy" if self.suite else "model"
            person = store.add_participant(f"{slug}-{number:03}", study.name, kind=kind, agent=self.name)
            if person.agent != self.name:
                known = person.agent or "a person"
                raise ConfigError(f"participant {person.code}: is {known}; use another --db")
            if not progress_of(store, person).order:
                used = used_cells(store, study.name, agent=self.name)
                store.note(person.id, ORDER, assigned(self.plan, used, person.code, None))
            found.append(person)
        return found


def study_agent(plan: Plan, name: str) -> StudyAgent:
    """Make the agent of a name, as `arena-llm eval --model` takes it.

    Raises EvaluationError if there is none, or its key is missing, and ConfigError if it can play nothing.
    """
    suite = get_suite(provider if (provider := name.partition("/")[0]) in suite_names() else DEFAULT)
    full = model_name(suite, name)
    agent = StudyAgent(full, plan)
    agent = replace(agent, plan=_for_agents(plan, agent.suite, full))
    agent.check()
    return agent


def left_out(plan: Plan, agent: StudyAgent) -> Iterator[str]:
    """Describe differences between the agent's part and that of people."""
    mine = agent.plan.study.blocks()
    if agent.player is not None:
        yield f"{agent.name}: participants play a task identically, and differ only in condition and order."
    for name, block in plan.study.blocks().items():
        if name not in mine:
            yield f"{agent.name}: leaves out the block {name}, whose tasks are of {block.suite or DEFAULT}."
        elif block.limit_s is not None or (block.suite and getattr(block, "limit_minutes", None)):
            yield f"{agent.name}: time limits in the block {name} are for people only."


def _for_agents(plan: Plan, suite: str | None, name: str) -> Plan:
    """Make a plan without pages for people, and without blocks of other suites; None: all suites."""

    def plays(block: Block | None) -> bool:
        return block is not None and (suite is None or (block.suite or DEFAULT) == suite)

    study = plan.study
    blocks = [block for block in study.test if plays(block)]
    if not blocks:
        raise ConfigError(f"{name}: the study's test has no tasks of {suite}, the only ones that it can play")
    mine: Study = study.model_copy(
        update={
            "test": tuple(block.model_copy(update=_unlimited(block)) for block in blocks),
            "tutorial": study.tutorial if plays(study.tutorial) else None,
            "practice": study.practice if plays(study.practice) else None,
            **{"questionnaires": (), "attention": None, "picture": None},
        }
    )
    others = {key: _for_agents(each, suite, name) for key, each in plan.conditions.items()}
    return replace(plan, study=mine, conditions=others)


def _unlimited(block: Test) -> dict[str, None]:
    """Remove breaks, and time limits on a provider's answers."""
    return dict.fromkeys(("break_every", "limit_minutes") if block.suite else ("break_every",))


def instructions(block: Block) -> str:
    """Write the text of a block that agents read before each task."""
    return "\n\n".join(filter(None, (block.title, block.prompt or block.text)))


def play_study(
    plan: Plan, store: Store, agents: Sequence[StudyAgent], count: int, log_dir: Path, limits: RunLimits,
    prices: Path | None = None, report: Callable[[str], None] = print,
) -> None:  # fmt: skip
    """Let `count` participants of each agent go through a study; finished ones stay as they are.

    `report` gets a line about each agent. Raises InvalidRequest if the study has changed since others began
    it, and EvaluationError if participants could not finish; the same call continues with them.
    """
    check_writable(log_dir)
    start_or_resume(store, plan)
    unfinished: list[str] = []
    for agent in agents:
        set_price(agent.name, prices, limits.cost)
        check_model(agent.name)
    for agent in agents:
        people = agent.participants(store, count)
        going = [person for person in people if progress_of(store, person).ending is None]
        error = _played(agent, store, going, log_dir, limits) if going else None
        missing = [each for each in going if progress_of(store, each).ending is None]
        report(f"{agent.name}: {_described(store, people)}")
        if missing:
            unfinished.append(f"{agent.name}: {len(missing)} of {count} have not finished ({error})")
    if unfinished:
        raise EvaluationError("\n".join((*unfinished, "The same command continues with them.")))


def _played(
    agent: StudyAgent, store: Store, people: Sequence[Participant], log_dir: Path, limits: RunLimits
) -> str:
    """Let participants continue; return why the first one stopped, if one did."""
    study, slug = agent.plan.study, people[0].code.rpartition("-")[0]
    digest = hashlib.sha256(json.dumps(agent.plan.described(), sort_keys=True).encode()).hexdigest()
    kept = log_dir / f"{study.name}-{slug}{ENDING}"
    with no_other_process(kept):
        journal = Journal(kept, digest)
        budget = RunBudget(limits, journal.tokens, journal.cost)
        samples = [Sample(id=each.code, input=study.title) for each in people]
        with admission.using(Admission(budget)), open_journal.using(journal):
            log = inspect_ai.eval(
                InspectTask(
                    name="study",
                    dataset=MemoryDataset(samples),
                    solver=participate(agent, store),
                    fail_on_error=False,
                ),
                model=agent.name,
                metadata={"study": study.name, "sha256": digest},
                log_dir=str(log_dir),
                display="rich" if sys.stdout.isatty() else "none",
                log_buffer=1,
                log_header_only=True,
                score_display=False,
                max_samples=4 if agent.suite else None,
            )[0]
        if log.status == "cancelled":
            raise KeyboardInterrupt
        errors = [each.error for each in read_summaries(local_path(log.location)).values() if each.error]
        if not errors:
            journal.remove()
    return errors[0] if errors else "no error"


@solver
def participate(agent: StudyAgent, store: Store) -> Solver:
    """Go through the study as the participant with the sample's id."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        person = store.participant_of(agent.plan.study.name, str(state.sample_id))
        assert person is not None, "it was enrolled before"
        interface.log_every_call()
        guard(get_model())
        await admission().begin(state.uuid, person.code, patient=True)
        try:
            await _go_through(agent, store, person, state)
        finally:
            admission().end(state.uuid, progress_of(store, person).ending is not None)
        return state

    return solve


async def _go_through(agent: StudyAgent, store: Store, person: Participant, state: TaskState) -> None:
    plan = agent.plan
    while not isinstance(stage := current_stage(plan, progress_of(store, person)), Ending):
        if isinstance(stage, TaskStage):
            await _play(agent, store, person, stage, state)
            advance(plan, store, person)
        else:
            assert isinstance(stage, TextStage), "agents are asked no questions"
            finish_page(plan, store, person, stage, {})


async def _play(
    agent: StudyAgent, store: Store, person: Participant, stage: TaskStage, state: TaskState
) -> None:
    """Play a task from its beginning, and store the trial at its end."""
    trial = store.open_trial(person.id) or store.begin_episode(
        person.id, stage.position, agent.setup(stage.task, 0), stage.block_name
    )
    setup, key = agent.setup(stage.task, trial.trial), f"{person.code}/{trial.id}"
    times: list[tuple[float, float]] = []
    if agent.player is not None:
        record = await in_thread(backend().play, agent.player, setup)
    else:
        begin_replies(key, 1)
        tasks = setup.tasks or (setup.task,)
        session = Session(setup.suite, (setup.task,), setup.trial, setup.choices, setup.prompts, tasks)
        state.messages = await first_messages(session, instructions(stage.block))
        dialogue = _Dialogue(state, session)
        dialogue.use_agent(f"{state.sample_id}/{setup.task.id}", setup.trial)
        try:
            await dialogue.play()
            session.finish()
        finally:
            session.close()
        record, times = session.records[setup.task.id], dialogue.times
    _keep(store, trial, setup, record, times)
    open_journal().end(key, 1)


class _Dialogue(Dialogue):
    """Dialogue that times requests and replies; the study's database keeps the record."""

    def __init__(self, state: TaskState, session: Session) -> None:
        super().__init__(state, session)
        self.times: list[tuple[float, float]] = []

    async def ask(self) -> ModelReply | None:
        """Request the next reply."""
        asked = time.time()
        reply = await super().ask()
        self.times.append((asked, time.time()))
        return reply

    def keep(self) -> None:
        """Keep nothing: the log has the messages."""


def _keep(
    store: Store, trial: Trial, setup: EpisodeSetup, record: Record, times: Sequence[tuple[float, float]]
) -> None:
    """Store the end of a trial, and its replies."""
    now = time.time()
    for place, turn in enumerate(record.turns if setup.choices.replies == "text" else ()):
        asked, at = times[place] if place < len(times) else (now, now)
        reward = float(turn.get("reward") or 0.0)
        row = {"reply": turn["reply"], "entered": {}, "reward": reward, "shown_at": asked, "at": at}
        store.add_reply(Reply(trial_id=trial.id, turn=place, **row))
    store.finish_episode(trial.id, setup, record, STOPPED if record.model_end is ModelEnd.SOLVER else "")


def _described(store: Store, people: Iterable[Participant]) -> str:
    """Describe how many participants have finished, and how many test trials they passed."""
    every = [progress_of(store, person) for person in people]
    trials = [trial for each in every for trial in each.trials if trial.position >= 0]
    done, passed = sum(each.ending is not None for each in every), sum(bool(each.passed) for each in trials)
    return f"{done} of {len(every)} participants have finished; {passed} of {len(trials)} test trials passed"
