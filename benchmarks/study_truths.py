"""A check that the analysis of a study finds the effects that were put in, and only those.

`python -m benchmarks.study_truths` makes ten studies of simulated participants with known effects, and many
studies of each kind: how often an effect is found, and how often its 95 % interval contains the truth.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import erf, sqrt
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from benchmarks import run
from evaluation.analysis import Effect, effects
from evaluation.groups import PEOPLE
from evaluation.statistics import wilson

ABILITY, EASE = 0.8, 1.0
"""Standard deviations of participants and of tasks, in logits."""


@dataclass(frozen=True)
class Group:
    """Participants who are alike: `logits` is their mean ability; those who are `steady` do not differ."""

    size: int
    condition: str = ""
    agent: str = PEOPLE
    logits: float = 0.0
    steady: bool = False


@dataclass(frozen=True)
class Truth:
    """A kind of study whose effects are known; `there` are the factors that have one.

    `learnt` is what is gained from the first to the last place of the order, in logits, and `rates` its
    standard deviation over participants; `suites` are the number and mean ease of the tasks of each; `own` is
    the standard deviation of what a single task is to a group. `missing` is the share of trials broken off.
    """

    name: str
    groups: tuple[Group, ...]
    there: tuple[str, ...] = ()
    learnt: float = 0.0
    rates: float = 0.0
    suites: dict[str, tuple[int, float]] = field(default_factory=lambda: {"arena": (20, 0.0)})
    own: float = 0.0
    missing: float = 0.0

    def study(self, seed: int) -> pd.DataFrame:
        """A simulated study, with the columns of an export's results that the analysis needs."""
        rng = np.random.default_rng(seed)
        suites = np.repeat([*self.suites], [count for count, _ in self.suites.values()])
        eases = rng.normal([self.suites[suite][1] for suite in suites], EASE)
        parts = [
            self._trials(group, suites, eases + own, rng).assign(participant=f"{place}-{number}")
            for place, group in enumerate(self.groups)
            for own in [rng.normal(0, self.own, len(suites))]
            for number in range(group.size)
        ]
        trials = pd.concat(parts, ignore_index=True).astype({"passed": "boolean"})
        broken = rng.random(len(trials)) < self.missing
        error = pd.Series(None, trials.index, dtype="str").mask(broken, "broken off")
        return trials.assign(passed=trials["passed"].mask(broken), error=error)

    def _trials(self, group: Group, suites: Any, eases: Any, rng: np.random.Generator) -> pd.DataFrame:
        order = rng.permutation(len(suites))
        ability = group.logits + (0.0 if group.steady else rng.normal(0, ABILITY))
        learnt = rng.normal(self.learnt, self.rates) * (np.linspace(0, 1, len(suites)) - 0.5)
        logits = ability + learnt + eases[order]
        chances = logits > 0 if group.steady else 1 / (1 + np.exp(-logits))
        columns = {"task_id": [f"task-{task}" for task in order], "suite": suites[order]}
        fixed = {"agent": group.agent, "condition": group.condition, "kind": "", "block": "", "score": None}
        passed = rng.random(len(suites)) < chances
        return pd.DataFrame(columns).assign(order=np.arange(1, len(suites) + 1), passed=passed, **fixed)

    def difference(self, effect: Effect) -> float:
        """The true size of an effect, in points."""
        if effect.factor == "order":
            return self._rate(self.groups, self.learnt / 2) - self._rate(self.groups, -self.learnt / 2)
        rates = []
        for name in (effect.level, effect.against):
            if effect.factor == "suite":
                rates.append(self._rate(self.groups, self.suites[name][1]))
            else:
                rates.append(self._rate([g for g in self.groups if name in (g.condition, g.agent)]))
        return rates[0] - rates[1]

    def _rate(self, groups: Any, logits: float = 0.0) -> float:
        """The mean rate of groups in points, over the normal distributions of participants and tasks."""
        return 100 * (1 - self.missing) * float(np.mean([self._expected(each, logits) for each in groups]))

    def _expected(self, group: Group, logits: float) -> float:
        mean, spread = group.logits + logits, sqrt(EASE**2 + self.own**2)
        if group.steady:
            return (1 + erf(mean / spread / sqrt(2))) / 2
        nodes, weights = np.polynomial.hermite_e.hermegauss(40)
        rates = 1 / (1 + np.exp(-mean - sqrt(spread**2 + ABILITY**2) * nodes))
        return float(weights @ rates / weights.sum())


