"""Report panels of runs and episodes in addition to the common tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator
from typing_extensions import TypedDict

from evaluation.log.schema import Count, Share
from evaluation.panels import panel
from evaluation.statistics import mean_text, trial_means
from suites.scienceworld.catalogue import PUBLISHED, TWINS, kinds


class Turn(TypedDict):
    """Logged command; see `suites.scienceworld.episode.Turn`."""

    turn: Count
    reached: list[str]


def _known(task: str) -> str:
    if task not in kinds():
        raise ValueError("a task's number in the paper, such as 4-1")
    return task


class Replay(TypedDict):
    """Task, variation, and subgoals with their success."""

    task: Annotated[str, AfterValidator(_known)]
    variation: Count
    subgoals: list[tuple[str, bool, bool]]


class Logged(TypedDict):
    """Finished episode."""

    turns: list[Turn]
    replay: Replay
    score: Share


Record = Mapping[str, Any]

AGENT_NAMES = ("Random-Valid", "DRRN", "KG-A2C", "CALM", "BC-T5", "TDT-T5")
"""Headings of `PUBLISHED`."""

part = partial(panel, "suites.scienceworld")
"""HTML of a macro of this suite's template."""


def reached(record: Record, required_only: bool = False) -> float:
    """Compute the share of an episode's subgoals reached at its end."""
    own = [done for _, required, done in record["replay"]["subgoals"] if required or not required_only]
    return float(sum(own) / max(len(own), 1))


def by_variation(records: Iterable[Record], value: Callable[[Record], float]) -> dict[str, list[float]]:
    """Average over trials of each variation, by played task in order."""
    values = ((each["replay"]["task"], each["replay"]["variation"], value(each)) for each in records)
    return trial_means(values, kinds())


def run_panels(records: Mapping[str, Sequence[Record]]) -> list[tuple[str, str]]:
    """Build the first page's panels from all agents' records."""
    agents = {name: own for name, own in records.items() if own}
    if not agents:
        return []
    scores = {name: by_variation(own, itemgetter("score")) for name, own in agents.items()}
    played = [kind for task, kind in kinds().items() if any(task in own for own in scores.values())]
    required = partial(reached, required_only=True)
    goals = {name: (by_variation(own, required), by_variation(own, reached)) for name, own in agents.items()}
    panels = [
        ("Scores with the paper's", part("scores", **_score_table(scores))),
        ("Subgoals reached", part("subgoals", kinds=played, agents=goals, mean_text=mean_text)),
    ]
    twins = [(pair, name, own) for pair in TWINS for name, own in scores.items() if set(pair) <= own.keys()]
    if twins:
        rows = [(kinds()[a], kinds()[b], name, *_compared(own[a], own[b])) for (a, b), name, own in twins]
        panels.append(("Named and unknown: is knowledge looked up?", part("twins", rows=rows)))
    return panels


def _score_table(scores: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[str, Any]:
    """Tabulate scores of tasks and topics, and their average."""
    every = kinds()
    played = [task for task in every if any(task in own for own in scores.values())]
    topics = dict.fromkeys(every[task].topic for task in played)
    rows = []
    for task in played:
        cells = [mean_text(own.get(task, ())) for own in scores.values()]
        rows.append((f"{task} {every[task].title}", cells, _paper([task])))
    for name, tasks in {
        **{topic: [task for task in played if every[task].topic == topic] for topic in topics},
        "Average": played,
    }.items():
        means = [[float(np.mean(own[task])) for task in tasks if task in own] for own in scores.values()]
        rows.append((f"{name}, over {len(tasks)} tasks", [mean_text(each) for each in means], _paper(tasks)))
    return {"rows": rows, "agents": list(scores), "paper": AGENT_NAMES, "tasks": len(played)}


def _paper(tasks: Sequence[str]) -> list[str]:
    """Average the paper's scores over tasks."""
    return [f"{np.mean([kinds()[task].published[agent] for task in tasks]):.2f}" for agent in PUBLISHED]


def _compared(named: Sequence[float], unknown: Sequence[float]) -> tuple[str, str, str]:
    """Format two means and their difference, with Welch's interval."""
    pair = mean_text(named), mean_text(unknown)
    difference = float(np.mean(named) - np.mean(unknown))
    if min(len(named), len(unknown)) < 2 or not (np.ptp(named) or np.ptp(unknown)):
        return (*pair, f"{difference:+.2f}")
    from scipy.stats import ttest_ind

    low, high = ttest_ind(named, unknown, equal_var=False).confidence_interval(0.95)
    return (*pair, f"{difference:+.2f} [{low:+.2f}, {high:+.2f}]")


def episode_panels(record: Record) -> list[tuple[str, str]]:
    """List the subgoals, and when they were reached."""
    goals = record["replay"].get("subgoals")
    if not goals:
        return []
    when: dict[str, int] = {}
    for turn in record["turns"]:
        for text in turn["reached"]:
            when.setdefault(text, turn["turn"])
    rows = [(text, required, when.get(text) if reached else None) for text, required, reached in goals]
    return [("Subgoals", part("progress", rows=rows))]
