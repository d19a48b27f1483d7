"""A suite as a task of Inspect AI: dataset, setup, solver, scorer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from inspect_ai import Epochs, Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    Model,
    ModelOutput,
    execute_tools,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arena.geometry.layout import episode_rng
from evaluation.agents.agents import Calls, CallStopped, ReplyingAgent, agent_of
from evaluation.agents.prompts import with_agent_texts
from evaluation.agents.replies import read_reply
from evaluation.capabilities import prompts_of, tools_of
from evaluation.engines.backend import LocalBackend, backend, in_thread
from evaluation.generation.budget import admission
from evaluation.generation.faults import guard
from evaluation.generation.generate import generate_config
from evaluation.generation.journal import begin_replies, open_journal
from evaluation.generation.memory import ImageBudget
from evaluation.generation.stops import FinalError, refuse_restart, remember, stop_of
from evaluation.inspect_task.inspect_options import ChosenTask
from evaluation.inspect_task.interface import log_every_call
from evaluation.inspect_task.scoring import (
    ask_other,
    episode_score,
    judge_episodes,
    keep_records,
    replies,
    total_reward,
)
from evaluation.inspect_task.session import Session, close_session, open_session, session_of
from evaluation.log.run import CONVERSATION
from evaluation.prompts import PromptSet
from evaluation.request import player_of
from evaluation.scale.references import scale_of
from evaluation.suite import EpisodeSetup, Player, Record, Suite, TaskSpec
from evaluation.suites import get_suite


def make_task(
    suite: Suite,
    tasks: Sequence[TaskSpec],
    choices: Any,
    prompts: PromptSet,
    version: str = "0",
) -> Task:
    """An Inspect task over the tasks of a suite, each played `choices.trials` times.

    The setup begins the episode, so any solver or agent that calls the suite's tools can take the solver's
    place. `version` is that of the suite's tasks.
    """
    return ChosenTask(
        choices,
        name=suite.task_name,
        version=version,
        # What a log's scores mean, beside the version of the tasks.
        metadata={"scoring": scale.scoring} if (scale := scale_of(suite)) else None,
        dataset=MemoryDataset(_samples(tuple(tasks), choices), name=suite.task_name),
        setup=begin_episode(suite.name, tuple(tasks), choices, prompts.texts()),
        solver=play_episode(suite.name, choices),
        scorer=[episode_score(), total_reward(), replies()],
        cleanup=_cleanup,
        epochs=Epochs(choices.trials, []),
        fail_on_error=False,
        token_limit=choices.max_tokens_per_episode,
        cost_limit=choices.max_cost_per_episode,
        time_limit=choices.time_limit_per_episode,
    )


def _samples(tasks: tuple[TaskSpec, ...], choices: Any) -> list[Sample]:
    if choices.conversation == "episode":
        return [_sample(each) for each in tasks]
    ids = [each.id for each in tasks]
    metadata = {"tasks": ids, "groups": {each.id: each.group for each in tasks}}
    return [Sample(id=CONVERSATION, input=f"{len(ids)} tasks", target="pass marks", metadata=metadata)]


def _sample(task: TaskSpec) -> Sample:
    metadata = {"group": task.group, "sha256": task.sha256, **task.metadata}
    return Sample(id=task.id, input=f"Task {task.id}", target=task.target or "none", metadata=metadata)


async def _cleanup(state: TaskState) -> None:
    finished = close_session(state)
    admission().end(state.uuid, finished)
    if finished:
        open_journal().end(str(state.sample_id), state.epoch)


def conversation_order(choices: Any, tasks: tuple[TaskSpec, ...], trial: int) -> tuple[TaskSpec, ...]:
    """The tasks of one conversation in the order in which they are played."""
    if choices.order == "listed":
        return tasks
    rng: np.random.Generator = episode_rng(choices.seed, "conversation", trial)
    return tuple(tasks[i] for i in rng.permutation(len(tasks)))


@solver
def begin_episode(suite: str, tasks: tuple[TaskSpec, ...], choices: Any, texts: dict[str, str]) -> Solver:
    """Opens the episode and writes the first messages, before any solver; `texts` are the prompts."""
    prompts = with_agent_texts(prompts_of(get_suite(suite)), choices).with_texts(texts)
    by_id = {each.id: each for each in tasks}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        refuse_restart(state)
        log_every_call()
        sample, patient = str(state.sample_id), choices.time_limit_per_episode is None
        kept = begin_replies(sample, state.epoch)
        await admission().begin(state.uuid, sample, patient, kept.count, kept.cost)
        # Any other solver's requests too.
        guard(get_model())
        player = player_of(get_suite(suite), str(get_model()), choices)
        trial = state.epoch - 1
        if choices.conversation == "run":
            played = conversation_order(choices, tasks, trial)
            state.metadata["order"] = [each.id for each in played]
        else:
            played = (by_id[str(state.sample_id)],)
        session = Session(get_suite(suite), played, trial, choices, prompts, tasks)
        open_session(state, session)
        if player is not None:
            state.messages = [ChatMessageUser(content=player.describe(played[0]))]
        else:
            state.messages = await session.in_thread(session.opening)
        if choices.replies == "tools":
            tools = tools_of(session.suite)
            state.tools = [tools[name]() for name in choices.tool_names]
        return state

    return solve


@solver
def play_episode(suite: str, choices: Any) -> Solver:
    """The loop of observation, reply and action."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        session, model = session_of(state), get_model()
        if (player := player_of(session.suite, str(model), choices)) is not None:
            await _play(session, state, player, str(model))
            return state
        agent = _agent(state, session, model)
        while session.wants_reply:
            other = session.asks
            try:
                asked = agent.reply(state.messages) if other is None else ask_other(session, state)
                output = await asked
            except FinalError as error:
                remember(state, error)
                raise
            except CallStopped as stopped:
                state.metadata["stopped"] = stopped.stop
                break
            state.output = output if other is None else state.output
            state.messages.append(output.message)
            if (stop := stop_of(output)) is not None:
                state.metadata["stopped"] = stop
                break
            played = len(session.records)
            state.messages += await _answers(session, state, output)
            if len(session.records) > played:
                await judge_episodes(session, state)
                # What is finished is in the log, whatever becomes of the rest of a conversation.
                keep_records(state, session)
        keep_records(state, session)
        return state

    return solve


