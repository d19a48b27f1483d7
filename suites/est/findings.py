"""What a report says of runs and episodes beyond every suite's tables."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from evaluation.statistics import clustered_interval, mean_half, wilson
from suites.est.hypotheses import OBJECTS, Floats
from suites.est.table import published
from suites.est.world import CONTEXT, HORIZON

Record = Mapping[str, Any]

BINS = np.linspace(0, 1, 11)
"""Limits of the probabilities that are counted together."""


class Bin(NamedTuple):
    """Stated probabilities within a tenth: their number, their mean, the share of Blickets, its interval."""

    low: float
    high: float
    number: int
    stated: float
    share: float
    interval: tuple[float, float]


def run_panels(records: Mapping[str, Sequence[Record]]) -> list[tuple[str, str]]:
    """Panels of the first page from the records of all agents."""
    found = {agent: [each for each in own if each["turns"]] for agent, own in records.items()}
    found = {agent: own for agent, own in found.items() if own}
    if not found:
        return []
    machines = {each["replay"]["machine"] for own in found.values() for each in own}
    paper = published() if machines == {"est"} else {}
    figures = {agent: _figures(own) for agent, own in found.items()}
    steps = {agent: _steps(own) for agent, own in found.items()}
    bins = {agent: (brier(own), calibration(own)) for agent, own in found.items()}
    return [
        ("After the context and after the episode", _part("figures", figures=figures, paper=paper)),
        ("Inference and experiments, step by step", _part("steps", steps=steps)),
        ("Calibration of beliefs", _part("calibration", agents=bins)),
    ]


def episode_panels(record: Record) -> list[tuple[str, str]]:
    """Beliefs beside the exact ones, step by step."""
    if not record["turns"] or "objects" not in record["replay"]:
        return []
    things = [" ".join(reversed(words)) for words in record["replay"]["objects"]]
    blickets = record["replay"]["blickets"]
    body = _part("beliefs", turns=record["turns"], things=list(enumerate(things)), blickets=blickets)
    return [("Beliefs", body)]


def calibration(records: Sequence[Record]) -> list[Bin]:
    """Of all beliefs that were given, how many objects of each stated probability were Blickets.

    The interval takes the beliefs of an episode as a cluster.
    """
    episode, stated, truth = _beliefs(records)
    place = np.clip(np.digitize(stated, BINS) - 1, 0, len(BINS) - 2)
    found = []
    for k in np.unique(place):
        own = place == k
        # Two counts for each episode: beliefs of the bin, and those of them that are of Blickets.
        counts = np.stack([np.bincount(episode[own], w) for w in (np.ones(own.sum()), truth[own])])
        beliefs, blickets = counts[:, counts[0] > 0].astype(np.float64)
        found.append(
            Bin(
                float(BINS[k]),
                float(BINS[k + 1]),
                int(own.sum()),
                float(stated[own].mean()),
                float(truth[own].mean()),
                clustered_interval(blickets, beliefs),
            )
        )
    return found


def brier(records: Sequence[Record]) -> float:
    """The mean squared difference of the beliefs that were given from the truth; NaN without any."""
    _, stated, truth = _beliefs(records)
    return float(((stated - truth) ** 2).mean()) if len(stated) else float("nan")


def _beliefs(records: Sequence[Record]) -> tuple[Any, Floats, Floats]:
    """Episode, probability and truth (0 or 1) of each object in each belief that was given."""
    rows = [
        (number, p, float(k in record["replay"]["blickets"]))
        for number, record in enumerate(records)
        for turn in record["turns"]
        if turn["belief_given"]
        for k, p in enumerate(turn["belief"])
    ]
    table = np.array(rows, np.float64).reshape(-1, 3)
    return table[:, 0].astype(int), table[:, 1], table[:, 2]


def _figures(records: Sequence[Record]) -> list[str]:
    """The columns of the paper's Table 2, each with its 95 % interval: shares by Wilson, means by Student."""
    number = len(records)
    cells = [str(number)]
    for steps in (CONTEXT, HORIZON):
        last = [each["turns"][:steps][-1] for each in records]
        count = sum(turn["solved"] for turn in last)
        low, high = wilson(count, number)
        cells.append(f"{100 * count / number:.1f} [{100 * low:.1f}, {100 * high:.1f}]")
        rewards = [turn["total_reward"] for turn in last]
        half = f" ± {mean_half(rewards):.2f}" if number > 1 else ""
        cells.append(f"{np.mean(rewards):.2f}{half}")
    return cells


def _steps(records: Sequence[Record]) -> list[tuple[str, ...]]:
    """For each step: episodes that reached it, mean distance of beliefs, and mean information and regret."""
    rows = []
    for step in range(HORIZON):
        turns = [record["turns"][step] for record in records if len(record["turns"]) > step]
        tried = [turn for turn in turns if turn["regret"] is not None]
        cells = [str(len(turns)), _mean([turn["distance"] for turn in turns])]
        cells += [_mean([turn[name] for turn in tried]) for name in ("information", "regret")]
        rows.append((str(step + 1), *cells))
    return rows


def _mean(numbers: Sequence[float]) -> str:
    return f"{np.mean(numbers):.3f}" if numbers else "–"


def _part(name: str, **values: Any) -> str:
    module: Any = _environment().get_template("findings.html.j2").module
    return str(getattr(module, name)(**values, objects=OBJECTS))


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("suites.est"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
