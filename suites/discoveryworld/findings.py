"""Report panels of runs and episodes in addition to the common tables."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, NamedTuple, NotRequired

import numpy as np
from pydantic import AfterValidator
from typing_extensions import TypedDict

from evaluation.log.schema import Count, Share
from evaluation.panels import panel
from evaluation.statistics import mean_text, trial_means
from suites.discoveryworld.catalogue import LEVELS, METRICS, PUBLISHED, Kind, kinds, published


class Turn(TypedDict):
    """Logged action; see `suites.discoveryworld.episode.Turn`."""

    turn: Count
    gained: list[str]


class Judge(TypedDict):
    """Second model's judgement of the notes: `knowledge`, or the reason if it `failed`."""

    model: str
    answers: list[tuple[str, bool | None, str]]
    knowledge: NotRequired[Share]
    failed: NotRequired[str]


def _known(kind: str) -> str:
    if kind not in kinds():
        raise ValueError("a theme and level, such as proteomics-easy")
    return kind


class Replay(TypedDict):
    """Kind of task, seed, won and possible points, and the judge's answers."""

    kind: Annotated[str, AfterValidator(_known)]
    seed: Count
    scorecard: list[tuple[str, float, float]]
    judge: NotRequired[Judge]


class Logged(TypedDict):
    """Finished episode."""

    turns: list[Turn]
    replay: Replay
    passed: bool
    score: Share


Record = Mapping[str, Any]

AGENT_NAMES = ("ReAct", "Plan+Execute", "Hypothesizer", "scientists")
"""Headings of `PUBLISHED`."""


part = partial(panel, "suites.discoveryworld")
"""HTML of a macro of this suite's template."""


class Row(NamedTuple):
    """Table line: kinds, and cells for each agent and the paper's."""

    name: str
    cells: list[str]
    paper: list[str]


def figure(record: Record, metric: str) -> float | None:
    """Read a metric from a record; None for unjudged knowledge."""
    if metric == "knowledge":
        return record["replay"].get("judge", {}).get("knowledge")
    return float(record["score"] if metric == "procedure" else record["passed"])


def by_world(records: Iterable[Record], metric: str) -> dict[str, list[float]]:
    """Average the metric over each seed's trials, by kind in catalogue order."""
    values = (
        (record["replay"]["kind"], record["replay"]["seed"], value)
        for record in records
        if (value := figure(record, metric)) is not None
    )
    return trial_means(values, kinds())


def run_panels(records: Mapping[str, Sequence[Record]]) -> list[tuple[str, str]]:
    """Build a first-page panel for each metric that any agent has."""
    agents = {name: own for name, own in records.items() if own}
    panels = []
    for metric in METRICS:
        values = {name: by_world(own, metric) for name, own in agents.items()}
        if any(values.values()):
            body = part(
                "metric", metric=metric, agents=list(values), paper=AGENT_NAMES, rows=rows(values, metric)
            )
            panels.append((f"{metric.capitalize()} with the paper's", body))
    return panels


def rows(values: Mapping[str, Mapping[str, Sequence[float]]], metric: str) -> list[Row]:
    """Make a line for each played kind, and an average per level."""
    played = [kind for name, kind in kinds().items() if any(name in own for own in values.values())]
    found = [
        Row(
            _title(kind),
            [mean_text(own.get(kind.name, ())) for own in values.values()],
            _paper([kind], metric),
        )
        for kind in played
    ]
    for level in (*LEVELS, "unit"):
        several = [kind for kind in played if kind.level == level]
        if len(several) > 1:
            means = [
                [float(np.mean(own[k.name])) for k in several if k.name in own] for own in values.values()
            ]
            title = f"Average {'unit test' if level == 'unit' else level}, over {len(several)}"
            found.append(Row(title, [mean_text(each) for each in means], _paper(several, metric)))
    return found


def episode_panels(record: Record) -> list[tuple[str, str]]:
    """Build the scorecard with the times of its points, and the judgement."""
    replay = record["replay"]
    if "scorecard" not in replay:
        return []
    when: dict[str, int] = {}
    for turn in record["turns"]:
        for text in turn["gained"]:
            when[text] = turn["turn"]
    lines = [(text, score, most, when.get(text)) for text, score, most in replay["scorecard"]]
    panels = [("Scorecard", part("card", lines=lines))]
    if "judge" in replay:
        panels.append(
            ("What was found out", part("findings", **{"failed": "", "knowledge": 0.0, **replay["judge"]}))
        )
    return panels


def _title(kind: Kind) -> str:
    return f"{kind.theme}, {kind.level}" if kind.level in LEVELS else kind.name.replace("unit-", "unit test ")


def _paper(several: Sequence[Kind], metric: str) -> list[str]:
    """Average the paper's figures over kinds; a dash if incomplete."""
    figures = [published().get((kind.theme, kind.level), {}) for kind in several]
    complete = [[each[who][metric] for each in figures if who in each] for who in PUBLISHED]
    return [f"{np.mean(each):.2f}" if len(each) == len(several) else "–" for each in complete]
