"""Generative worlds: parameters drawn from a prior, designs, outcomes, and questions.

A design is an array (d,), an outcome an array (values,); `xs` (m, d) and `ys` (m, values) are several. A
world of an episode has its own parameters, `theta` (k,), and other draws of its beginning.
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
"""Description of a world: its topic, also model and noise, or neither."""

WORDINGS: tuple[Wording, ...] = ("story", "equations", "plain")

NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")

_ENDLESS = 1e6
"""Limits that only keep answers finite."""


class WrongReplyError(ArenaError):
    """Unusable design or answer; its text is shown to the model."""


class Field(NamedTuple):
    """Number of a design or answer, from `low` to `high`. Without the ends if `open`."""

    label: str
    low: float
    high: float
    whole: bool = False
    open: bool = False
    start: float = 0.0

    @property
    def expected(self) -> str:
        """Describe the expected number."""
        kind = "a whole number" if self.whole else "a number"
        if self.high >= _ENDLESS:
            return kind if self.low <= -_ENDLESS else f"{kind}, {self.low:g} or more"
        ends = "between" if self.open else "from"
        return f"{kind} {ends} {self.low:g} {'and' if self.open else 'to'} {self.high:g}"

    def fits(self, value: float) -> bool:
        """Return whether a number is allowed."""
        inside = self.low < value < self.high if self.open else self.low <= value <= self.high
        return inside and (not self.whole or value == int(value))


class Words(NamedTuple):
    """Sentences with placeholders of design and outcome, such as `{x[0]}`, `{y[0]}`.

    `outcome` describes an experiment's result, `question` asks for one. `choices` are the words of the
    outcomes 0 and 1, if there are no others.
    """

    outcome: str
    question: str
    choices: Sequence[str] = ("0", "1")


class Goal(NamedTuple):
    """Final question, and its scoring.

    `published`, `repaired`: names of losses of the two modes. `constants` are the paper's mean and standard
    deviation of the error; `accuracy` says that its analysis takes them for those of an accuracy. `answer`
    are the numbers of an answer. `asks` is the one question on the parameters, for goals other than
    prediction, `asks_story` its version in stories; `lost` is the question's text in the public code, which
    lacks the design.
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
        """Return whether the mode `repaired` asks for a probability."""
        return self.repaired == "brier"


