"""An episode of an offline agent with its messages as in an evaluation, though nothing is logged."""

import asyncio
from contextlib import closing
from typing import Any, NamedTuple

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    ContentText,
)
from inspect_ai.tool import ToolCall

from arena.errors import EvaluationError
from evaluation.agents.agents import opening
from evaluation.capabilities import reply_of
from evaluation.engines.backend import CURRENT, CurrentEpisode
from evaluation.inspect_task.dialogue import content, joined
from evaluation.scale.references import agent_names, offline_agent
from evaluation.suite import (
    Agent,
    AgentTurn,
    Environment,
    EpisodeSetup,
    Observation,
    Part,
    Record,
    agent_seed,
)


class Transcript(NamedTuple):
    """All messages of an episode, the last of which says how it ended, and its record."""

    messages: list[ChatMessage]
    record: Record


def transcript(setup: EpisodeSetup, name: str) -> Transcript:
    """The episode of an agent by its name, without pictures if the setup draws none.

    Raises EvaluationError for an agent that answers no messages, or as the suite does.
    """
    agent = offline_agent(setup.suite, name)
    if agent is None:
        known = ", ".join(each for each in agent_names(setup.suite) if offline_agent(setup.suite, each))
        raise EvaluationError(f"agent: got {name!r}, expected one of: {known}")
    with closing(setup.suite.open(setup)) as environment:
        return asyncio.run(_Played(setup, environment).by(agent, name))


class _Played:
    """An episode that is being played, and its messages so far."""

    def __init__(self, setup: EpisodeSetup, environment: Environment) -> None:
        self._setup, self._environment = setup, environment
        self._messages: list[ChatMessage] = []
        self._call: ToolCall | None = None

    async def by(self, agent: Agent, name: str) -> Transcript:
        """Play to the end."""
        setup = self._setup
        suite, choices, task = setup.suite, setup.choices, setup.task
        CURRENT.set(CurrentEpisode(setup, self._environment))
        tools = choices.tool_names if choices.replies == "tools" else ()
        seed = agent_seed(choices.seed, task.id, setup.trial)
        self._messages += opening(suite, choices, setup.prompts, 1)
        now = self._environment.begin()
        self._show(now.parts)
        self._messages = joined(self._messages, setup.prompts.layout)
        while not now.done:
            said = await agent(AgentTurn(name, self._messages, tools, seed))
            now = self._play(said, refused=bool(tools))
            if not now.done:
                self._show(now.parts)
        record = self._environment.finish()
        self._show((f"{record.summary}\n\n{setup.prompts['episode_last'].fill()}",))
        return Transcript(self._messages, record)

    def _play(self, said: str | tuple[str, dict[str, Any]], refused: bool) -> Observation:
        """Add the message of a text or a call, and play it; a text is refused where a call is wanted."""
        self._call = None
        if isinstance(said, str):
            self._messages.append(ChatMessageAssistant(content=said))
            if refused:
                return self._environment.refuse(said, self._setup.prompts["no_call"].fill())
            return self._environment.reply(said)
        tool, arguments = said
        self._call = ToolCall(id=f"call_{len(self._messages)}", function=tool, arguments=arguments)
        self._messages.append(ChatMessageAssistant(content="", tool_calls=[self._call]))
        return self._environment.reply(reply_of(self._setup.suite, tool, arguments))

    def _show(self, parts: tuple[Part, ...]) -> None:
        shown: list[ContentText | ContentImage] = content(
            [part for part in parts if self._setup.draws or isinstance(part, str)], self._setup.choices
        )
        call = self._call
        self._messages.append(
            ChatMessageUser(content=list(shown))
            if call is None
            else ChatMessageTool(content=list(shown), tool_call_id=call.id, function=call.function)
        )
