"""The four families of hidden states: machine, slopes, instrument, strange floor.

A question states the prior, never the truth. All its doors have the same probability, and so have all
hypotheses behind the same door. Things, surfaces and lanes are numbers from 0; lengths are in metres.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import permutations, product
from typing import Annotated, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from arena.action import TICK_S
from arena.packages import data_of
from arena.science import Floats, HiddenState
from arena.seeds import episode_rng
from arena.taskfile.kind import GRAVITY

MOST_DOORS = 4
"""Maximum number of doors of a question; the minimum is 2."""


class _Question(BaseModel):
    """Base of the families' questions. `experiments` is their maximum number before the choice."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    experiments: int = Field(ge=1, le=100)

    @property
    def hidden(self) -> HiddenState:
        """Prior, likelihoods and right doors."""
        return _hidden(self)

    @property
    def doors(self) -> int:
        """Number of doors."""
        return int(self.hidden.doors.max()) + 1

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        doors = {*self.right_doors()}
        if not (2 <= len(doors) <= MOST_DOORS and doors == {*range(len(doors))}):
            raise ValueError(f"has the doors {sorted(doors)}, expected 2 to {MOST_DOORS}, numbered from 0")
        return self

    def right_doors(self) -> Sequence[int]:
        """Return the number of the right door of each hypothesis."""
        raise NotImplementedError

    def likelihoods(self) -> Sequence[Sequence[npt.ArrayLike]]:
        """Return each outcome's probability for each experiment and hypothesis."""
        raise NotImplementedError


@lru_cache(maxsize=256)
def _hidden(question: _Question) -> HiddenState:
    doors = np.array(question.right_doors())
    counts = np.bincount(doors)
    likelihood = np.array(question.likelihoods(), np.float64)
    return HiddenState(1.0 / (len(counts) * counts[doors]), likelihood, doors)


def _shares(outcomes: Iterable[int], kinds: int) -> Floats:
    """Return the share of each outcome among equally likely ones, (kinds,)."""
    counted = np.bincount(list(outcomes), minlength=kinds).astype(np.float64)
    return counted / counted.sum()


COLORS = ("blue", "orange", "purple", "white", "black", "turquoise")
"""Colours of things, floors and doors by number. An arena's palette has the same."""

_RULES = (("any",), ("two",), ("any", "two"))
"""Rules that may hold together."""


class MachineQuestion(_Question):
    """Question of the things that light a machine up, and the rule.

    After Gopnik and Sobel 2000 ("Detecting Blickets") and Lucas and Griffiths 2010 ("Learning the form of
    causal relationships using hierarchical Bayesian models"). An experiment puts a set of things on the
    plate: bit k of its number stands for thing k. The outcome is 0, dark, or 1, lit. With the rule `any` one
    of the things that count suffices, with `two` it takes two; with probability `noise` the lamp does the
    opposite. `asks` for the one of the first `candidates` things that counts (`which`), for the rule
    (`rule`), or for the number of those that count (`number`); there are `low` to `high`.
    """

    family: Literal["machine"] = "machine"
    things: Annotated[int, Field(ge=3, le=6)]
    rules: tuple[Literal["any", "two"], ...] = ("any",)
    noise: Annotated[float, Field(ge=0, lt=0.5)] = 0.0
    asks: Literal["which", "rule", "number"] = "which"
    candidates: Annotated[int, Field(ge=2, le=4)] = 3
    low: Annotated[int, Field(ge=1)] = 1
    high: Annotated[int, Field(ge=1)] = 3

    @model_validator(mode="after")
    def _has_them(self) -> Self:
        if not max(self.candidates if self.asks == "which" else 0, self.low, self.high) <= self.things:
            raise ValueError(f"candidates, low and high: expected at most {self.things} things")
        if self.rules not in _RULES:
            raise ValueError(
                f"rules: got {', '.join(self.rules) or 'none'}, expected any, two, or any and two"
            )
        return self

    def hypotheses(self) -> list[tuple[int, str]]:
        """Return sets of the things that count, each with a rule. A set is a number whose bits are things."""
        sets = [each for each in range(1 << self.things) if self.low <= each.bit_count() <= self.high]
        if self.asks == "which":
            first = (1 << self.candidates) - 1
            sets = [each for each in sets if (each & first).bit_count() == 1]
        return list(product(sets, self.rules))

    def right_doors(self) -> list[int]:
        """Return the number of the right door of each hypothesis."""
        if self.asks == "rule":
            return [self.rules.index(rule) for _, rule in self.hypotheses()]
        if self.asks == "number":
            return [counting.bit_count() - self.low for counting, _ in self.hypotheses()]
        first = (1 << self.candidates) - 1
        return [(counting & first).bit_length() - 1 for counting, _ in self.hypotheses()]

    def likelihoods(self) -> list[list[tuple[float, float]]]:
        """Return the probabilities of dark and lit for each plate and hypothesis."""
        needs, dark, lit = {"any": 1, "two": 2}, (1 - self.noise, self.noise), (self.noise, 1 - self.noise)
        return [
            [lit if (on & each).bit_count() >= needs[rule] else dark for each, rule in self.hypotheses()]
            for on in range(1 << self.things)
        ]


