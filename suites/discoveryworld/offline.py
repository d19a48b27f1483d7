"""The offline agents, which know what is possible and what they have done."""

import json
from typing import Any

import numpy as np

from evaluation.current import CURRENT
from evaluation.suite import AgentTurn
from suites.discoveryworld.oracle import ORACLES
from suites.discoveryworld.replies import read_reply
from suites.discoveryworld.tools import reply_of

AGENTS = ("random", *ORACLES)

WAITING = "turn(north)"
"""What is done if nothing is left to do."""


async def agent(turn: AgentTurn) -> str | tuple[str, dict[str, Any]]:
    """The next action."""
    episode = CURRENT.get()
    known = episode.environment.known
    if turn.name == "random":
        rng = np.random.default_rng([turn.seed, len(known.turns)])
        reply = str(rng.choice(known.commands or (WAITING,)))
    else:
        reply = ORACLES[turn.name](known) or WAITING
    return ("act", _arguments(reply)) if "act" in turn.tools else reply


def _arguments(reply: str) -> dict[str, Any]:
    """The call of the tool that a reply stands for."""
    read = read_reply(reply)
    assert read.action is not None
    given = dict(zip(("arg1", "arg2"), read.arguments, strict=False))
    return dict(json.loads(reply_of({"action": read.action.verb, "notes": read.thoughts, **given})))
