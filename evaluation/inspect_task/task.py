"""The evaluation as a task of Inspect AI: dataset, setup, solver, scorer."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageUser, ModelOutput, execute_tools, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from evaluation.choices.effective import effective
from evaluation.engines.players import played as played_by_policy
from evaluation.generation.budget import purse
from evaluation.generation.faults import guard
from evaluation.generation.generate import ask, generate_config
from evaluation.generation.image_budget import ImageBudget
from evaluation.generation.journal import Journal
from evaluation.generation.memory import sent
from evaluation.inspect_task.errors import refusing
from evaluation.inspect_task.naming import of_distribution
from evaluation.inspect_task.scoring import keep_records, pass_mark
from evaluation.inspect_task.session import Session
from llm_control.acting import check_policy, tell
from llm_control.acting import opening as acting_opening
from llm_control.choices import Protocol
from llm_control.prompts import PromptSet, prompt_set
from llm_control.selection import conversation_order, select
from llm_control.tools import TOOLS, close_session, open_session, session_of
from testbed import Task as BatteryTask

CONVERSATION = "conversation"
"""Id of the one sample that plays all tasks, where the protocol has one conversation."""


@task(name="testbed")
@of_distribution
@refusing
def testbed(
    protocol: str | None = None,
    folder: str | None = None,
    prompt: str | None = None,
    journal: str | None = None,
    **choices: Any,
) -> Task:
    """The battery, for `inspect eval arena_llm/testbed -T levels=1-3`.

    `protocol` is a preset's name or a file, `folder` one of task files, `prompt` a file in the place of the
    system prompt. `journal` is a file for the replies of one long conversation, so that it can be continued.
    `choices` are those of `Protocol`, and `icl` for the demonstration. Raises ConfigError for wrong ones.
    """
    played = effective(protocol, choices).protocol
    tasks = select(played, Path(folder) if folder else None)
    prompts = prompt_set(Path(prompt) if prompt else None)
    return make_task(tasks, played, prompts, Path(journal) if journal else None)


def make_task(
    tasks: Sequence[BatteryTask], protocol: Protocol, prompts: PromptSet, journal: Path | None = None
) -> Task:
    """An Inspect task over battery tasks, each played `protocol.trials` times.

    The setup begins the episode, so any solver or agent that calls the tools `act`, `go` or `turn` can take
    the solver's place.
    """
    return Task(
        name="testbed",
        dataset=MemoryDataset(_samples(tuple(tasks), protocol), name="testbed"),
        setup=begin_episode(tuple(tasks), protocol, prompts),
        solver=play_episode(protocol, journal),
        scorer=pass_mark(),
        cleanup=_cleanup,
        epochs=Epochs(protocol.trials, []),
        fail_on_error=False,
        token_limit=protocol.max_tokens_per_episode,
        cost_limit=protocol.max_cost_per_episode,
        time_limit=protocol.time_limit_per_episode,
    )


def _samples(tasks: tuple[BatteryTask, ...], protocol: Protocol) -> list[Sample]:
    if protocol.conversation == "episode":
        return [_sample(each) for each in tasks]
    ids = [each.id for each in tasks]
    return [Sample(id=CONVERSATION, input=f"{len(ids)} tasks", target="pass marks", metadata={"tasks": ids})]


def _sample(battery_task: BatteryTask) -> Sample:
    mark = battery_task.spec.pass_mark
    return Sample(
        id=battery_task.id,
        input=f"Task {battery_task.id}",
        target="unmarked" if mark is None else f"{mark:g}",
        metadata={"level": battery_task.level, "sha256": battery_task.sha256, "pass_mark": mark},
    )


async def _cleanup(state: TaskState) -> None:
    close_session(state)


@solver
def begin_episode(tasks: tuple[BatteryTask, ...], protocol: Protocol, prompts: PromptSet) -> Solver:
    """Builds the arena and writes the first messages, before whatever solver plays."""
    by_id = {each.id: each for each in tasks}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        purse().check()
        guard(get_model())
        policy = check_policy(str(get_model()), protocol)
        trial = state.epoch - 1
        if protocol.conversation == "run":
            played = conversation_order(protocol, tasks, trial)
            state.metadata["order"] = [each.id for each in played]
        else:
            played = (by_id[str(state.sample_id)],)
        session = Session(played, trial, protocol, prompts, tasks)
        open_session(state, session)
        state.messages = acting_opening(played[0], policy) if policy else await session.apart(session.opening)
        if protocol.replies == "tools":
            state.tools = [TOOLS[name]() for name in protocol.tools]
        return state

    return solve


@solver
def play_episode(protocol: Protocol, journal: Path | None = None) -> Solver:
    """The loop of observation, reply and action.

    Physics and drawing of this process run on the event loop itself: both keep state that must not change
    threads, and a script takes milliseconds beside a model's seconds.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        session, model = session_of(state), get_model()
        if (policy := check_policy(str(model), protocol)) is not None:
            task = session.tasks[0]
            record = await played_by_policy(policy.path, policy.sha256, task, session.trial, protocol)
            session.records[task.id] = record
            tell(state, record, policy, str(model))
            keep_records(state, session)
            return state
        config = generate_config(model, protocol, str(state.sample_id), state.epoch - 1)
        images = ImageBudget(protocol.images)
        kept = Journal(journal, str(state.sample_id), state.epoch)
        opening = len(state.messages) - 1
        while session.wants_reply:
            output = kept.next()
            if output is None:
                messages = sent(state.messages, opening, protocol.memory_turns)
                output, config = await ask(model, messages, state.tools, config, images)
                kept.keep(output)
            state.output = output
            state.messages.append(output.message)
            played = len(session.records)
            state.messages += await _answers(session, state, output)
            if len(session.records) > played:
                # What is finished is in the log, whatever becomes of the rest of a conversation.
                keep_records(state, session)
                if session.wants_reply:
                    purse().check()
        keep_records(state, session)
        return state

    return solve


async def _answers(session: Session, state: TaskState, output: ModelOutput) -> list[ChatMessage]:
    """What came of a reply, as messages."""
    if session.protocol.replies == "text":
        return [ChatMessageUser(content=list(await session.apart(session.reply, output.completion)))]
    if output.message.tool_calls:
        return (await execute_tools(state.messages, state.tools)).messages
    return [ChatMessageUser(content=list(await session.apart(session.refuse, output.completion)))]
