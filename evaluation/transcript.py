"""Transcripts of offline agents' episodes, as in an evaluation but unlogged."""

import asyncio
from contextlib import closing
from typing import Any, NamedTuple

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ChatMessageUser
from inspect_ai.tool import ToolCall

from arena.errors import EvaluationError
from evaluation.agents.agents import opening
from evaluation.capabilities import prompts_of, reply_of
from evaluation.engines.backend import CURRENT, CurrentEpisode
from evaluation.inspect_task.dialogue import content, joined
from evaluation.scale.references import agent_names, offline_agent
from evaluation.suite import (
    Agent,
    AgentTurn,
    Environment,
    EpisodeSetup,
    Part,
    Record,
    Suite,
    TaskSpec,
    agent_seed,
)


class Transcript(NamedTuple):
    """Record and messages of an episode, the last with its outcome."""

    messages: list[ChatMessage]
    record: Record


def transcript(setup: EpisodeSetup, name: str) -> Transcript:
    """Play an agent's episode by name, without pictures unless drawn. Raises EvaluationError for an agent
    that answers no messages, or as the suite does."""
    agent = offline_agent(setup.suite, name)
    if agent is None:
        known = ", ".join(each for each in agent_names(setup.suite) if offline_agent(setup.suite, each))
        raise EvaluationError(f"agent: got {name!r}, expected one of: {known}")
    with closing(setup.suite.open(setup)) as environment:
        return asyncio.run(_played(setup, environment, agent, name))


async def _played(setup: EpisodeSetup, environment: Environment, agent: Agent, name: str) -> Transcript:
    """Play to the end."""
    suite, choices, prompts = setup.suite, setup.choices, setup.prompts
    CURRENT.set(CurrentEpisode(setup, environment))
    tools = choices.tool_names if choices.replies == "tools" else ()
    seed = agent_seed(choices.seed, setup.task.id, setup.trial)
    rules, call = opening(suite, choices, prompts, 1), None
    now = environment.begin()
    messages = joined([*rules, _shown(setup, now.parts, call)], prompts.layout)
    while not now.done:
        said = await agent(AgentTurn(name, messages, tools, seed))
        if isinstance(said, str):
            call = None
            messages.append(ChatMessageAssistant(content=said))
            # A text is refused if a call is wanted.
            refused = prompts["no_call"].fill() if tools else None
            now = environment.reply(said) if refused is None else environment.refuse(said, refused)
        else:
            call = ToolCall(id=f"call_{len(messages)}", function=said[0], arguments=said[1])
            messages.append(ChatMessageAssistant(content="", tool_calls=[call]))
            now = environment.reply(reply_of(suite, *said))
        if not now.done:
            messages.append(_shown(setup, now.parts, call))
    record = environment.finish()
    messages.append(_shown(setup, (f"{record.summary}\n\n{prompts['episode_last'].fill()}",), call))
    return Transcript(messages, record)


def _shown(setup: EpisodeSetup, parts: tuple[Part, ...], call: ToolCall | None) -> ChatMessage:
    """Make the message of an observation, or the result of a call."""
    shown = content([part for part in parts if setup.draws or isinstance(part, str)], setup.choices)
    if call is None:
        return ChatMessageUser(content=list(shown))
    return ChatMessageTool(content=list(shown), tool_call_id=call.id, function=call.function)


def play(suite: Suite, agent: str, task: TaskSpec, choices: Any, trial: int = 0) -> Record:
    """Play an offline agent's episode without pictures, by logged replies. Raises EvaluationError for an
    unknown agent, or as the suite does."""
    setup = EpisodeSetup(suite, task, trial, choices, prompts_of(suite, choices), draws=False)
    return transcript(setup, agent).record
