"""Reference agents: random or optimal designs, and optimal answers.

They know the exact posterior, which the episode has anyway. As novices they know what a model knows: the
explanation, which states the posterior means of the parameters. `prior-only` repeats one experiment, ignores
its outcome, and always gives the best answers without experiments.
"""

import json
import re
from functools import partial

import numpy as np

from evaluation.engines.backend import CURRENT
from evaluation.suite import AgentTurn
from suites.boxing.episode import NOVICE, Episode
from suites.boxing.outcomes import Floats
from suites.boxing.posterior import best_design

PRIOR_ONLY, IDEAL = "prior-only", "ideal"

NOTHING = "Nothing was learnt."
"""Explanation of an agent that ignores all outcomes."""


async def _agent(turn: AgentTurn) -> str:
    """Reply to the request."""
    return await CURRENT.get().compute(partial(replied, turn.name, turn.seed, turn.messages[-1].text))


AGENTS = dict.fromkeys((PRIOR_ONLY, "random", "eig", IDEAL), _agent)
"""Prior-only, and perfect inference after `random` or best experiments (`eig`, also `ideal`)."""


def replied(name: str, seed: int, shown: str, episode: Episode) -> str:
    """Compute an agent's reply in an episode; `shown` is the last message."""
    request = episode.request
    if request.kind == "act":
        return f"<observe>{episode.world.written(_design(episode, name, seed))}</observe>"
    if request.kind == "explain":
        return f"<answer>{NOTHING if name == PRIOR_ONLY else explained(episode)}</answer>"
    if name == PRIOR_ONLY:
        answers = episode.questions.without
    elif request.evaluation == NOVICE:
        answers = _from_explanation(episode, shown)
    else:
        answers = episode.questions.best(episode.posterior)
    rows = (", ".join(f"{value:.10g}" for value in answers[k]) for k in request.questions)
    return f"<answer>{'; '.join(rows)}</answer>"


def explained(episode: Episode) -> str:
    """Write the explainer's explanation."""
    theta, weights = episode.posterior.cloud
    # Sources have no order, so means over particles are meaningless: state the best answer.
    asks = episode.questions.goal.asks
    means = episode.questions.best(episode.posterior)[0] if asks else weights @ theta
    return f"Posterior means of the parameters: {json.dumps([float(f'{value:.6g}') for value in means])}"


def _design(episode: Episode, name: str, seed: int) -> Floats:
    if name in ("eig", IDEAL):
        return best_design(episode.world, episode.posterior, episode.goal)
    if name == PRIOR_ONLY:
        return np.asarray(episode.world.designs()[0])
    return episode.world.random_design(np.random.default_rng([seed, episode.request.evaluation]))


def _from_explanation(episode: Episode, shown: str) -> Floats:
    """Compute the best answers if the stated parameters are true."""
    stated = re.search(r"means of the parameters: (\[.*?\])", shown)
    if stated is None:
        raise ValueError("the explanation states no parameters")
    values, questions = np.array([json.loads(stated[1])]), episode.questions
    return values if questions.goal.asks else questions.best_for(values)
