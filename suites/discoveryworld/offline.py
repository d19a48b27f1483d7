"""Offline agents, which know possible actions and their own past."""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from evaluation.engines.backend import CURRENT
from evaluation.suite import AgentTurn, Environment
from suites.discoveryworld.catalogue import THEMES
from suites.discoveryworld.replies import read_reply
from suites.discoveryworld.scripts import played
from suites.discoveryworld.scripts.player import WAITING

_planned: WeakKeyDictionary[Environment, list[str]] = WeakKeyDictionary()
"""Replies of scripts, which play each episode once before."""


async def _agent(turn: AgentTurn) -> str | tuple[str, dict[str, Any]]:
    """Choose the next action."""
    episode = CURRENT.get()
    environment = episode.environment
    known = environment.known
    if turn.name == "random":
        rng = np.random.default_rng([turn.seed, len(known.turns)])
        reply = str(rng.choice(known.commands or (WAITING,)))
    else:
        if environment not in _planned:
            setup = episode.setup
            theme = str(setup.task.content["kind"]).rpartition("-")[0]
            script = theme if turn.name == "ideal" else turn.name
            _planned[environment] = await episode.compute(lambda _: played(script, setup).replies)
        rest = _planned[environment][len(known.turns) :]
        reply = rest[0] if rest else WAITING
    return ("act", _arguments(reply)) if "act" in turn.tools else reply


def _arguments(reply: str) -> dict[str, Any]:
    """Convert a reply to its tool call."""
    read = read_reply(reply)
    assert read.action is not None
    given = dict(zip(("arg1", "arg2"), read.arguments, strict=False))
    return {"action": read.action.verb, **({"notes": read.thoughts} if read.thoughts else {}), **given}


AGENTS = dict.fromkeys(("random", *THEMES, "ideal"), _agent)
"""Random actions, and scripts that solve a theme."""
