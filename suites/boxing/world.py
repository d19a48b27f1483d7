"""What a world is: parameters drawn from a prior, designs, outcomes, and questions.

A design is an array (d,), an outcome an array (values,); `xs` (m, d) and `ys` (m, values) are several. A
world of an episode has its own parameters, `theta` (k,), and whatever else is drawn when it begins.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from scipy.special import ndtri

from arena.errors import ArenaError
from arena.packages import data_of
from suites.boxing.outcomes import Floats, Noise

Wording = Literal["story", "equations", "plain"]
"""What a model is told: what a world is about, the model and its noise as well, or neither."""

WORDINGS: tuple[Wording, ...] = ("story", "equations", "plain")

NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")

_ENDLESS = 1e6
"""Limits that only keep answers finite."""


class WrongReplyError(ArenaError):
    """A design or an answer that cannot be used; its text is what the model is shown."""


class Field(NamedTuple):
    """One number of a design or an answer, from `low` to `high`; without the ends if `open`."""

    label: str
    low: float
    high: float
    whole: bool = False
    open: bool = False
    start: float = 0.0

    @property
    def expected(self) -> str:
        """What is expected, in words."""
        kind = "a whole number" if self.whole else "a number"
        if self.high >= _ENDLESS:
            return kind if self.low <= -_ENDLESS else f"{kind}, {self.low:g} or more"
        ends = "between" if self.open else "from"
        return f"{kind} {ends} {self.low:g} {'and' if self.open else 'to'} {self.high:g}"

    def fits(self, value: float) -> bool:
        """Whether a number can be used."""
        inside = self.low < value < self.high if self.open else self.low <= value <= self.high
        return inside and (not self.whole or value == int(value))


class Words(NamedTuple):
    """Sentences about a design `x` and an outcome `y`, which are filled in as `{x[0]}` and `{y[0]}`.

    `outcome` says what came of an experiment, `question` asks for what would come of it. `choices` are the
    words of the outcomes 0 and 1, if there are no others.
    """

    outcome: str
    question: str
    choices: Sequence[str] = ("0", "1")


class Goal(NamedTuple):
    """What is asked for, and how answers are judged.

    `published`, `repaired`: names of losses of the two modes. `constants` are the paper's mean and standard
    deviation of the error; `accuracy` says that its analysis takes them for those of an accuracy. `answer`
    are the numbers of an answer. `asks` is the one question on the parameters, for goals other than
    prediction, `asks_story` the same as stories have it; `lost` is the question's text in the public code,
    where that does not have the design.
    """

    published: str
    repaired: str
    constants: tuple[float, float]
    answer: tuple[Field, ...]
    accuracy: bool = False
    asks: str = ""
    asks_story: str = ""
    lost: str = ""

    @property
    def chances(self) -> bool:
        """Whether a probability is asked for in the mode `repaired`."""
        return self.repaired == "brier"


class World(ABC):
    """A generative world. Its one `rng` draws everything that an episode begins with."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    """Raised when its worlds change; tasks of another version are other tasks."""
    noise: ClassVar[Noise]
    dimensions: ClassVar[int]
    """How many standard normal numbers the parameters are made of."""
    blocks: ClassVar[tuple[slice, ...]] = ()
    """Parts of these numbers that particles also move in alone, where a posterior is far from normal."""
    means: Any = 0.0
    sds: Any = 1.0
    """Of the parameters, if they are normal and independent."""
    parameter_names: ClassVar[tuple[str, ...]]
    fields: tuple[Field, ...]
    line: ClassVar[tuple[float, float, int]]
    """The ends of random designs of one number, and its decimals."""
    form: str
    """How a design is written, such as `x, y`."""
    goals: ClassVar[Mapping[str, Goal]]
    partial: ClassVar[frozenset[str]] = frozenset()
    """Goals that ask for some of the parameters only; their outcomes are 0 or 1."""
    speaks: ClassVar[bool] = False
    """Whether a narrator can say what comes of an experiment."""
    fixed: ClassVar[bool] = False
    """Whether the same design always has the same outcome, beyond what the parameters say."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.theta: Floats = self.prior(rng, 1)[0]

    def hide_meaning(self) -> None:
        """Name what a design has by numbers only."""
        self.fields = unnamed(self.fields, "input")
        self.form = ", ".join(field.label for field in self.fields)

    def prior(self, rng: np.random.Generator, number: int) -> Floats:
        """(number, k): parameters drawn from the prior."""
        return self.parameters(rng.standard_normal((number, self.dimensions)))

    def parameters(self, z: Floats) -> Floats:
        """(n, k): the parameters that standard normal numbers z (n, dimensions) stand for."""
        return np.asarray(self.means + self.sds * z)

    @abstractmethod
    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """(n, m) or (n, m, values): what outcomes of designs depend on, see `suites.boxing.outcomes`."""

    def loglik(self, theta: Floats, xs: Floats, ys: Floats) -> Floats:
        """(n, m): the log-likelihood of each outcome for each of n parameters."""
        return self.noise.loglik(self.signals(theta, xs), ys)

    def expected(self, theta: Floats, xs: Floats) -> Floats:
        """(n, m, values): the mean outcome."""
        return self.noise.expected(self.signals(theta, xs))

    def sample(self, theta: Floats, x: Floats, rng: np.random.Generator) -> Floats:
        """(values,): an outcome of a design for parameters (k,)."""
        return self.noise.sample(self.signals(theta[None], x[None])[0, 0], rng)

    def observe(self, x: Floats, rng: np.random.Generator) -> Floats:
        """(values,): what comes of an experiment in this world."""
        return self.sample(self.theta, x, rng)

    def grid(self) -> tuple[Floats, Floats] | None:
        """Parameters (n, k) and their prior weights, summing to 1, that stand for all; None: too many."""
        return None

    def parts(self) -> "Sequence[World]":
        """Worlds of one value of the outcome each, if each has parameters of its own; else empty."""
        return ()

    def random_design(self, rng: np.random.Generator) -> Floats:
        """(d,): the paper's random design; by default uniform on the line."""
        low, high, digits = self.line
        return np.array([round(rng.uniform(low, high), digits)])

    @abstractmethod
    def designs(self) -> Floats:
        """(m, d): designs so dense that the best of them is about the best of all."""

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """(d,): a design whose outcome is asked for."""
        return self.random_design(rng)

    def questions(
        self, rng: np.random.Generator, number: int, published: bool
    ) -> tuple[Floats, Floats, Floats]:
        """Designs (number, d), their mean outcomes, and outcomes that were drawn, both (number, values).

        As published, as many 1 as 0 if there are no other outcomes, by rejection.
        """
        xs: list[Floats] = []
        ys: list[Floats] = []
        balanced = published and self._chooses
        for drawn in count():
            x = self.question(rng, published)
            y = self.sample(self.theta, x, rng)
            alike = sum(float(each[0]) == float(y[0]) for each in ys)
            # After 60 draws for each, questions are no longer balanced.
            if not balanced or alike < (number + 1) // 2 or drawn >= 60 * number:
                xs.append(x)
                ys.append(y)
            if len(xs) == number:
                break
        found = np.array(xs)
        return found, self.expected(self.theta[None], found)[0], np.array(ys)

    def target(self, goal: str, theta: Floats) -> Floats:
        """(n, values): what the question of a goal other than prediction asks for, of parameters (n, k)."""
        return theta

    def parse(self, text: str) -> Floats:
        """(d,): the design of a reply. Raises WrongReplyError."""
        x = numbers(text, self.fields, self.form)
        self.check(x)
        return x

    def check(self, x: Floats) -> None:
        """Raise WrongReplyError for a design that no field excludes and that is impossible all the same."""
        return None

    def written(self, x: Floats) -> str:
        """A design as a reply has it."""
        return ", ".join(f"{value:.10g}" for value in x)

    def stepped(self, z: Floats, xs: Floats, rng: np.random.Generator) -> Floats:
        """(n, b): symmetric proposals for a block of numbers (n, b) after the designs (m, d) so far.

        Here steps of any length, from that of the prior to a thousandth of it.
        """
        return z + rng.standard_normal(z.shape) * 10 ** rng.uniform(-3, 0.2, (len(z), 1))

    def said(self, wording: Wording) -> Words:
        """The sentences of a wording."""
        told = data_of(__package__, "words.yaml")[self.name]
        if wording != "plain":
            return Words(**told["story"] | told.get(wording, {}))
        if "plain" in told:
            return Words(**told["plain"])
        inputs = ", ".join(f"{{x[{k}]}}" for k in range(len(self.fields)))
        inputs = f"({inputs})" if len(self.fields) > 1 else inputs
        choice = Words(f"For {inputs} the output was {{choice}}.", f"Is the output for {inputs} 1 or 0?")
        mean = Words(f"For {inputs} the output was {{y[0]}}.", f"What is the mean output for {inputs}?")
        return choice if self._chooses else mean

    def described(self, x: Floats, y: Floats, wording: Wording) -> str:
        """A sentence on what came of an experiment."""
        words = self.said(wording)
        outcome = words.choices[int(y[0])] if self._chooses else ""
        return words.outcome.format(x=_plain(x), y=_plain(y), choice=outcome)

    def asked(self, x: Floats, wording: Wording) -> str:
        """A question for what would come of an experiment."""
        words = self.said(wording)
        return words.question.format(x=_plain(x), choices=words.choices)

    def details(self, wording: Wording) -> str:
        """What a model is shown of what was drawn at the beginning, such as a list; empty if nothing."""
        return ""

    @property
    def _chooses(self) -> bool:
        return self.goals["prediction"].published == "wrong"


def numbers(text: str, fields: tuple[Field, ...], form: str) -> Floats:
    """(fields,): the numbers of a text, one for each field. Raises WrongReplyError for any others."""
    found = [float(each) for each in NUMBER.findall(text)]
    if len(found) != len(fields):
        raise WrongReplyError(
            f"got {len(found)} numbers in {text.strip()[:60]!r}, expected {len(fields)}, written as {form}"
        )
    for value, field in zip(found, fields, strict=True):
        if not field.fits(value):
            raise WrongReplyError(f"{field.label}: got {value:g}, expected {field.expected}")
    return np.array(found)


def unnamed(fields: tuple[Field, ...], what: str) -> tuple[Field, ...]:
    """Fields that are named by a word and a number."""
    if len(fields) == 1:
        return (fields[0]._replace(label=what),)
    return tuple(field._replace(label=f"{what} {k}") for k, field in enumerate(fields, start=1))


def half_normal_quantiles(number: int) -> Floats:
    """(number,): the middles of equally probable pieces of the absolute value of a standard normal number."""
    return np.asarray(ndtri(0.5 + (np.arange(number) + 0.5) / (2 * number)))


def _plain(values: Floats) -> list[str]:
    return [f"{value:.6g}" for value in values]