class World(ABC):
    """Generative world. Its one `rng` draws everything that an episode begins with."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    """Raised when its worlds change; tasks of another version are other tasks."""
    noise: ClassVar[Noise]
    dimensions: ClassVar[int]
    """Number of standard normal numbers that form the parameters."""
    blocks: ClassVar[tuple[slice, ...]] = ()
    """Parts of these numbers that also move alone, for difficult posteriors."""
    means: Any = 0.0
    sds: Any = 1.0
    """Standard deviations of the parameters, if normal and independent."""
    parameter_names: ClassVar[tuple[str, ...]]
    fields: tuple[Field, ...]
    line: ClassVar[tuple[float, float, int]]
    """Ends of random designs of one number, and its decimals."""
    form: str
    """Format of a design, such as `x, y`."""
    goals: ClassVar[Mapping[str, Goal]]
    partial: ClassVar[frozenset[str]] = frozenset()
    """Goals about some of the parameters only. Their outcomes are 0 or 1."""
    speaks: ClassVar[bool] = False
    """True if a narrator can describe the experiments' outcomes."""
    fixed: ClassVar[bool] = False
    """True if a design's outcome is fixed, beyond the parameters."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.theta: Floats = self.prior(rng, 1)[0]

    def hide_meaning(self) -> None:
        """Name parts of a design by numbers only."""
        self.fields = unnamed(self.fields, "input")
        self.form = ", ".join(field.label for field in self.fields)

    def prior(self, rng: np.random.Generator, number: int) -> Floats:
        """Draw parameters (number, k) from the prior."""
        return self.parameters(rng.standard_normal((number, self.dimensions)))

    def parameters(self, z: Floats) -> Floats:
        """Convert standard normal numbers (n, dimensions) to parameters (n, k)."""
        return np.asarray(self.means + self.sds * z)

    @abstractmethod
    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """Compute outcome signals (n, m) or (n, m, values), see `suites.boxing.outcomes`."""

    def loglik(self, theta: Floats, xs: Floats, ys: Floats) -> Floats:
        """Compute the log-likelihood of each outcome for n parameters, (n, m)."""
        return self.noise.loglik(self.signals(theta, xs), ys)

    def expected(self, theta: Floats, xs: Floats) -> Floats:
        """Compute the mean outcome, (n, m, values)."""
        return self.noise.expected(self.signals(theta, xs))

    def sample(self, theta: Floats, x: Floats, rng: np.random.Generator) -> Floats:
        """Draw an outcome (values,) of a design for parameters (k,)."""
        return self.noise.sample(self.signals(theta[None], x[None])[0, 0], rng)

    def observe(self, x: Floats, rng: np.random.Generator) -> Floats:
        """Draw an experiment's outcome (values,) in this world."""
        return self.sample(self.theta, x, rng)

    def grid(self) -> tuple[Floats, Floats] | None:
        """List representative parameters (n, k) with prior weights; None: too many. The weights sum to 1."""
        return None

    def parts(self) -> "Sequence[World]":
        """List worlds of single outcome values, if their parameters are separate. Otherwise empty."""
        return ()

    def random_design(self, rng: np.random.Generator) -> Floats:
        """Draw the paper's random design (d,), by default uniform on the line."""
        low, high, digits = self.line
        return np.array([round(rng.uniform(low, high), digits)])

    @abstractmethod
    def designs(self) -> Floats:
        """List dense designs (m, d), one of them nearly optimal."""

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """Draw a design (d,) to ask about."""
        return self.random_design(rng)

    def questions(
        self, rng: np.random.Generator, number: int, published: bool
    ) -> tuple[Floats, Floats, Floats]:
        """Draw designs (number, d), mean outcomes, and outcomes, both (number, values). As published, as many
        1 as 0 if there are no other outcomes, by rejection."""
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
        """Compute the true answers (n, values) of a goal from parameters (n, k). For goals other than
        prediction."""
        return theta

    def parse(self, text: str) -> Floats:
        """Parse a reply's design (d,). Raises WrongReplyError."""
        x = numbers(text, self.fields, self.form)
        self.check(x)
        return x

    def check(self, x: Floats) -> None:
        """Raise WrongReplyError for a design that is impossible within its fields."""
        return None

    def written(self, x: Floats) -> str:
        """Write a design as in a reply."""
        return ", ".join(f"{value:.10g}" for value in x)

    def stepped(self, z: Floats, xs: Floats, rng: np.random.Generator) -> Floats:
        """Propose symmetric moves (n, b) of a block (n, b), given designs (m, d). Here steps of any length,
        from that of the prior to a thousandth of it."""
        return z + rng.standard_normal(z.shape) * 10 ** rng.uniform(-3, 0.2, (len(z), 1))

    def said(self, wording: Wording) -> Words:
        """Return the sentences of a wording."""
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
        """Describe an experiment's outcome in a sentence."""
        words = self.said(wording)
        outcome = words.choices[int(y[0])] if self._chooses else ""
        return words.outcome.format(x=_plain(x), y=_plain(y), choice=outcome)

    def asked(self, x: Floats, wording: Wording) -> str:
        """Ask for an experiment's outcome."""
        words = self.said(wording)
        return words.question.format(x=_plain(x), choices=words.choices)

    def details(self, wording: Wording) -> str:
        """Describe initial draws to the model, such as a list. Empty without any."""
        return ""

    @property
    def _chooses(self) -> bool:
        return self.goals["prediction"].published == "wrong"


def numbers(text: str, fields: tuple[Field, ...], form: str) -> Floats:
    """Parse a text's numbers, one per field. Raises WrongReplyError for any others."""
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
    """Name fields by a word and a number."""
    if len(fields) == 1:
        return (fields[0]._replace(label=what),)
    return tuple(field._replace(label=f"{what} {k}") for k, field in enumerate(fields, start=1))


def half_normal_quantiles(number: int) -> Floats:
    """List means of equally probable half-normal pieces, (number,)."""
    return np.asarray(ndtri(0.5 + (np.arange(number) + 0.5) / (2 * number)))


def _plain(values: Floats) -> list[str]:
    return [f"{value:.6g}" for value in values]
