"""Worlds of people: choices, answers, survival, feelings and moral judgements.

Hyperbolic discounting: how people discount money. Item response theory, two parameters a question: students'
right answers. Survival after mastectomy: life or death of a hundred patients. Emotions from outcomes: a
player's feelings after winning or not. Moral machines: whom a driverless car should save.
"""

import re
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import expit, gammaincinv, ndtr

from arena.packages import rows_of
from suites.boxing.outcomes import Bernoulli, Floats, Likert
from suites.boxing.world import Field, Goal, Wording, World, WrongReplyError, half_normal_quantiles

SLIP = 0.01
"""Probability of either choice whatever is offered."""

_MOST_OFFERED = 10_000


class Hyperbolic(World):
    """Hyperbolic discounting: log k ~ N(-4.25, 0.5), alpha ~ half-normal of scale 2. The later, larger reward
    is chosen with the probability 0.01 + 0.98 Phi((delayed / (1 + k days) - immediate) / alpha)."""

    name = "hyperbolic"
    noise = Bernoulli()
    dimensions = 2
    parameter_names = ("k", "alpha")
    fields = (
        Field("immediate reward", 1, _MOST_OFFERED, whole=True, start=50),
        Field("delayed reward", 2, _MOST_OFFERED, whole=True, start=100),
        Field("days of delay", 1, _MOST_OFFERED, whole=True, start=30),
    )
    form = "immediate reward, delayed reward, days"
    goals: ClassVar = {
        "prediction": Goal(
            "wrong", "brier", (0.5, 0.46928), (Field("choice", 0, 1, whole=True),), accuracy=True
        ),
        "discount": Goal(
            "squared",
            "ratio",
            (0.25, 4.3),
            (Field("k", 0, 1e6),),
            asks="What is k, if the worth of a delayed reward is divided by 1 + k times the delay?",
            asks_story="What is the discount factor k, if the worth of a delayed reward is divided by one "
            "plus k for each day of delay?",
        ),
    }
    partial: ClassVar = frozenset({"discount"})

    def parameters(self, z: Floats) -> Floats:
        """Return k in 1 / day, and alpha."""
        return np.stack([np.exp(-4.25 + 0.5 * z[:, 0]), np.maximum(2 * np.abs(z[:, 1]), 1e-6)], axis=1)

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """Compute the probability of the delayed reward."""
        k, alpha = theta[:, 0, None], theta[:, 1, None]
        gain = xs[:, 1] / (1 + k * xs[:, 2]) - xs[:, 0]
        return np.asarray(SLIP + (1 - 2 * SLIP) * ndtr(gain / alpha))

    def grid(self) -> tuple[Floats, Floats]:
        """List 161 values of log k and 41 quantiles of alpha."""
        z = np.linspace(-4, 4, 161)
        axes = np.stack(np.meshgrid(z, half_normal_quantiles(41), indexing="ij"), axis=-1).reshape(-1, 2)
        weights = np.exp(-0.5 * axes[:, 0] ** 2)
        return self.parameters(axes), weights / weights.sum()

    def random_design(self, rng: np.random.Generator) -> Floats:
        """Draw an immediate reward, a larger delayed one, and the delay. Immediate 1 to 199, delayed up to
        299, 1 to 364 days."""
        immediate = rng.integers(1, 200)
        return np.array([immediate, rng.integers(immediate + 1, 300), rng.integers(1, 365)], np.float64)

    def designs(self) -> Floats:
        """List ratios and delays on logarithmic scales, for two delayed rewards."""
        days = np.unique(np.round(np.geomspace(1, 1000, 13)))
        ratios = np.linspace(0.04, 0.98, 17)
        found = np.array(
            [(max(1, round(r * d)), d, t) for d in (50, 300) for r in ratios for t in days], float
        )
        return np.unique(found[found[:, 0] < found[:, 1]], axis=0)

    def target(self, goal: str, theta: Floats) -> Floats:
        """Return k."""
        return theta[:, :1]

    def check(self, x: Floats) -> None:
        """Require the delayed reward to be the larger one."""
        if x[0] >= x[1]:
            raise WrongReplyError(
                f"got {x[0]:g} at once and {x[1]:g} later; the delayed reward must be larger"
            )


HELD_OUT = 10
"""Held-out pairs, half of them right, which are asked for but unobservable."""


