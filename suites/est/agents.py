"""Reference agents for a batch of episodes: the paper's and further ones.

Each sees what a model sees: a panel and its light, step by step. It answers with a belief (episodes, 9) in
[0, 1] and a trial (episodes, 9) bool.
"""

from collections.abc import Callable
from math import comb
from typing import Any, NamedTuple, Protocol

import numpy as np

from suites.est.world import MEMBERS, OBJECTS, Bools, Floats, Oracle, Preset, Sets, sets_of


class Answer(NamedTuple):
    """Belief and next trial of an agent."""

    beliefs: Floats
    trials: Bools


class Agent(Protocol):
    """Agent in a batch of episodes that begin together."""

    def act(self, panels: Bools, lights: Bools) -> Answer:
        """Answer the present panels."""


class RandomAgent:
    """Random agent: believes by a coin per object, and tries by another."""

    def __init__(self, episodes: int, rng: np.random.Generator) -> None:
        self._shape, self._rng = (episodes, OBJECTS), rng

    def act(self, panels: Bools, lights: Bools) -> Answer:
        """Answer the present panels."""
        beliefs = self._rng.integers(0, 2, self._shape).astype(np.float64)
        return Answer(beliefs, self._rng.random(self._shape) < 0.5)


class Naive:
    """Naive agent: believes in objects on lit machines; tries one by one.

    Beliefs begin as hundredths drawn from 0.40 to 0.60 and change by 0.2, up to 0.98 and down to 0; an object
    alone on the machine is known, 1 or 0. A light changes neither of the two, darkness lowers known ones too.
    The first object that is not nearly known is tried next (the public code of the paper, `lazy_trial_input`
    of mjtsu/IVRE).
    """

    def __init__(self, episodes: int, rng: np.random.Generator) -> None:
        self._beliefs = rng.integers(40, 61, (episodes, OBJECTS)) / 100

    def act(self, panels: Bools, lights: Bools) -> Answer:
        """Answer the present panels."""
        before = self._beliefs
        alone = (panels.sum(axis=1) == 1)[:, None]
        raised = np.where(alone, 1.0, np.minimum(before + 0.2, 0.98))
        lit = np.where((before > 0) & (before < 0.99), raised, before)
        dark = np.where(alone, 0.0, np.maximum(before - 0.2, 0))
        self._beliefs = np.where(panels, np.where(lights[:, None], lit, dark), before)
        unsure = (self._beliefs > 0.2) & (self._beliefs < 0.99)
        return Answer(self._beliefs.copy(), single(unsure.argmax(axis=1), unsure.any(axis=1)))