SPEED = 4.0
"""Speed at the foot of the ramp, m/s. Where masses are hidden it is that of a push of 4 Ns on 1 kg."""

SPEEDS = (0.9, 1.0, 1.1)
"""Equally likely factors of `SPEED`, which vary the starts."""

FRICTIONS = (0.1, 0.16, 0.25, 0.4, 0.64)
MASSES = (1.0, 1.35, 1.75, 2.3, 3.0)
"""Possible hidden friction coefficients and masses (kg). Each gets 1.6 to 1.8 times as far as the next."""

FARTHEST_M = 10
"""Maximum outcome, metres; outcomes are whole metres."""


class SlopesQuestion(_Question):
    """Question of the friction of surfaces or the masses of things.

    The things look alike. Experiment k lets a thing slide on surface k (`friction`), or pushes thing k on a
    surface of the lowest friction (`mass`). The outcome is the distance in whole metres: v^2 / (2 mu g),
    where v is `SPEED` times one of `SPEEDS` and, for masses, divided by kg. No two of the `things` have the
    same of `levels` values. `asks` on or of which one it gets `farthest` or `nearest`.
    """

    family: Literal["slopes"] = "slopes"
    hides: Literal["friction", "mass"] = "friction"
    things: Annotated[int, Field(ge=2, le=4)]
    levels: Annotated[int, Field(ge=2, le=5)] = 4
    asks: Literal["farthest", "nearest"] = "farthest"

    def distances(self, level: int) -> tuple[int, ...]:
        """Return the equally likely outcomes for one of the values."""
        is_mass = self.hides == "mass"
        friction, mass = FRICTIONS[0 if is_mass else level], MASSES[level] if is_mass else 1.0
        speeds = (SPEED * factor / mass for factor in SPEEDS)
        exact = [speed * speed / (2 * friction * GRAVITY) for speed in speeds]
        return tuple(min(round(each), FARTHEST_M) for each in exact)

    def hypotheses(self) -> list[tuple[int, ...]]:
        """Level of each thing; higher ones stop nearer."""
        return list(permutations(range(self.levels), self.things))

    def right_doors(self) -> list[int]:
        """Return the number of the right door of each hypothesis."""
        extreme = min if self.asks == "farthest" else max
        return [each.index(extreme(each)) for each in self.hypotheses()]

    def likelihoods(self) -> list[list[Floats]]:
        """Return the probability of each distance for each thing and hypothesis."""
        shares = [_shares(self.distances(level), FARTHEST_M + 1) for level in range(self.levels)]
        return [[shares[each[k]] for each in self.hypotheses()] for k in range(self.things)]


OFFSETS, SLOPES = (0, 1, 2, 3, 4, 5), (1, 2, 3, 4)
"""Offsets and factors of the instrument's laws."""

LAWS: dict[str, Callable[[int, int, int], int]] = {
    "line": lambda size, offset, slope: offset + slope * size,
    "square": lambda size, offset, slope: offset + slope * size * size,
    "threshold": lambda size, offset, slope: offset + 3 * slope * (size >= 3),
}
"""A meter's number for a size, from 1, by law."""

ODD = 2
"""Distance of the odd thing's reading from the line."""