class Irt(World):
    """Item responses: six abilities, difficulties and discriminations ~ N(0, 1). Right with the probability
    logistic(discrimination (ability - difficulty)). Each pair has one answer, which is drawn once."""

    name = "irt"
    noise = Bernoulli()
    dimensions = 18
    parameter_names = tuple(f"{what}{k}" for what in ("ability", "difficulty", "slope") for k in range(1, 7))
    fields = (Field("student", 1, 6, whole=True, start=1), Field("question", 1, 6, whole=True, start=1))
    form = "student, question"
    goals: ClassVar = {"prediction": Goal("wrong", "brier", (0.5, 0.5), (Field("right", 0, 1, whole=True),))}
    fixed = True

    def __init__(self, rng: np.random.Generator) -> None:
        """Draw the table again if a kind has fewer than five answers."""
        pairs = np.array([(i, j) for i in range(1, 7) for j in range(1, 7)], np.float64)
        while True:
            super().__init__(rng)
            answers = self.noise.sample(self.signals(self.theta[None], pairs)[0], rng)[:, 0]
            right, wrong = np.flatnonzero(answers), np.flatnonzero(answers == 0)
            if min(len(right), len(wrong)) >= HELD_OUT // 2:
                break
        half = HELD_OUT // 2
        held = np.concatenate([rng.permutation(right)[:half], rng.permutation(wrong)[:half]])
        self._table = {(int(i), int(j)): float(y) for (i, j), y in zip(pairs, answers, strict=True)}
        self._held = pairs[rng.permutation(held)]
        self._open = np.delete(pairs, held, axis=0)

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """Compute the probability of a right answer."""
        student, question = (xs.astype(int) - 1).T
        ability, difficulty, slope = theta[:, student], theta[:, 6 + question], theta[:, 12 + question]
        return np.asarray(expit(slope * (ability - difficulty)))

    def observe(self, x: Floats, rng: np.random.Generator) -> Floats:
        """Read the table."""
        return np.array([self._table[int(x[0]), int(x[1])]])

    def random_design(self, rng: np.random.Generator) -> Floats:
        """Draw any pair that is not held out."""
        return np.asarray(self._open[rng.integers(len(self._open))])

    def designs(self) -> Floats:
        """List all pairs that are not held out."""
        return self._open

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """Draw a held-out pair."""
        return np.asarray(self._held[rng.integers(HELD_OUT)])

    def questions(
        self, rng: np.random.Generator, number: int, published: bool
    ) -> tuple[Floats, Floats, Floats]:
        """Ask held-out pairs, each once in ten; the table has the truth."""
        xs = self._held[np.arange(number) % HELD_OUT]
        ys = np.array([self.observe(x, rng) for x in xs])
        return xs, ys, ys

    def check(self, x: Floats) -> None:
        """Refuse held-out pairs as observations."""
        if (self._held == x).all(axis=1).any():
            raise WrongReplyError(
                f"({x[0]:g}, {x[1]:g}) is held out: it is asked for later and cannot be observed"
            )

    def details(self, wording: Wording) -> str:
        """Describe the unobservable pairs."""
        held = ", ".join(f"({i:g}, {j:g})" for i, j in self._held[np.lexsort(self._held.T[::-1])])
        return f"These pairs cannot be observed: {held}."


PATIENTS = 100

_SHAPE = _RATE = 0.1