def _pair(size: int, other: int, gap: float = 0.0) -> tuple[Group, ...]:
    return Group(size, "a"), Group(other, "b", logits=gap)


GPT = "openai/gpt-4o"
BOTH = tuple(
    Group(12, condition, agent, logits)
    for condition, agent, logits in (
        ("a", PEOPLE, 0.0),
        ("b", PEOPLE, 1.2),
        ("a", GPT, -1.5),
        ("b", GPT, -0.3),
    )
)
TRUTHS = (
    Truth("condition", _pair(20, 20, 1.5), ("condition",)),
    Truth("nothing", _pair(15, 15)),
    Truth("nothing, few and unequal numbers", _pair(4, 12)),
    Truth("condition, few people", _pair(6, 6, 2.7), ("condition",)),
    Truth("order", _pair(16, 16), ("order",), learnt=2.0),
    Truth("no order, but people learn at different rates", _pair(12, 12), rates=2.0),
    Truth("agent", (Group(16), Group(20, agent=GPT, logits=-1.5)), ("who",)),
    Truth("a steady policy, as good as people", (Group(6), Group(20, agent="policy", steady=True)), own=0.7),
    Truth("three effects, trials broken off", BOTH, ("condition", "who", "order"), learnt=1.5, missing=0.05),
    Truth("suite", _pair(12, 12), ("suite",), suites={"arena": (15, 0.0), "est": (15, -2.5)}),
)  # fmt: skip


def found_factors(results: pd.DataFrame) -> set[str]:
    """The factors of which the analysis says that they have an effect."""
    return {effect.factor for effect in effects(results) if effect.found}


def _repeated(truth: Truth, studies: int) -> Iterator[str]:
    """Count how often each factor was found, alone and corrected, and its interval held the truth."""
    tests: Counter[str] = Counter()
    alone, found, held = (Counter[str]() for _ in range(3))
    for seed in range(1000, 1000 + studies):
        for effect in effects(truth.study(seed)):
            tests[effect.factor] += 1
            alone[effect.factor] += effect.p < 0.05
            found[effect.factor] += effect.found
            held[effect.factor] += effect.low <= truth.difference(effect) <= effect.high
    for factor, count in tests.items():
        low, high = wilson(found[factor], count)
        yield (
            f"  {factor:10} {'there' if factor in truth.there else 'not there':10} found "
            f"{found[factor] / count:.3f} [{low:.3f} to {high:.3f}], "
            f"uncorrected {alone[factor] / count:.3f}, interval holds {held[factor] / count:.3f}"
        )


def main(
    studies: Annotated[int, typer.Option(min=0, help="Further studies of each kind, for rates.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the ten studies.")] = 1,
) -> None:
    """Simulate ten studies with known effects, and print which of them the analysis finds."""
    right = 0
    for truth in TRUTHS:
        found = found_factors(truth.study(seed))
        right += found == set(truth.there)
        verdict = "right" if found == set(truth.there) else "WRONG"
        print(f"{verdict}: {truth.name}; found: {', '.join(sorted(found)) or 'nothing'}", flush=True)
        for line in _repeated(truth, studies):
            print(line, flush=True)
    print(f"{right} of {len(TRUTHS)} right")


if __name__ == "__main__":
    run(main, "benchmarks.study_truths")
