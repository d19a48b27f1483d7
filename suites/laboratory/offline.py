"""Reference agents: exact inference after best, random or no experiments."""

from functools import partial

import numpy as np

from arena.science import TIE
from arena.science.words import numbers_of
from evaluation.engines.backend import CURRENT
from evaluation.script import Listed
from evaluation.suite import AgentTurn
from suites.laboratory.episode import Episode


async def _agent(turn: AgentTurn) -> str:
    """Reply to the request."""
    return await CURRENT.get().compute(partial(replied, turn.name, turn.seed))


AGENTS = dict.fromkeys(("ideal", "random", "prior-only"), _agent)
"""Reference agents.

`ideal`: the best experiments until a door is sure; `random`: any ones as long as there are some, with exact
inference; `prior-only`: the first door immediately.
"""


def replied(name: str, seed: int, episode: Episode) -> str:
    """Compute an agent's reply in an episode."""
    hidden, probabilities = episode.hidden, episode.hidden.of_doors(episode.belief)
    if episode.predicts:
        return str(Listed("Belief", tuple(np.round(probabilities, 4).tolist())))
    if name == "prior-only" or not episode.experiments_left or (name == "ideal" and _is_done(episode)):
        return str(Listed("Open", (int(probabilities.argmax()) + 1,)))
    if name == "ideal":
        experiment = hidden.best(episode.belief)
    else:
        rng = np.random.default_rng([seed, len(episode.history)])
        experiment = int(rng.integers(len(hidden.likelihood)))
    return str(Listed("Try", numbers_of(episode.question, experiment)))


def _is_done(episode: Episode) -> bool:
    """Return whether a door is sure, or experiments are uninformative."""
    hidden, belief = episode.hidden, episode.belief
    return bool(hidden.of_doors(belief).max() >= 0.99 or hidden.about_everything(belief).max() <= TIE)
