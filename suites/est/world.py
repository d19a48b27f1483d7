"""Blicket machine: batched episodes, exact inference, 48 objects. Bit k of a set's number is for object k."""

from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.errors import ConfigError

OBJECTS = 9
"""Objects of an episode."""

SETS = 1 << OBJECTS
"""Number of sets of objects: of assignments of Blickets, and of trials."""

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Sets = npt.NDArray[np.int64]

MEMBERS: Bools = (np.arange(SETS)[:, None] >> np.arange(OBJECTS) & 1).astype(np.bool_)
"""Membership of objects in sets, (512, 9)."""

_BITS = 1 << np.arange(OBJECTS)


def sets_of(members: Bools) -> Sets:
    """Convert members (..., 9) bool to set numbers (...)."""
    return np.asarray(members @ _BITS)


@dataclass(frozen=True, slots=True)
class Machine:
    """Machine that lights up with at least `needs` Blickets.

    It errs with probability `noise`. `needs=1` is the paper's disjunctive machine, 2 a conjunctive one (Lucas
    and Griffiths 2010, "Learning the form of causal relationships using hierarchical Bayesian models").
    Raises ConfigError for other values.
    """

    needs: int = 1
    noise: float = 0.0

    def __post_init__(self) -> None:
        if self.needs not in (1, 2):
            raise ConfigError(f"needs: got {self.needs!r}, expected 1 (disjunctive) or 2 (conjunctive)")
        if not 0 <= self.noise < 0.5:
            raise ConfigError(f"noise: got {self.noise!r}, expected a probability from 0 to below 0.5")

    def lit(self) -> Bools:
        """Noiseless light by set on the machine and Blickets, (512, 512)."""
        return _lit(self.needs)


@cache
def _lit(needs: int) -> Bools:
    """Cache the light by `needs`. Worlds and oracles need it at each reset."""
    both = np.arange(SETS)[:, None] & np.arange(SETS)
    lit: Bools = MEMBERS.sum(axis=1)[both] >= needs
    lit.setflags(write=False)
    return lit


class Oracle:
    """Exact belief given all panels so far, for a batch of episodes. It begins with the prior weights of the
    512 assignments, by default all equal as in the paper, although Blickets are drawn otherwise."""

    def __init__(self, machine: Machine, episodes: int, prior: Floats | None = None) -> None:
        self._noise = machine.noise
        self._lit = machine.lit()
        # Counts of assignments are exact in float32; products of probabilities need more.
        exact = machine.noise == 0 and prior is None
        self._prior: npt.NDArray[Any] = (
            np.ones(SETS, np.float32 if exact else np.float64) if prior is None else prior
        )
        self._members: npt.NDArray[Any] = MEMBERS.astype(self._prior.dtype)
        self.weights: npt.NDArray[Any] = np.tile(self._prior, (episodes, 1))

    def restart(self, chosen: Bools) -> None:
        """Forget all panels of the chosen episodes, (episodes,) bool."""
        self.weights[chosen] = self._prior

    def see(self, panels: Sets, lights: Bools, chosen: Bools | None = None) -> None:
        """Add one panel and its light, each (episodes,), where `chosen` (default: everywhere)."""
        agrees = self._lit[panels] == lights[:, None]
        likelihood = np.where(agrees, 1 - self._noise, self._noise) if self._noise else agrees
        if chosen is not None:
            likelihood = np.where(chosen[:, None], likelihood, 1)
        self.weights *= likelihood
        if self._noise:
            self.weights /= self.weights.max(axis=1, keepdims=True)

    def exclude(self, assignments: Sets) -> None:
        """Rule out one assignment per episode, (episodes,), unless it is the last."""
        row = np.arange(len(assignments))
        kept = self.weights[row, assignments]
        self.weights[row, assignments] = 0
        nothing = ~self.weights.any(axis=1)
        self.weights[row[nothing], assignments[nothing]] = kept[nothing]

    def belief(self) -> Floats:
        """Compute each object's probability of being a Blicket, (episodes, 9)."""
        counts = self._counts()
        marginals = (counts @ self._members).astype(np.float64)
        return np.asarray(marginals / counts.sum(axis=1, keepdims=True, dtype=np.float64))

    def information(self) -> Floats:
        """Compute each trial's expected information about the assignment (episodes, 512), in nats."""
        counts = self._counts()
        lit = (counts @ self._lit.T.astype(counts.dtype)).astype(np.float64)
        share = lit / counts.sum(axis=1, keepdims=True, dtype=np.float64)
        # Equal trials are equal to the last bit, as are those of opposite lights.
        rarer = np.round(np.minimum(share, 1 - share), 9)
        heard = self._noise + (1 - 2 * self._noise) * rarer
        return _settled(entropy(heard) - entropy(np.float64(self._noise)))

    def _counts(self) -> npt.NDArray[Any]:
        """Scale weights to whole numbers. Their sums are exact in any order, so on any processor."""
        if self.weights.dtype == np.float32:
            return self.weights
        return np.round(self.weights * (2.0**43 / self.weights.max(axis=1, keepdims=True)))


