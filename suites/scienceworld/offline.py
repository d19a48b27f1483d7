"""The offline agents: the gold path, and a random valid command."""

from functools import partial
from typing import Any

import numpy as np

from evaluation.engines.backend import CURRENT
from evaluation.suite import AgentTurn
from suites.scienceworld.episode import EASY, gold_path, valid_actions

WAITING = "look around"
"""What is done after the end of the gold path, if that did not reach the full score."""


async def _agent(turn: AgentTurn) -> str | tuple[str, dict[str, Any]]:
    """The next command."""
    episode = CURRENT.get()
    known, task = episode.environment.known, episode.setup.task.content
    if turn.name == "gold":
        simplifications = EASY[episode.setup.choices.simplifications]
        asked = partial(gold_path, known.key, task["name"], task["variation"], simplifications)
        path = await episode.compute(asked)
        command = path[known.steps] if known.steps < len(path) else WAITING
    else:
        actions = await episode.compute(partial(valid_actions, known.key))
        command = str(np.random.default_rng([turn.seed, known.steps]).choice(actions))
    return ("act", {"command": command}) if "act" in turn.tools else command


AGENTS = dict.fromkeys(("gold", "random-valid"), _agent)
"""The gold path, and a random valid command."""
