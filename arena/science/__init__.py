"""Exact inference about a hidden state from experiments, for tables that are small enough to write down."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

TIE = 1e-9
"""Experiments whose expected information differs by less, in bits, are equally good: the first is taken."""

SETTLED = 1e-4
"""Part of the entropy that is left, in bits, below which a history is not continued."""


class Seen(NamedTuple):
    """An experiment that happened and its outcome, both as numbers from 0."""

    experiment: int
    outcome: int


class Experiments(NamedTuple):
    """Experiments that happened, and the number of the door that was opened; None if all are shut."""

    seen: tuple[Seen, ...] = ()
    door: int | None = None


@dataclass(frozen=True, eq=False)
class HiddenState:
    """What may be hidden, what every experiment says of it, and which door is right.

    `prior` (h,) is the probability of each hypothesis; `likelihood` (e, h, o) that of each outcome of each
    experiment under it; `doors` (h,) is the number of the right door, from 0. Nothing else is known of a
    hypothesis here: the families say what it means (`arena.science.families`).

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
        """(h, d): 1 where the door is right under the hypothesis."""
        return (self.doors[:, None] == np.arange(self.doors.max() + 1)).astype(np.float64)

    def draw(self, rng: np.random.Generator) -> int:
        """A hypothesis drawn from the prior: the truth of an episode."""
        return int(rng.choice(len(self.prior), p=self.prior))

    def happen(self, truth: int, experiment: int, rng: np.random.Generator) -> int:
        """The outcome of an experiment, drawn from its likelihood under the truth."""
        return int(rng.choice(self.likelihood.shape[2], p=self.likelihood[experiment, truth]))

    def posterior(self, history: Sequence[Seen]) -> Floats:
        """(h,): the probability of each hypothesis after a history.

        Raises ValueError for a history that no hypothesis allows.
        """
        weights = self.prior
        for experiment, outcome in history:
            weights = self.updated(weights, experiment, outcome)
        return weights

    def updated(self, belief: Floats, experiment: int, outcome: int) -> Floats:
        """A belief (h,) after one more outcome."""
        weights = belief * self.likelihood[experiment, :, outcome]
        total = weights.sum()
        if not total:
            raise ValueError(f"outcome {outcome} of experiment {experiment} is impossible here")
        return weights / total

    def of_doors(self, belief: Floats) -> Floats:
        """(d,): the probability of each door to be the right one."""
        # A sum of rounded shares may be a little more than 1.
        return np.minimum(belief @ self._of_door, 1.0)

    def information(self, belief: Floats) -> Floats:
        """(e,): by how many bits each experiment is expected to shrink the entropy of the right door."""
        # (e, d, o): the joint probability of door and outcome.
        joint = np.einsum("h,hd,eho->edo", belief, self._of_door, self.likelihood, optimize=True)
        together = entropy(joint.reshape(len(joint), -1))
        return entropy(self.of_doors(belief)) + entropy(joint.sum(axis=1)) - together

    def about_everything(self, belief: Floats) -> Floats:
        """(e,): by how many bits each experiment is expected to shrink the entropy of the hypotheses."""
        outcomes = np.einsum("h,eho->eo", belief, self.likelihood)
        return entropy(outcomes) - entropy(self.likelihood) @ belief

    def best(self, belief: Floats) -> int:
        """The experiment that says most about the door; among equals, most about everything."""
        about_door = self.information(belief)
        equal = about_door >= about_door.max() - TIE
        about_all = np.where(equal, self.about_everything(belief), -1)
        return int((about_all >= about_all.max() - TIE).argmax())

    def gained(self, history: Sequence[Seen]) -> float:
        """By how many bits a history has shrunk the entropy of the right door; negative if it misled."""
        before, after = (self.of_doors(belief) for belief in (self.prior, self.posterior(history)))
        return float(entropy(before) - entropy(after))

    def attainable(self, experiments: int) -> float:
        """By how many bits the best experiments of a number are expected to shrink that entropy.

        Each is the best next one (`best`), given the outcomes so far. Histories that leave less than
        `SETTLED` bits in all are not continued.
        """
        while len(self._uncertain) <= experiments:
            self._uncertain.append(self._after_best(self._uncertain[-1]))
        left = [sum(branch.bits for branch in branches) for branches in self._uncertain]
        return left[0] - left[experiments]

    def measures(self, history: Sequence[Seen], truth: int) -> dict[str, float | int]:
        """The numbers of a history that tables have, in bits.

        `information` are those by which the experiments have shrunk the entropy of the right door,
        `attainable` those that as many of the best are expected to; `exact_door` is the probability of the
        right door after them.
        """
        exact = self.of_doors(self.posterior(history))
        return {
            "experiments": len(history),
            "information": self.gained(history),
            "attainable": self.attainable(len(history)),
            "exact_door": float(exact[self.doors[truth]]),
        }

    def turns(self, experiments: Experiments) -> Iterator[dict[str, Any]]:
        """What is known at the start, after each experiment, and when a door was opened.

        `posterior` are the probabilities of the doors, `information` is what an experiment was expected to
        say about them, `best` what the best one was, in bits.
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
        """What may be known after 0, 1, 2, ... of the best experiments, as far as it was asked for."""
        return [[self._branch((), 1.0, self.prior)]]

    def _branch(self, history: tuple[Seen, ...], chance: float, belief: Floats) -> "_Branch":
        return _Branch(history, chance, belief, chance * float(entropy(self.of_doors(belief))))

    def _after_best(self, branches: list["_Branch"]) -> list["_Branch"]:
        """The branches after one more experiment, the best of each."""
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
    """A history, its chance, the belief after it, and its part of the entropy that is left, in bits."""

    history: tuple[Seen, ...]
    chance: float
    belief: Floats
    bits: float


def entropy(probabilities: Floats) -> Floats:
    """(...): the entropy in bits of distributions (..., n)."""
    p = np.asarray(probabilities)
    return -(p * np.log2(np.where(p > 0, p, 1))).sum(axis=-1)


def favours(belief: Sequence[float], door: int) -> bool:
    """Whether a belief (d,) gives no door more than this one."""
    return bool(belief[door] >= max(belief) - TIE)


def believed(asked: Sequence[Any], door: int | None) -> dict[str, float | int]:
    """The numbers that tables have of turns that asked for a `belief` (d,), None if it is missing.

    `divergence` is the mean of the stated ones from the exact ones (`posterior`), in bits, and `agrees`
    whether the `door` that was opened is that of the last stated belief.
    """
    stated = [turn for turn in asked if turn.belief is not None]
    found: dict[str, float | int] = {"missing_beliefs": len(asked) - len(stated)}
    if stated:
        found["divergence"] = float(np.mean([divergence(turn.posterior, turn.belief) for turn in stated]))
    if stated and door is not None:
        found["agrees"] = int(favours(stated[-1].belief, door))
    return found


def divergence(truth: npt.ArrayLike, stated: npt.ArrayLike, least: float = 1e-3) -> float:
    """The Kullback-Leibler divergence in bits of a stated distribution (d,) from the exact one.

    Stated probabilities below `least` count as that, so that a belief of 0 in what is possible costs much
    but not everything; then they are scaled to a sum of 1.
    """
    exact, kept = np.asarray(truth), np.maximum(stated, least)
    kept /= kept.sum()
    return float((exact * np.log2(np.where(exact > 0, exact, 1) / kept)).sum())