def _agent(state: TaskState, session: Session, model: Model) -> ReplyingAgent:
    """What asks for the replies of a sample; what the log keeps of it goes to the sample's metadata."""
    choices = session.choices
    calls = Calls(
        model,
        choices,
        session.prompts,
        state.tools,
        generate_config(model, choices, str(state.sample_id), state.epoch - 1),
        ImageBudget(choices.images),
        opening=len(state.messages) - 1,
    )
    agent = agent_of(calls, session.most_replies)
    if choices.agent != "direct":
        state.metadata["agent"] = calls.log
    return agent


async def _answers(session: Session, state: TaskState, output: ModelOutput) -> list[ChatMessage]:
    """What came of a reply, as messages."""
    if session.choices.replies == "text":
        text = read_reply(output.completion, session.choices).action
        return [session.message(await session.in_thread(session.reply, text))]
    if output.message.tool_calls:
        messages = (await execute_tools(state.messages, state.tools)).messages
        # The line of the last call's observation stands for no other one.
        messages[-1].metadata = session.about
        return messages
    return [session.message(await session.in_thread(session.refuse, output.completion))]


async def _play(session: Session, state: TaskState, player: Player, model: str) -> None:
    """Let an agent play the sample's episode by itself, and put it into what the log keeps."""
    chosen = backend()
    task = session.tasks[0]
    waits = chosen.remote or (isinstance(chosen, LocalBackend) and chosen.processes > 0)
    setup: EpisodeSetup = session.setup(task)
    record: Record = await in_thread(chosen.play, player, setup, wait=waits)
    session.records[task.id] = record
    for turn in record.turns:
        told = ", ".join(f"{name} {value:g}" for name, value in turn.items() if type(value) in (int, float))
        state.messages += [ChatMessageAssistant(content=str(turn["reply"])), ChatMessageUser(content=told)]
    state.output = ModelOutput.from_content(model, record.outcome)
    state.metadata["policy"] = player.facts()
    keep_records(state, session)
