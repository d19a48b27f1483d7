"""The Blicket machine: many episodes at once, as arrays."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from arena.errors import ConfigError
from suites.est.hypotheses import OBJECTS, Bools, Floats, Machine, Oracle, distance, sets_of

CONTEXT = 4
"""Panels that are shown before the first trial is."""

HORIZON = 10
"""Steps of an episode. In each a belief is rewarded; the panel of a trial is seen in the next step, and
trials before step 4 are not seen, so 6 of them can change a belief."""

SOLVED, STEP = 20.0, -1.0
"""Reward of the step that solves the episode, and of each other one, before the distance from the oracle."""


@dataclass(frozen=True, slots=True)
class Preset:
    """How episodes are drawn: ranges of the numbers of Blickets and of objects on a context panel, both
    uniform and inclusive, and the machine. Raises ConfigError for ranges outside 0 to 9."""

    blickets: tuple[int, int] = (3, 8)
    panel: tuple[int, int] = (2, 6)
    machine: Machine = field(default_factory=Machine)

    def __post_init__(self) -> None:
        for name, (low, high) in (("blickets", self.blickets), ("panel", self.panel)):
            if not 0 <= low <= high <= OBJECTS:
                raise ConfigError(f"{name}: got {low} to {high}, expected a range within 0 to {OBJECTS}")


PRESETS = {
    "est": Preset(),
    "ivre": Preset((1, 4), (1, 4)),
    "conjunctive": Preset(machine=Machine(needs=2)),
    "noisy": Preset(machine=Machine(noise=0.1)),
}
"""The numbers of EST's text, those of its later publication as IVRE, and two further machines with EST's."""


class Episodes(NamedTuple):
    """What is drawn of episodes before they begin: Blickets (episodes, 9) and context panels (episodes, 4,
    9)."""

    blickets: Bools
    context: Bools


def draw(preset: Preset, episodes: int, rng: np.random.Generator) -> Episodes:
    """Episodes of a preset; the panels of an episode are drawn independently of each other."""
    return Episodes(
        _subsets(preset.blickets, (episodes,), rng), _subsets(preset.panel, (episodes, CONTEXT), rng)
    )


def _subsets(sizes: tuple[int, int], shape: tuple[int, ...], rng: np.random.Generator) -> Bools:
    """Random subsets of the objects, of a size that is uniform in a range, (*shape, 9)."""
    size = rng.integers(sizes[0], sizes[1] + 1, shape)
    ranks = rng.random((*shape, OBJECTS)).argsort(axis=-1).argsort(axis=-1)
    return ranks < size[..., None]


class Step(NamedTuple):
    """What a step gives, all (episodes,): reward, whether the belief is right, and whether the episode is
    over."""

    rewards: Floats
    solved: Bools
    over: Bools


class Machines:
    """A batch of episodes that are played step by step.

    `panels` (episodes, 9) and `lights` (episodes,) are what is seen now, `steps` (episodes,) the number of
    steps taken, and `over` which episodes have ended; these are left alone until `restart`.
    """

    def __init__(
        self, preset: Preset, episodes: int, rng: np.random.Generator, drawn: Episodes | None = None
    ) -> None:
        self.preset, self._rng = preset, rng
        self._lit = preset.machine.lit()
        self.oracle = Oracle(preset.machine, episodes)
        self.blickets = np.zeros((episodes, OBJECTS), np.bool_)
        self.context = np.zeros((episodes, CONTEXT, OBJECTS), np.bool_)
        self.panels = np.zeros((episodes, OBJECTS), np.bool_)
        self.lights = np.zeros(episodes, np.bool_)
        self.steps = np.zeros(episodes, np.int64)
        self.over = np.ones(episodes, np.bool_)
        self.restart(drawn=drawn)

    def restart(self, chosen: Bools | None = None, drawn: Episodes | None = None) -> None:
        """Begin new episodes where `chosen`, (episodes,) bool, or everywhere: drawn ones, or those given."""
        chosen = np.ones_like(self.over) if chosen is None else chosen
        drawn = drawn or draw(self.preset, int(chosen.sum()), self._rng)
        self.blickets[chosen], self.context[chosen] = drawn
        self.steps[chosen], self.over[chosen] = 0, False
        self.oracle.restart(chosen)
        self._show(self.context[:, 0], chosen)

    def step(self, beliefs: Floats, trials: Bools) -> Step:
        """Take a belief (episodes, 9) in [0, 1] and a trial (episodes, 9) bool for each episode.

        A belief is right if each of its probabilities is on the side of the truth; 0.5 is on neither.
        Episodes that were over have no reward.
        """
        playing = ~self.over
        solved = playing & (np.abs(self.blickets - beliefs) < 0.5).all(axis=1)
        rewards = np.where(solved, SOLVED, STEP - distance(beliefs, self.oracle.belief())) * playing
        self.steps += playing
        self.over |= solved | (self.steps >= HORIZON)
        # The trials of the first steps are not seen: a context panel is.
        context = self.context[np.arange(len(self.steps)), np.minimum(self.steps, CONTEXT - 1)]
        self._show(np.where((self.steps < CONTEXT)[:, None], context, trials), ~self.over)
        return Step(rewards, solved, self.over.copy())

    def _show(self, panels: Bools, chosen: Bools) -> None:
        """Put objects on the machine where `chosen`, and look."""
        on = sets_of(panels)
        lights = self._lit[on, sets_of(self.blickets)]
        if self.preset.machine.noise:
            lights = lights ^ (self._rng.random(len(lights)) < self.preset.machine.noise)
        self.panels = np.where(chosen[:, None], panels, self.panels)
        self.lights = np.where(chosen, lights, self.lights)
        self.oracle.see(on, lights, None if chosen.all() else chosen)
