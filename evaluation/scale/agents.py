"""The reference agents of every suite: two that the runner has, and the suite's own by their roles."""

import numpy as np

from evaluation.scale.references import scale_of
from evaluation.suite import Agent, AgentTurn, Suite

LETTERS = tuple("bcdfghjklmnpqrstvwxz")
"""Letters of garbage: without vowels and digits no command, name or number of a suite comes out."""

MARKS = ("", "", "", ";", ",", ".", ":", "!", "?", "()", "[]", "{}", "<>", '"', "=")
"""Characters behind a word of garbage."""


def garbage(rng: np.random.Generator) -> str:
    """1 to 40 random words that no suite can use."""
    return " ".join(
        "".join(rng.choice(LETTERS, rng.integers(1, 10))) + str(rng.choice(MARKS))
        for _ in range(rng.integers(1, 41))
    )


async def _silent(turn: AgentTurn) -> str:
    return ""


async def _garbage(turn: AgentTurn) -> str:
    replies = sum(message.role == "assistant" for message in turn.messages)
    return garbage(np.random.default_rng([turn.seed, replies]))


RUNNERS: dict[str, Agent] = {"silent": _silent, "garbage": _garbage}
"""The agents that every suite has: empty replies, and random text without a usable command."""


def agent_names(suite: Suite) -> tuple[str, ...]:
    """The names of all offline agents of a suite, for messages."""
    scale = scale_of(suite)
    return tuple(dict.fromkeys((*suite.agents, *(scale.agents if scale else ()), *RUNNERS)))


def offline_agent(suite: Suite, name: str) -> Agent | None:
    """The offline agent of a name or of a role; None if there is none. Raises as `Suite.agent` does."""
    if name in RUNNERS:
        return RUNNERS[name]
    scale = scale_of(suite)
    own = scale.agents.get(name, name) if scale else name
    agent = suite.agent(own)
    if agent is None or own == name:
        return agent

    async def in_role(turn: AgentTurn) -> "str | tuple[str, dict[str, object]]":
        return await agent(turn._replace(name=own))

    return in_role