class Survival(World):
    """Survival: hazard lambda0 ~ Gamma(0.1, rate 0.1), beta ~ half-normal of scale 10.

    A patient at time t after the operation, metastasized m = 0 or 1, is dead with the probability logistic(t
    lambda0 exp(beta m)).
    """

    name = "survival"
    noise = Bernoulli()
    dimensions = 2
    parameter_names = ("lambda0", "beta")
    fields = (Field("patient", 1, PATIENTS, whole=True, start=1),)
    form = "number of a patient"
    goals: ClassVar = {
        "prediction": Goal(
            "wrong", "brier", (0.2604, 0.43885), (Field("dead", 0, 1, whole=True),), accuracy=True
        )
    }

    fixed = True

    def __init__(self, rng: np.random.Generator) -> None:
        """Draw a list of patients: number, years after the operation, metastasis."""
        super().__init__(rng)
        years = np.round(rng.uniform(0, 10, PATIENTS), 1)
        self._patients = np.stack([np.arange(1.0, PATIENTS + 1), years, rng.integers(0, 2, PATIENTS)], axis=1)
        self._dead = self.noise.sample(self.signals(self.theta[None], self._patients)[0], rng)

    def observe(self, x: Floats, rng: np.random.Generator) -> Floats:
        """Return the patient's fixed outcome."""
        return np.asarray(self._dead[int(x[0]) - 1])

    def parameters(self, z: Floats) -> Floats:
        """Return lambda0 in 1 / year, and beta."""
        return np.stack([gammaincinv(_SHAPE, ndtr(z[:, 0])) / _RATE, 10 * np.abs(z[:, 1])], axis=1)

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """Compute the probability of being dead."""
        hazard = theta[:, 0, None] * np.exp(theta[:, 1, None] * xs[:, 2])
        return np.asarray(expit(xs[:, 1] * hazard))

    def grid(self) -> tuple[Floats, Floats]:
        """List 160 quantiles of lambda0 and 60 of beta."""
        p = (np.arange(160) + 0.5) / 160
        hazard = gammaincinv(_SHAPE, p) / _RATE
        beta = 10 * half_normal_quantiles(60)
        theta = np.stack(np.meshgrid(hazard, beta, indexing="ij"), axis=-1).reshape(-1, 2)
        return theta, np.full(len(theta), 1 / len(theta))

    def random_design(self, rng: np.random.Generator) -> Floats:
        """Draw any patient."""
        return np.asarray(self._patients[rng.integers(PATIENTS)])

    def designs(self) -> Floats:
        """List all patients."""
        return self._patients

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """Draw another patient from the same distribution."""
        return np.array([0, round(rng.uniform(0, 10), 1), rng.integers(0, 2)], np.float64)

    def parse(self, text: str) -> Floats:
        """Parse a patient's number."""
        return np.asarray(self._patients[int(super().parse(text)[0]) - 1])

    def written(self, x: Floats) -> str:
        """Write the patient's number."""
        return f"{x[0]:g}"

    def details(self, wording: Wording) -> str:
        """Write the list of patients."""
        rows = [f"{k:g}: {years:g}, {m:g}" for k, years, m in self._patients]
        heading = "patient: years after the operation, metastasized"
        heading = "row: two inputs" if wording == "plain" else heading
        return "\n".join([heading, *rows])


EMOTIONS = ("happy", "sad", "angry", "surprised", "afraid", "disgusted", "content", "disappointed")

LEVELS = (
    *("not at all", "barely", "slightly", "a little", "moderately"),
    *("rather", "quite", "very", "extremely"),
)
"""Words of the ratings from 1 to 9."""

EMOTION_MEANS = np.array(
    [
        [4.5, 3.5, 1.7, 3.3, 1.4, 1.8, 3.7, 2.0],
        [0.04, -0.025, -0.005, 0.02, 0.0, -0.005, 0.03, -0.03],
        [0.035, -0.02, -0.025, 0.01, 0.0, -0.02, 0.02, -0.045],
        [-0.015, 0.025, 0.025, 0.035, 0.005, 0.02, -0.01, 0.02],
    ]
)
"""Prior means: intercepts, and weights of prize, surprise and absolute surprise."""


