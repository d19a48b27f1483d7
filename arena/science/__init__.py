"""Exact inference about a hidden state from experiments, for small tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

TIE = 1e-9
"""Difference in expected information, bits, below which experiments tie. The first is taken."""

SETTLED = 1e-4
"""Remaining share of entropy, bits, below which histories are not continued."""


class Seen(NamedTuple):
    """An experiment that happened and its outcome, both as numbers from 0."""

    experiment: int
    outcome: int


class Experiments(NamedTuple):
    """Experiments that happened, and the number of the door that was opened. None if all are shut."""

    seen: tuple[Seen, ...] = ()
    door: int | None = None


@dataclass(frozen=True, eq=False)
class HiddenState:
    """Hidden hypotheses, with the likelihoods of experiments and the right doors.

    `prior` (h,) is the probability of each hypothesis; `likelihood` (e, h, o) that of each outcome of each
    experiment under it; `doors` (h,) is the number of the right door, from 0. The families give hypotheses
    their meaning (`arena.science.families`).

    Raises ValueError for probabilities that do not add up to 1 within 1e-9, or shapes that do not fit.
    """

    prior: Floats
    likelihood: Floats
    doors: Ints

    def __post_init__(self) -> None:
        hypotheses = len(self.prior)
        if self.likelihood.shape[1] != hypotheses or self.doors.shape != (hypotheses,):
            raise ValueError(f"got tables of {self.likelihood.shape} and {self.doors.shape}, {hypotheses=}")
        for name, sums in (("prior", self.prior.sum()), ("likelihood", self.likelihood.sum(axis=2))):
            if np.abs(sums - 1).max() > 1e-9:
                raise ValueError(f"{name}: probabilities must add up to 1")

    @cached_property
    def _of_door(self) -> Floats:
        """Matrix (h, d): 1 where the door is right under the hypothesis."""
        return (self.doors[:, None] == np.arange(self.doors.max() + 1)).astype(np.float64)

    def draw(self, rng: np.random.Generator) -> int:
        """Return a hypothesis drawn from the prior: the truth of an episode."""
        return int(rng.choice(len(self.prior), p=self.prior))

    def happen(self, truth: int, experiment: int, rng: np.random.Generator) -> int:
        """Draw the outcome of an experiment from its likelihood under the truth."""
        return int(rng.choice(self.likelihood.shape[2], p=self.likelihood[experiment, truth]))

    def posterior(self, history: Sequence[Seen]) -> Floats:
        """Return the probability of each hypothesis after a history, (h,). Raises ValueError for a history
        that no hypothesis allows."""
        weights = self.prior
        for experiment, outcome in history:
            weights = self.updated(weights, experiment, outcome)
        return weights

    def updated(self, belief: Floats, experiment: int, outcome: int) -> Floats:
        """Return a belief (h,) after one more outcome."""
        weights = belief * self.likelihood[experiment, :, outcome]
        total = weights.sum()
        if not total:
            raise ValueError(f"outcome {outcome} of experiment {experiment} is impossible here")
        return weights / total

    def of_doors(self, belief: Floats) -> Floats:
        """Return each door's probability to be the right one, (d,)."""
        # A sum of rounded shares may be a little more than 1.
        return np.minimum(belief @ self._of_door, 1.0)

    def information(self, belief: Floats) -> Floats:
        """Return each experiment's expected information about the right door, bits (e,)."""
        # (e, d, o): the joint probability of door and outcome.
        joint = np.einsum("h,hd,eho->edo", belief, self._of_door, self.likelihood, optimize=True)
        together = entropy(joint.reshape(len(joint), -1))
        return entropy(self.of_doors(belief)) + entropy(joint.sum(axis=1)) - together

    def about_everything(self, belief: Floats) -> Floats:
        """Return each experiment's expected information about the hypotheses, bits (e,)."""
        return entropy(np.einsum("h,eho->eo", belief, self.likelihood)) - entropy(self.likelihood) @ belief

    def best(self, belief: Floats) -> int:
        """Return the most informative experiment about the door; among equals, about everything."""
        about_door = self.information(belief)
        equal = about_door >= about_door.max() - TIE
        about_all = np.where(equal, self.about_everything(belief), -1)
        return int((about_all >= about_all.max() - TIE).argmax())

    def gained(self, history: Sequence[Seen]) -> float:
        """Return a history's information about the right door, bits. Negative if it misled."""
        before, after = (self.of_doors(belief) for belief in (self.prior, self.posterior(history)))
        return float(entropy(before) - entropy(after))

    def attainable(self, experiments: int) -> float:
        """Return the expected information of a number of best experiments, bits.

        It is about the right door. Each experiment is the best next one (`best`), given the outcomes so far.
        Histories that leave less than `SETTLED` bits in all are not continued.
        """
        while len(self._uncertain) <= experiments:
            self._uncertain.append(self._after_best(self._uncertain[-1]))
        left = [sum(branch.bits for branch in branches) for branches in self._uncertain]
        return left[0] - left[experiments]

    def measures(self, history: Sequence[Seen], truth: int) -> dict[str, float | int]:
        """Return a history's measures for tables, in bits.

        `information` is that of the experiments about the right door, `attainable` the expected one of as
        many of the best; `exact_door` is the probability of the right door after them.
        """
        exact = self.of_doors(self.posterior(history))
        return {
            "experiments": len(history),
            "information": self.gained(history),
            "attainable": self.attainable(len(history)),
            "exact_door": float(exact[self.doors[truth]]),
        }

    def turns(self, experiments: Experiments) -> Iterator[dict[str, Any]]:
        """Return the knowledge at the start, after experiments and at the door.

        `posterior` are the probabilities of the doors, `information` is the expected information of an
        experiment about them, `best` that of the best one, in bits.
        """
        belief = self.prior
        nothing = dict.fromkeys(("experiment", "outcome", "information", "best", "door"))
        yield {**nothing, "posterior": self.of_doors(belief).tolist()}
        for experiment, outcome in experiments.seen:
            expected = self.information(belief)
            belief = self.updated(belief, experiment, outcome)
            bits = {"information": float(expected[experiment]), "best": float(expected.max())}
            made = {"experiment": experiment, "outcome": outcome, **bits}
            yield {**nothing, **made, "posterior": self.of_doors(belief).tolist()}
        if experiments.door is not None:
            yield {**nothing, "door": experiments.door, "posterior": self.of_doors(belief).tolist()}

    @cached_property
    def _uncertain(self) -> list[list["_Branch"]]:
        """Branches after each number of best experiments, as far as computed."""
        return [[self._branch((), 1.0, self.prior)]]

    def _branch(self, history: tuple[Seen, ...], chance: float, belief: Floats) -> "_Branch":
        return _Branch(history, chance, belief, chance * float(entropy(self.of_doors(belief))))

    def _after_best(self, branches: list["_Branch"]) -> list["_Branch"]:
        """Return the branches after one more experiment, the best of each."""
        found: dict[tuple[Seen, ...], _Branch] = {}
        for branch in branches:
            if branch.bits < SETTLED:
                found[branch.history] = branch
                continue
            best = self.best(branch.belief)
            for outcome, share in enumerate((branch.belief @ self.likelihood[best]).tolist()):
                if share > TIE:
                    # In another order the same outcomes leave the same belief.
                    history = tuple(sorted((*branch.history, Seen(best, outcome))))
                    chance = branch.chance * share + (found[history].chance if history in found else 0.0)
                    belief = self.updated(branch.belief, best, outcome)
                    found[history] = self._branch(history, chance, belief)
        return [*found.values()]