def entropy(probability: npt.NDArray[np.floating] | np.float64) -> Floats:
    """Compute the entropy of an event of this probability, in nats."""
    p = np.asarray(probability, np.float64)
    q = 1 - p
    return np.asarray(-(p * np.log(np.where(p > 0, p, 1)) + q * np.log(np.where(q > 0, q, 1))))


def distance(belief: Floats, oracle: Floats) -> Floats:
    """Compute the Jensen-Shannon distance (natural logarithm) of two rows of 9 probabilities.

    Each row is scaled to a sum of 1. It is at most sqrt(ln 2); 1e-7 is added to each probability, as in the
    public code of the paper.
    """
    p, q = belief + 1e-7, oracle + 1e-7
    p /= p.sum(axis=-1, keepdims=True)
    q /= q.sum(axis=-1, keepdims=True)
    m = (p + q) / 2
    divergence = (p * np.log(p / m) + q * np.log(q / m)).sum(axis=-1) / 2
    return _settled(np.sqrt(np.maximum(divergence, 0)))


def _settled(logarithms: Floats) -> Floats:
    """Round to 9 digits, as last bits of logarithms depend on the processor."""
    return np.round(logarithms, 9)


CONTEXT = 4
"""Panels that are shown before the first trial is."""

HORIZON = 10
"""Steps of an episode. In each a belief is rewarded; the panel of a trial is seen in the next step, and
trials before step 4 are not seen, so 6 of them can change a belief."""

SOLVED, STEP = 20.0, -1.0
"""Rewards of the solving step and others, before the distance's penalty."""


@dataclass(frozen=True, slots=True)
class Preset:
    """Distribution of episodes, with the machine. Ranges of the numbers of Blickets and of objects on a
    context panel, both uniform and inclusive. Raises ConfigError for ranges outside 0 to 9."""

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
"""Presets of EST's text, its later publication IVRE, and two further machines with EST's numbers."""


class Episodes(NamedTuple):
    """Initial draws: Blickets (episodes, 9) and context panels (episodes, 4, 9)."""

    blickets: Bools
    context: Bools


def draw(preset: Preset, episodes: int, rng: np.random.Generator) -> Episodes:
    """Draw episodes of a preset; an episode's panels are independent."""
    return Episodes(
        _subsets(preset.blickets, (episodes,), rng), _subsets(preset.panel, (episodes, CONTEXT), rng)
    )


def _subsets(sizes: tuple[int, int], shape: tuple[int, ...], rng: np.random.Generator) -> Bools:
    """Draw subsets (*shape, 9) whose size is uniform in a range."""
    size = rng.integers(sizes[0], sizes[1] + 1, shape)
    return rng.random((*shape, OBJECTS)).argsort(axis=-1).argsort(axis=-1) < size[..., None]


class Step(NamedTuple):
    """Result of a step, all (episodes,): reward, right belief, and end."""

    rewards: Floats
    solved: Bools
    over: Bools


class Machines:
    """Batch of episodes that are played step by step.

    `panels` (episodes, 9) and `lights` (episodes,) are the present observation, `steps` (episodes,) the
    number of steps taken, and `over` which episodes have ended; these are left alone until `restart`.
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
        """Begin new episodes where `chosen`, (episodes,) bool, or everywhere. They are drawn if not given."""
        chosen = np.ones_like(self.over) if chosen is None else chosen
        drawn = drawn or draw(self.preset, int(chosen.sum()), self._rng)
        self.blickets[chosen], self.context[chosen] = drawn
        self.steps[chosen], self.over[chosen] = 0, False
        self.oracle.restart(chosen)
        self._show(self.context[:, 0], chosen)

    def step(self, beliefs: Floats, trials: Bools) -> Step:
        """Apply a belief (episodes, 9) in [0, 1] and a trial, bool.

        The trial is (episodes, 9). A belief is right if each of its probabilities is on the side of the
        truth; 0.5 is on neither. Episodes that were over have no reward.
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


SHAPES = ("cube", "sphere", "cylinder")
MATERIALS = ("metal", "rubber")

RGB = {
    **{"gray": (87, 87, 87), "red": (173, 35, 35), "blue": (42, 75, 215), "green": (29, 105, 20)},
    **{"brown": (129, 74, 25), "cyan": (41, 208, 208), "purple": (129, 38, 192), "yellow": (255, 238, 51)},
}
"""Colours of surfaces, sRGB, as in CLEVR (Johnson et al. 2017), whose objects EST's are."""

COLORS = tuple(RGB)


class Thing(NamedTuple):
    """Object described by a word of each of `SHAPES`, `MATERIALS` and `COLORS`."""

    shape: str
    material: str
    color: str

    def __str__(self) -> str:
        return f"{self.color} {self.material} {self.shape}"


THINGS = tuple(Thing(*words) for words in product(SHAPES, MATERIALS, COLORS))
"""All 48 objects."""


def appearances(rng: np.random.Generator) -> tuple[Thing, ...]:
    """Draw an episode's nine different objects of `THINGS`, in random order. The first is object 0, which
    also stands at place 0."""
    return tuple(THINGS[number] for number in rng.random(len(THINGS)).argsort()[:OBJECTS])
