"""Moral machines: whom should a car without a driver save?"""

import re
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from suites.boxing.outcomes import Bernoulli, Floats
from suites.boxing.world import Field, Goal, Wording, Words, World, WrongReplyError

Ints = npt.NDArray[np.int64]

CHARACTERS: dict[str, tuple[float, float, float, float, float, float]] = {
    "stroller": (0, 0, 0, 0, 1, 1),
    "boy": (0, 0, 0, 1, 1, 1),
    "girl": (-1, 0, 0, 1, 1, 1),
    "pregnant_woman": (-1, 0, 1.5, 0, 1, 1),
    "male_doctor": (0, 0, 1, 0, 1, 1),
    "female_doctor": (-1, 0, 1, 0, 1, 1),
    "female_athlete": (-1, 1, 0, 0, 1, 1),
    "male_athlete": (0, 1, 0, 0, 1, 1),
    "female_executive": (-1, 0, 1, 0, 1, 1),
    "male_executive": (0, 0, 1, 0, 1, 1),
    "large_woman": (-1, -1, 0, 0, 1, 1),
    "large_man": (0, -1, 0, 0, 1, 1),
    "homeless": (0, 0, 0, 0, 1, 1),
    "old_man": (0, 0, 0, 0, 1, 1),
    "old_woman": (-1, 0, 0, 0, 1, 1),
    "criminal": (0, 0, 0, 0, 1, 1),
    "dog": (0, 0, 0, 0, 0, -1),
    "cat": (0, 0, 0, 0, 0, -1),
}
"""Female -1; fit 1, large -1; high status 1, pregnant 1.5; child 1; human 1; human 1, pet -1.

As the public code has them: who is male, old, homeless or in a stroller is not told apart from others.
"""

NAMES = tuple(CHARACTERS)
LARGEST = 4

_ATTRIBUTES = np.array(list(CHARACTERS.values()), np.float64)
_DESIGNS = 400


class Morals(World):
    """Group 1 is saved with the probability logistic(w . features): a constant with weight ~ N(0, 0.3), 1 or
    -1 if the car has to swerve or stay for it, group 1 itself, and the sums of attributes of group 1 less
    those of group 2."""

    name = "morals"
    version = 2
    speaks = True
    noise = Bernoulli()
    dimensions = 9
    means, sds = np.array([0.0, -0.3, 0.4, -0.3, 0.4, 0.1, 0.1, 0.7, 0.6]), np.array([0.3, *[0.1] * 8])
    """Intercept, swerving (1) or staying (-1) for group 1, being group 1, and `CHARACTERS`' attributes."""
    parameter_names = (
        *("intercept", "swerve", "group 1", "gender", "fitness"),
        *("status", "age", "humans", "species"),
    )
    fields = (
        *(Field(f"group {g}: {name}", 0, LARGEST) for g in (1, 2) for name in NAMES),
        Field("swerve", 0, 1),
    )
    form = "characters of group 1; characters of group 2; swerve or stay"
    goals: ClassVar = {
        "prediction": Goal(
            "wrong", "brier", (0.424, 0.49419), (Field("group 1", 0, 1, whole=True),), accuracy=True
        )
    }
    words = Words(
        "",
        "Group 1: {0}. Group 2: {1}. To save group 1, the car has to {2}. "
        "Does the participant save group 1 (1) or group 2 (0)?",
    )
    plain = Words("", "First set: {0}. Second set: {1}. Third input: {2}. Is the output 1 or 0?")

    def hide_meaning(self) -> None:
        """Members keep their names: they are all that is known of them."""
        self.form = "members of set 1; members of set 2; swerve or stay"

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """The probability that group 1 is saved."""
        difference = (xs[:, :18] - xs[:, 18:36]) @ _ATTRIBUTES
        ones = np.ones((len(xs), 1))
        return np.asarray(
            expit(theta @ np.concatenate([ones, 2 * xs[:, 36:] - 1, ones, difference], axis=1).T)
        )

    def random_design(self, rng: np.random.Generator) -> Floats:
        """Two groups of 1 to 4, and swerve or stay by a coin."""
        groups = [rng.integers(0, 18, rng.integers(1, LARGEST + 1)) for _ in range(2)]
        return _encoded(groups, bool(rng.integers(0, 2)))

    def designs(self) -> Floats:
        """Always the same random ones."""
        rng = np.random.default_rng(0)
        return np.array([self.random_design(rng) for _ in range(_DESIGNS)])

    def parse(self, text: str) -> Floats:
        """Two lists of characters and a word, between semicolons. Raises WrongReplyError."""
        parts = [part.strip().lower() for part in text.strip().strip(";").split(";")]
        if len(parts) != 3:
            raise WrongReplyError(
                f"got {len(parts)} parts between semicolons, expected 3, written as {self.form}"
            )
        if parts[2] not in ("swerve", "stay"):
            raise WrongReplyError(f"got {parts[2][:40]!r}, expected swerve or stay")
        return _encoded([_group(part) for part in parts[:2]], parts[2] == "swerve")

    def written(self, x: Floats) -> str:
        """The groups by names."""
        return "; ".join(_spelled(x))

    def described(self, x: Floats, y: Floats, wording: Wording) -> str:
        """What the participant says, or the output."""
        one, two, action = _spelled(x)
        if wording == "plain":
            return f"For ({one}; {two}; {action}) the output was {y[0]:g}."
        saved = f"group 1 ({one})" if y[0] else f"group 2 ({two})"
        return f'To save group 1, the car had to {action}. The participant says: "I save {saved}."'

    def asked(self, x: Floats, wording: Wording) -> str:
        """A question for whom the participant saves."""
        return self.said(wording).question.format(*_spelled(x))

    def details(self, wording: Wording) -> str:
        """The characters."""
        return f"The {'characters' if wording != 'plain' else 'members of a set'} are: {', '.join(NAMES)}."


def _encoded(groups: list[Ints], swerve: bool) -> Floats:
    """(37,): how often each character is in group 1 and in group 2, and whether the car swerves."""
    counts = [np.bincount(np.asarray(each, np.int64), minlength=18) for each in groups]
    return np.concatenate([*counts, [swerve]]).astype(np.float64)


def _group(text: str) -> Ints:
    words = [re.sub(r"[\s_-]+", "_", word.strip(" []()'\"")) for word in text.split(",")]
    unknown = [word for word in words if word not in CHARACTERS]
    if unknown:
        raise WrongReplyError(f"got {unknown[0][:40]!r}, expected characters among {', '.join(NAMES)}")
    if len(words) > LARGEST:
        raise WrongReplyError(f"got a group of {len(words)}, expected 1 to {LARGEST} characters")
    return np.array([NAMES.index(word) for word in words])


def _spelled(x: Floats) -> tuple[str, str, str]:
    groups = [
        ", ".join(n for n, k in zip(NAMES, part, strict=True) for _ in range(int(k)))
        for part in (x[:18], x[18:36])
    ]
    return groups[0], groups[1], "swerve" if x[36] else "stay"