class InstrumentQuestion(_Question):
    """Question of the law between a thing's size and its reading.

    Experiment k measures thing k, whose size is k + 1. The outcome is the meter's number; with probability
    `noise` it is 1 too high or 1 too low. `asks` for the reading of something of the size `large`, which is
    too big for it (`large`: ranges of nearly as many laws each), or which thing reads `ODD` more than the
    line of all others (`odd`).
    """

    family: Literal["instrument"] = "instrument"
    things: Annotated[int, Field(ge=3, le=6)]
    laws: tuple[Literal["line", "square", "threshold"], ...] = ("line",)
    noise: Annotated[float, Field(ge=0, lt=0.5)] = 0.0
    asks: Literal["large", "odd"] = "large"
    large: Annotated[int, Field(ge=4, le=12)] = 8
    ranges: Annotated[int, Field(ge=2, le=4)] = 3

    def hypotheses(self) -> list[tuple[str, int, int, int]]:
        """Law, offset, slope and the odd thing's number, -1 without one."""
        odd = range(self.things) if self.asks == "odd" else (-1,)
        return list(product(self.laws, OFFSETS, SLOPES, odd))

    def bounds(self) -> tuple[int, ...]:
        """Lowest prediction of each door's range except the first, ascending."""
        found = sorted(LAWS[law](self.large, *rest) for law, *rest, _ in self.hypotheses())
        return tuple(found[round(k * len(found) / self.ranges)] for k in range(1, self.ranges))

    def right_doors(self) -> list[int]:
        """Return the number of the right door of each hypothesis."""
        if self.asks == "odd":
            return [odd for *_, odd in self.hypotheses()]
        bounds = self.bounds()
        predicted = (LAWS[law](self.large, *rest) for law, *rest, _ in self.hypotheses())
        return [sum(value >= bound for bound in bounds) for value in predicted]

    def likelihoods(self) -> list[list[Floats]]:
        """Return the probability of each reading for each thing and hypothesis."""
        most = ODD + max(LAWS[law](self.things, *rest) for law, *rest, _ in self.hypotheses())
        return [[self._readings(most, k, *each) for each in self.hypotheses()] for k in range(self.things)]

    def _readings(self, most: int, thing: int, law: str, offset: int, slope: int, odd: int) -> Floats:
        """Return the probabilities (o,) of readings from -1 to `most` and 1."""
        right = LAWS[law](thing + 1, offset, slope) + ODD * (thing == odd) + 1
        found = np.zeros(most + 3)
        found[right] = 1 - self.noise
        found[[right - 1, right + 1]] += self.noise / 2
        return found

    def reading(self, outcome: int) -> int:
        """Return the reading of an outcome."""
        return outcome - 1


ENTRY_M, FORWARD = 3.0, 2.0
"""Ball's entry point before the floor's middle, m, and its speed, m/s."""

STARTS = (-0.15, 0.0, 0.15)
"""Equally likely deviations from the middle of the lane, m."""

MOST_TICKS = 1000
WIDEST_M = 4
"""Maximum outcome to either side, metres. Outcomes are whole metres off the lane."""

_SOFT_M = 0.3
"""Distance, m, below which laws of the distance stop growing."""

Kind = Literal["wind", "whirl", "post", "near post"]
Law = tuple[Kind, int, float]
"""Kind, direction (-1 or 1) and strength."""


def acceleration(law: Law, x: float, z: float) -> tuple[float, float]:
    """Return a floor's acceleration at a place relative to its middle, m/s2.

    A `wind` is constant, to the right for 1. A `whirl` acts across the line to the middle, clockwise for 1. A
    `post` in the middle pushes away (1) or pulls (-1) as 1/r, a `near post` as 1/r^2.
    """
    kind, direction, strength = law
    pull = direction * strength
    if kind == "wind":
        return (pull, 0.0)
    r = max(math.sqrt(x * x + z * z), _SOFT_M)
    if kind == "whirl":
        return (pull * z / r, -pull * x / r)
    share = pull / (r * r if kind == "post" else r * r * r)
    return (share * x, share * z)