class Bayes:
    """Bernoulli naive Bayes from panels to the light; tries at random.

    The belief in an object is the posterior probability of a lit machine for the panel of that object alone,
    with one added to every count. The paper only names the method, and no tested variant reproduces its row.
    """

    def __init__(self, episodes: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._on = np.zeros((episodes, 2, OBJECTS))
        self._seen = np.zeros((episodes, 2))

    def act(self, panels: Bools, lights: Bools) -> Answer:
        """Answer the present panels."""
        light = lights.astype(np.int64)
        row = np.arange(len(light))
        self._on[row, light] += panels
        self._seen[row, light] += 1
        shares = (self._on + 1) / (self._seen + 2)[..., None]
        classes = (self._seen + 1) / (self._seen.sum(axis=1, keepdims=True) + 2)
        # For the panel of object k alone: k is present and all others are absent.
        absent = np.log(1 - shares)
        joint = absent.sum(axis=2, keepdims=True) - absent + np.log(shares) + np.log(classes)[..., None]
        dark, lit = joint[:, 0], joint[:, 1]
        return Answer(1 / (1 + np.exp(dark - lit)), self._rng.random(shares[:, 0].shape) < 0.5)


class Search:
    """Believes the posterior of all panels by a prior, and tries by a rule.

    With `guess` it believes one of the likeliest assignments instead, drawn at each step; with `learns`,
    guesses that did not end the episode count as wrong.
    """

    def __init__(
        self,
        oracle: Oracle,
        attempt: Callable[[Oracle, Floats], Bools],
        rng: np.random.Generator,
        *,
        guess: bool = False,
        learns: bool = False,
    ) -> None:
        self._oracle, self._attempt, self._rng = oracle, attempt, rng
        self._guess, self._learns = guess, learns
        self._guessed: Sets | None = None

    def act(self, panels: Bools, lights: Bools) -> Answer:
        """Answer the present panels."""
        if self._learns and self._guessed is not None:
            self._oracle.exclude(self._guessed)
        self._oracle.see(sets_of(panels), lights)
        belief = self._oracle.belief()
        trials = self._attempt(self._oracle, belief)
        if not self._guess:
            return Answer(belief, trials)
        weights = self._oracle.weights
        best = weights >= weights.max(axis=1, keepdims=True) * (1 - 1e-9)
        self._guessed = np.asarray((self._rng.random(weights.shape) * best).argmax(axis=1))
        return Answer(MEMBERS[self._guessed].astype(np.float64), trials)


class Blind:
    """States likely assignments by a prior, one per step, ignoring panels. This is the result of a learner
    without inference, as an episode continues after a wrong belief."""

    def __init__(self, prior: Floats, episodes: int) -> None:
        self._guesses = iter(MEMBERS[np.argsort(-prior, kind="stable")].astype(np.float64))
        self._shape = (episodes, OBJECTS)

    def act(self, panels: Bools, lights: Bools) -> Answer:
        """Answer without looking."""
        return Answer(np.tile(next(self._guesses), (self._shape[0], 1)), np.zeros(self._shape, np.bool_))


def single(objects: Sets, wanted: Any = True) -> Bools:
    """Make single-object trials, (episodes, 9), empty unless wanted."""
    return np.asarray((np.arange(OBJECTS) == objects[:, None]) & np.asarray(wanted).reshape(-1, 1))


def most_doubtful(oracle: Oracle, belief: Floats) -> Bools:
    """Try the object whose probability is nearest 0.5."""
    return single(np.abs(belief - 0.5).argmin(axis=1))


def most_informative(oracle: Oracle, belief: Floats) -> Bools:
    """Choose the trial, of all 512, with the most expected information."""
    return np.asarray(MEMBERS[oracle.information().argmax(axis=1)])


def true_prior(blickets: tuple[int, int]) -> Floats:
    """Prior (512,) of assignments, with uniform numbers of Blickets in a range."""
    sizes = MEMBERS.sum(axis=1)
    low, high = blickets
    weights = [1 / comb(OBJECTS, int(n)) if low <= n <= high else 0.0 for n in sizes]
    return np.array(weights) / sum(weights)


Maker = Callable[[Preset, int, np.random.Generator], Agent]


def _search(attempt: Callable[[Oracle, Floats], Bools], prior: bool = False, **options: bool) -> Maker:
    def make(preset: Preset, episodes: int, rng: np.random.Generator) -> Agent:
        weights = true_prior(preset.blickets) if prior else None
        return Search(Oracle(preset.machine, episodes, weights), attempt, rng, **options)

    return make


def _ideal(preset: Preset, episodes: int, rng: np.random.Generator) -> Agent:
    # As measured (docs/suites/est.md): one object alone never lights a machine that needs two, but solves a
    # little more if the machine errs.
    attempt = most_doubtful if preset.machine.noise else most_informative
    return _search(attempt, prior=True, guess=True, learns=True)(preset, episodes, rng)


AGENTS: dict[str, Maker] = {
    "random": lambda preset, episodes, rng: RandomAgent(episodes, rng),
    "bayes": lambda preset, episodes, rng: Bayes(episodes, rng),
    "naive": lambda preset, episodes, rng: Naive(episodes, rng),
    "search-random": lambda preset, episodes, rng: Search(
        Oracle(preset.machine, episodes), lambda oracle, belief: rng.random(belief.shape) < 0.5, rng
    ),
    "search-naive": _search(most_doubtful),
    "blind": lambda preset, episodes, rng: Blind(true_prior(preset.blickets), episodes),
    "search-informative": _search(most_informative),
    "guess-uniform": _search(most_doubtful, guess=True),
    "guess": _search(most_doubtful, prior=True, guess=True),
    "guess-informative": _search(most_informative, prior=True, guess=True),
    "guess-eliminating": _search(most_doubtful, prior=True, guess=True, learns=True),
    "eliminating-informative": _search(most_informative, prior=True, guess=True, learns=True),
    "ideal": _ideal,
}
"""Agent factories by name: the paper's Table 2, then further ones."""
