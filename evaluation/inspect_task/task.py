"""A suite as a task of Inspect AI: dataset, setup, solver, scorer."""

from collections.abc import Sequence
from typing import Any

from inspect_ai import Epochs, Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageUser,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from evaluation.agents.agents import opening
from evaluation.agents.prompts import with_agent_texts
from evaluation.capabilities import prompts_of, tools_of
from evaluation.engines.backend import LocalBackend, backend, in_thread
from evaluation.episode import Session, conversation_order, play
from evaluation.generation.budget import admission
from evaluation.generation.faults import guard
from evaluation.generation.journal import begin_replies, open_journal
from evaluation.generation.stops import refuse_restart
from evaluation.inspect_task.dialogue import close_dialogue, dialogue_of, open_dialogue
from evaluation.inspect_task.inspect_options import ChosenTask
from evaluation.inspect_task.interface import log_every_call
from evaluation.inspect_task.scoring import episode_score, replies, total_reward
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
    finished = close_dialogue(state)
    admission().end(state.uuid, finished)
    if finished:
        open_journal().end(str(state.sample_id), state.epoch)


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
        dialogue = open_dialogue(state, session)
        if player is not None:
            state.messages = [ChatMessageUser(content=player.describe(played[0]))]
        else:
            # Made by this thread, which draws a demonstration's pictures.
            await dialogue.open(opening(session.suite, choices, prompts, len(played)))
        if choices.replies == "tools":
            tools = tools_of(session.suite)
            state.tools = [tools[name]() for name in choices.tool_names]
        return state

    return solve


@solver
def play_episode(suite: str, choices: Any) -> Solver:
    """The loop of observation, reply and action."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        dialogue, model = dialogue_of(state), str(get_model())
        session = dialogue.session
        if (player := player_of(session.suite, model, choices)) is not None:
            await _play(session, state, player, model)
        else:
            dialogue.use_agent()
            await play(session, dialogue)
        dialogue.keep()
        return state

    return solve


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