def leaves_at(law: Law, x: float) -> float:
    """Return the exit of a ball that enters the floor at x. It is in metres from x; positive is to the right.
    Steps are semi-implicit Euler ticks, as in the arena's physics."""
    start, z, across, along = x, -ENTRY_M, 0.0, FORWARD
    for _ in range(MOST_TICKS):
        if not (abs(z) <= ENTRY_M and abs(x - start) < WIDEST_M):
            break
        right, forward = acceleration(law, x, z)
        across, along = across + TICK_S * right, along + TICK_S * forward
        x, z = x + TICK_S * across, z + TICK_S * along
    return x - start


class FloorQuestion(_Question):
    """Question of the law by which a floor pushes rolling balls.

    Experiment k rolls a ball onto it from open lane k; the middles of the `lanes` are 1 m apart. The outcome
    is its deviation from the lane in whole metres, from `WIDEST_M` to the left to `WIDEST_M` to the right.
    `asks` for the `kind` of the law, or to which side (left, straight on, right) a ball of the lane that is
    `shut`, from 0, goes (`side`); from that lane there are no experiments.
    """

    family: Literal["floor"] = "floor"
    lanes: Annotated[int, Field(ge=3, le=5)]
    kinds: tuple[Kind, ...]
    asks: Literal["kind", "side"] = "kind"
    shut: Annotated[int, Field(ge=0, le=4)] = 0

    def place(self, lane: int) -> float:
        """Return the middle of a lane relative to that of the floor."""
        return lane - (self.lanes - 1) / 2

    def open_lanes(self) -> tuple[int, ...]:
        """Lanes of the experiments, in their order."""
        return tuple(lane for lane in range(self.lanes) if self.asks == "kind" or lane != self.shut)

    def hypotheses(self) -> list[Law]:
        """Return all laws: kinds, directions and strengths."""
        # Accelerations at 1 m from the middle, m/s2.
        return list(product(self.kinds, (-1, 1), (0.5, 0.8)))

    def side(self, law: Law) -> int:
        """Return a ball's side from the shut lane: left, straight, right (0-2)."""
        return 1 + int(np.sign(_outcome(leaves_at(law, self.place(self.shut))) - WIDEST_M))

    def right_doors(self) -> list[int]:
        """Return the number of the right door of each hypothesis. Sides that are impossible have no door."""
        if self.asks == "kind":
            return [self.kinds.index(kind) for kind, *_ in self.hypotheses()]
        sides = [self.side(law) for law in self.hypotheses()]
        return [sorted({*sides}).index(side) for side in sides]

    def likelihoods(self) -> list[list[Floats]]:
        """Return each deviation's probability for each open lane and hypothesis."""
        return [
            [
                _shares((_outcome(leaves_at(law, middle + off)) for off in STARTS), 2 * WIDEST_M + 1)
                for law in self.hypotheses()
            ]
            for middle in map(self.place, self.open_lanes())
        ]


def _outcome(metres: float) -> int:
    return WIDEST_M + min(max(round(metres), -WIDEST_M), WIDEST_M)


FAMILIES = {11: "machine", 12: "slopes", 13: "instrument", 14: "floor"}
"""The family of each level."""

Question = Annotated[
    MachineQuestion | SlopesQuestion | InstrumentQuestion | FloorQuestion, Field(discriminator="family")
]
"""A question of any family, as a task file states it."""

_READER: TypeAdapter[Question] = TypeAdapter(Question)


@cache
def questions(level: int) -> tuple[Question, ...]:
    """Return the 30 questions of a level from 11 to 14. Easier ones come first (`questions.yaml`)."""
    rows = data_of("arena.science", "questions.yaml")[level]
    return tuple(read_question({"family": FAMILIES[level], **row}) for row in rows)


def read_question(values: Mapping[str, Any]) -> Question:
    """Return a question from plain values, also from those of a log. Raises pydantic's ValidationError."""
    return _READER.validate_python(values, strict=False)


_VARIANT = re.compile(r"^([0-9]{2}-[0-9]{2})-[0-9]{2}$", re.ASCII)


def truth(question: Question, seed: int, task_id: str, trial: int) -> int:
    """Return the true hypothesis of an episode. It is the same in all conditions, and for the variants
    `LL-TT-01` to `LL-TT-99` of a task."""
    shared = _VARIANT.sub(r"\1", task_id)
    return question.hidden.draw(episode_rng(seed, f"{shared}/hidden", trial))
