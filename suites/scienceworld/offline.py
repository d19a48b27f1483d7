"""Offline agents: the gold path, and random valid commands."""

from typing import Any

import numpy as np

from evaluation.engines.backend import CURRENT
from evaluation.suite import AgentTurn
from suites.scienceworld.episode import Episode

WAITING = "look around"
"""Command after a gold path that missed the full score."""


async def _agent(turn: AgentTurn) -> str | tuple[str, dict[str, Any]]:
    """Choose the next command."""
    episode = CURRENT.get()
    steps: int = episode.environment.known
    if turn.name == "gold":
        path = await episode.compute(Episode.gold_path)
        command = path[steps] if steps < len(path) else WAITING
    else:
        actions = await episode.compute(Episode.valid_actions)
        command = str(np.random.default_rng([turn.seed, steps]).choice(actions))
    return ("act", {"command": command}) if "act" in turn.tools else command


AGENTS = dict.fromkeys(("gold", "random-valid"), _agent)
"""Gold path, and random valid commands."""