class Emotions(World):
    """Emotions: eight ratings, linear in prize, surprise and absolute surprise.

    They are N(a + b1 prize + b2 (prize - expected) + b3 |prize - expected|, s), cut off, 1 to 9; a ~
    N(EMOTION_MEANS, 0.1), b ~ N(EMOTION_MEANS, 0.01), s ~ half-normal(1), each for every emotion.
    """

    name = "emotions"
    version = 2
    speaks = True
    noise = Likert()
    dimensions = 40
    means = EMOTION_MEANS
    parameter_names = tuple(
        f"{what} {each}" for each in EMOTIONS for what in ("base", "prize", "surprise", "size", "sd")
    )
    fields = (
        *(Field(f"prize {k}", 0, 100, start=50) for k in (1, 2, 3)),
        *(Field(f"probability {k}", 0, 1, start=0.34 if k == 1 else 0.33) for k in (1, 2, 3)),
        Field("prize that is won", 1, 3, whole=True, start=1),
    )
    form = (
        "prize 1, prize 2, prize 3, probability 1, probability 2, probability 3, "
        "number of the prize that is won"
    )
    goals: ClassVar = {
        "prediction": Goal(
            "absolute", "absolute", (1.58509, 0.72371), tuple(Field(e, 1, 9) for e in EMOTIONS)
        )
    }

    def parameters(self, z: Floats) -> Floats:
        """Return coefficients and standard deviation for each emotion."""
        z = z.reshape(len(z), -1, 5)
        coefficients = self.means.T + np.array([0.1, 0.01, 0.01, 0.01]) * z[..., :4]
        sd = np.maximum(np.abs(z[..., 4:]), 0.01)
        return np.concatenate([coefficients, sd], axis=2).reshape(len(z), -1)

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """Compute each rating's mean and standard deviation. Dollars are the prize, unless `xs` has them."""
        dollars = xs[:, 7] if xs.shape[1] > 7 else xs[np.arange(len(xs)), xs[:, 6].astype(int) - 1]
        surprise = dollars - (xs[:, :3] * xs[:, 3:6]).sum(axis=1)
        features = np.stack([np.ones(len(xs)), dollars, surprise, np.abs(surprise)], axis=1)
        theta = theta.reshape(len(theta), -1, 5)
        means = np.einsum("mf,nef->nme", features, theta[..., :4])
        return np.stack([means, np.broadcast_to(theta[:, None, :, 4], means.shape)], axis=-1)

    def parts(self) -> "list[World]":
        """List its emotions, each with parameters of its own."""
        return [_Emotion(place) for place in range(len(EMOTIONS))]

    def random_design(self, rng: np.random.Generator) -> Floats:
        """Draw prizes of 0 to 100, probabilities in hundredths, and a won prize."""
        cuts = np.sort(rng.integers(1, 99, 2))
        hundredths = np.diff([0, cuts[0], cuts[1] + 1, 100])
        return np.array([*rng.integers(0, 101, 3), *hundredths / 100, rng.integers(1, 4)], np.float64)

    def designs(self) -> Floats:
        """List fixed random designs, and sure and surprising wins of 0 and 100."""
        rng = np.random.default_rng(0)
        drawn = [self.random_design(rng) for _ in range(150)]
        for a, b in ((0, 100), (100, 0)):
            drawn += [np.array([a, b, b, p, (1 - p) / 2, (1 - p) / 2, 1]) for p in (0.02, 0.5, 0.98)]
        return np.array(drawn)

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """Draw a random design. The public code takes the prize's index, 0 to 2, for the dollars won."""
        x = self.random_design(rng)
        return np.append(x, x[6] - 1) if published else x

    def check(self, x: Floats) -> None:
        """Require probabilities that sum to 1, and a possible win."""
        if abs(x[3:6].sum() - 1) > 0.011:
            raise WrongReplyError(f"the probabilities sum to {x[3:6].sum():g}, expected 1")
        if x[2 + int(x[6])] <= 0:
            raise WrongReplyError(f"prize {x[6]:g} has the probability 0 and cannot be won")

    def described(self, x: Floats, y: Floats, wording: Wording) -> str:
        """Quote the participant."""
        if wording == "plain":
            return super().described(x, y, wording)
        felt = [f"{LEVELS[int(rating) - 1]} {emotion}" for rating, emotion in zip(y, EMOTIONS, strict=True)]
        return f'The participant says: "The player is {", ".join(felt[:-1])} and {felt[-1]}."'

    def details(self, wording: Wording) -> str:
        """List the words of the ratings."""
        words = f"Their words for the ratings from 1 to 9 are: {', '.join(LEVELS)}."
        return "" if wording == "plain" else words


class _Emotion(Emotions):
    """One of the emotions."""

    dimensions = 5

    def __init__(self, place: int) -> None:
        self.means = EMOTION_MEANS[:, [place]]


Ints = npt.NDArray[np.int64]

_CHARACTERS = rows_of(__package__, "characters.csv")
"""Attributes of the characters.

Female -1; fit 1, large -1; high status 1, pregnant 1.5; child 1; human 1; human 1, pet -1. As the public code
has them: it does not distinguish who is male, old, homeless or in a stroller.
"""

CHARACTER_NAMES = tuple(row["name"] for row in _CHARACTERS)
LARGEST_GROUP = 4

_ATTRIBUTES = np.array([[*row.values()][1:] for row in _CHARACTERS], np.float64)


