"""Report panels of runs and episodes in addition to the common tables."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from arena.packages import rows_of
from evaluation.log.schema import Count, Finite, Share
from evaluation.panels import Bin, panel
from evaluation.panels import calibration as calibrated
from evaluation.statistics import mean_text, wilson
from suites.est.world import CONTEXT, HORIZON, OBJECTS

Shares = list[Share]


class _Turn(TypedDict):
    turn: Count
    panel: list[int]
    lit: bool
    belief: Shares
    belief_given: bool
    oracle: Shares
    distance: Finite
    solved: bool
    trial: list[int] | None
    information: Finite | None
    regret: Finite | None
    total_reward: Finite


def _whole(turn: _Turn) -> _Turn:
    if not len(turn["belief"]) == len(turn["oracle"]) == OBJECTS:
        raise ValueError(f"a belief on each of {OBJECTS} objects")
    if (turn["information"] is None) != (turn["regret"] is None):
        raise ValueError("information and regret, or neither")
    return turn


Turn = Annotated[_Turn, AfterValidator(_whole)]
"""Logged step; see `suites.est.episode.Turn`."""

Words = Annotated[list[list[str]], Field(min_length=OBJECTS, max_length=OBJECTS)]


class Replay(TypedDict):
    """Machine, described objects, and Blickets."""

    machine: str
    objects: Words
    blickets: list[int]


class Logged(TypedDict):
    """Finished episode."""

    turns: list[Turn]
    replay: Replay


Record = Mapping[str, Any]

part = partial(panel, "suites.est")
"""HTML of a macro of this suite's template."""

COLUMNS = ("context accuracy, %", "context reward", "accuracy, %", "reward")
"""Columns of the paper's Table 2; rewards are totals, after the four context panels and the episode."""


def published() -> dict[str, tuple[float, ...]]:
    """The paper's Table 2: rows of `COLUMNS`, by our agents' names."""
    rows = map(dict.values, rows_of("suites.est", "published.csv"))
    return {name: tuple(map(float, figures)) for name, *figures in rows}


def run_panels(records: Mapping[str, Sequence[Record]]) -> list[tuple[str, str]]:
    """Build the first page's panels from all agents' records."""
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
        ("After the context and after the episode", part("figures", figures=figures, paper=paper)),
        ("Inference and experiments, step by step", part("steps", steps=steps)),
        ("Calibration of beliefs", part("calibration", agents=bins)),
    ]


def episode_panels(record: Record) -> list[tuple[str, str]]:
    """Tabulate stated and exact beliefs, step by step."""
    if not record["turns"] or "objects" not in record["replay"]:
        return []
    things = [" ".join(reversed(words)) for words in record["replay"]["objects"]]
    blickets = record["replay"]["blickets"]
    body = part("beliefs", turns=record["turns"], things=list(enumerate(things)), blickets=blickets)
    return [("Beliefs", body)]


def calibration(records: Sequence[Record]) -> list[Bin]:
    """Bin stated beliefs by tenths, with the share of Blickets."""
    return calibrated(_beliefs(records))


def brier(records: Sequence[Record]) -> float:
    """Compute the stated beliefs' mean squared error; NaN without any."""
    beliefs = _beliefs(records)
    return float(np.mean([(stated - truth) ** 2 for _, stated, truth in beliefs])) if beliefs else math.nan


def _beliefs(records: Sequence[Record]) -> list[tuple[int, float, float]]:
    """List episode, probability and truth (0 or 1) per object and belief."""
    return [
        (number, p, float(k in record["replay"]["blickets"]))
        for number, record in enumerate(records)
        for turn in record["turns"]
        if turn["belief_given"]
        for k, p in enumerate(turn["belief"])
    ]


def _figures(records: Sequence[Record]) -> list[str]:
    """Compute Table 2's columns with 95 % intervals. Shares by Wilson, means by Student."""
    number = len(records)
    cells = [str(number)]
    for steps in (CONTEXT, HORIZON):
        last = [each["turns"][:steps][-1] for each in records]
        count = sum(turn["solved"] for turn in last)
        low, high = wilson(count, number)
        cells.append(f"{100 * count / number:.1f} [{100 * low:.1f}, {100 * high:.1f}]")
        cells.append(mean_text([turn["total_reward"] for turn in last]))
    return cells


def _steps(records: Sequence[Record]) -> list[tuple[str, ...]]:
    """Tabulate episodes, distance of beliefs, information and regret by step."""
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