class _Branch(NamedTuple):
    """A history: its chance, belief, and share of remaining entropy in bits."""

    history: tuple[Seen, ...]
    chance: float
    belief: Floats
    bits: float


def entropy(probabilities: Floats) -> Floats:
    """Return the entropy in bits (...) of distributions (..., n)."""
    p = np.asarray(probabilities)
    return -(p * np.log2(np.where(p > 0, p, 1))).sum(axis=-1)


def favours(belief: Sequence[float], door: int) -> bool:
    """Return whether a belief (d,) makes this door a most probable one."""
    return bool(belief[door] >= max(belief) - TIE)


def believed(asked: Sequence[Any], door: int | None) -> dict[str, float | int]:
    """Return the table's measures of the beliefs stated in turns.

    A `belief` (d,) is None if it is missing. `divergence` is the mean of the stated ones from the exact ones
    (`posterior`), in bits, and `agrees` whether the opened `door` is that of the last stated belief.
    """
    stated = [turn for turn in asked if turn.belief is not None]
    found: dict[str, float | int] = {"missing_beliefs": len(asked) - len(stated)}
    if stated:
        found["divergence"] = float(np.mean([divergence(turn.posterior, turn.belief) for turn in stated]))
    if stated and door is not None:
        found["agrees"] = int(favours(stated[-1].belief, door))
    return found


def divergence(truth: npt.ArrayLike, stated: npt.ArrayLike, least: float = 1e-3) -> float:
    """Return the Kullback-Leibler divergence of a stated from the exact distribution.

    It is in bits; both are (d,). Stated probabilities below `least` count as that, so that a belief of 0 in a
    possible door is expensive but not infinitely so; then they are scaled to a sum of 1.
    """
    exact, kept = np.asarray(truth), np.maximum(stated, least)
    kept /= kept.sum()
    return float((exact * np.log2(np.where(exact > 0, exact, 1) / kept)).sum())