class Morals(World):
    """Moral machines: group 1 is saved with the probability logistic(w . features).

    The features: a constant with weight ~ N(0, 0.3), 1 or -1 if the car has to swerve or stay for it, group 1
    itself, and the sums of attributes of group 1 less those of group 2.
    """

    name = "morals"
    version = 2
    speaks = True
    noise = Bernoulli()
    dimensions = 9
    means, sds = np.array([0.0, -0.3, 0.4, -0.3, 0.4, 0.1, 0.1, 0.7, 0.6]), np.array([0.3, *[0.1] * 8])
    """Weights of intercept, swerving (1) or staying (-1), group 1, and attributes."""
    parameter_names = (
        *("intercept", "swerve", "group 1", "gender", "fitness"),
        *("status", "age", "humans", "species"),
    )
    fields = (
        *(Field(f"group {g}: {name}", 0, LARGEST_GROUP) for g in (1, 2) for name in CHARACTER_NAMES),
        Field("swerve", 0, 1),
    )
    form = "characters of group 1; characters of group 2; swerve or stay"
    goals: ClassVar = {
        "prediction": Goal(
            "wrong", "brier", (0.424, 0.49419), (Field("group 1", 0, 1, whole=True),), accuracy=True
        )
    }

    def hide_meaning(self) -> None:
        """Keep the members' names, the only information on them."""
        self.form = "members of set 1; members of set 2; swerve or stay"

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """Compute the probability that group 1 is saved."""
        difference = (xs[:, :18] - xs[:, 18:36]) @ _ATTRIBUTES
        ones = np.ones((len(xs), 1))
        return np.asarray(
            expit(theta @ np.concatenate([ones, 2 * xs[:, 36:] - 1, ones, difference], axis=1).T)
        )

    def random_design(self, rng: np.random.Generator) -> Floats:
        """Draw two groups of 1 to 4, and swerving or staying."""
        groups = [rng.integers(0, 18, rng.integers(1, LARGEST_GROUP + 1)) for _ in range(2)]
        return _encoded(groups, bool(rng.integers(0, 2)))

    def designs(self) -> Floats:
        """List fixed random designs."""
        rng = np.random.default_rng(0)
        return np.array([self.random_design(rng) for _ in range(400)])

    def parse(self, text: str) -> Floats:
        """Parse two lists of characters and a word, between semicolons. Raises WrongReplyError."""
        parts = [part.strip().lower() for part in text.strip().strip(";").split(";")]
        if len(parts) != 3:
            raise WrongReplyError(
                f"got {len(parts)} parts between semicolons, expected 3, written as {self.form}"
            )
        if parts[2] not in ("swerve", "stay"):
            raise WrongReplyError(f"got {parts[2][:40]!r}, expected swerve or stay")
        return _encoded([_group(part) for part in parts[:2]], parts[2] == "swerve")

    def written(self, x: Floats) -> str:
        """Write the groups by names."""
        return "; ".join(_spelled(x))

    def described(self, x: Floats, y: Floats, wording: Wording) -> str:
        """Quote the participant, or write the output."""
        one, two, action = _spelled(x)
        if wording == "plain":
            return f"For ({one}; {two}; {action}) the output was {y[0]:g}."
        saved = f"group 1 ({one})" if y[0] else f"group 2 ({two})"
        return f'To save group 1, the car had to {action}. The participant says: "I save {saved}."'

    def asked(self, x: Floats, wording: Wording) -> str:
        """Ask whom the participant saves."""
        return self.said(wording).question.format(*_spelled(x))

    def details(self, wording: Wording) -> str:
        """List the characters."""
        what = "members of a set" if wording == "plain" else "characters"
        return f"The {what} are: {', '.join(CHARACTER_NAMES)}."


def _encoded(groups: list[Ints], swerve: bool) -> Floats:
    """Count characters in both groups, and swerving, as (37,)."""
    counts = [np.bincount(np.asarray(each, np.int64), minlength=18) for each in groups]
    return np.concatenate([*counts, [swerve]]).astype(np.float64)


def _group(text: str) -> Ints:
    words = [re.sub(r"[\s_-]+", "_", word.strip(" []()'\"")) for word in text.split(",")]
    unknown = [word for word in words if word not in CHARACTER_NAMES]
    if unknown:
        raise WrongReplyError(
            f"got {unknown[0][:40]!r}, expected characters among {', '.join(CHARACTER_NAMES)}"
        )
    if len(words) > LARGEST_GROUP:
        raise WrongReplyError(f"got a group of {len(words)}, expected 1 to {LARGEST_GROUP} characters")
    return np.array([CHARACTER_NAMES.index(word) for word in words])


def _spelled(x: Floats) -> tuple[str, str, str]:
    groups = [
        ", ".join(n for n, k in zip(CHARACTER_NAMES, part, strict=True) for _ in range(int(k)))
        for part in (x[:18], x[18:36])
    ]
    return groups[0], groups[1], "swerve" if x[36] else "stay"
