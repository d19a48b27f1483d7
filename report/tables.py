"""The tables of a report, for its pages and as files."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from evaluation.paired import ALL_LEVELS
from evaluation.results import GROUP
from evaluation.run_card import RunCard, sent_words
from evaluation.scale.scaled import OVERALL, SCALE_NOTE, Scaled
from evaluation.statistics import mean_scores
from report.formats import NONE, decimals, interval, p_value, percent, points
from report.rates import HEADINGS, HEADLINE_HEADINGS, cells, headline_cells, label

UNKNOWN = "unknown"

Row = Mapping[str, Any]


class Table(NamedTuple):
    """A table for a page; the first `texts` columns are text, the others numbers."""

    headings: Sequence[str]
    rows: Sequence[Sequence[object]]
    texts: int = 1


def group_table(rates: pd.DataFrame, heading: str) -> Table:
    """The rates of runs and others by group."""
    rows = [(label(row), *cells(row)) for row in rates.to_dict("records")]
    return Table((heading, *HEADINGS), rows, 2)


def headline_table(found: pd.DataFrame) -> Table:
    """The headline metrics over all tasks, as `headlines` gives them."""
    return Table(HEADLINE_HEADINGS, [headline_cells(row) for row in found.to_dict("records")], 2)


def scores_table(results: pd.DataFrame, heading: str) -> Table:
    """The mean scores of runs by group; no rows if scores are verdicts only."""
    rows = []
    for row in mean_scores(results).to_dict("records"):
        mean = interval(decimals, row["score"], row["low"], row["high"])
        bounds = f"{decimals(row['score'])}-{decimals(row['most'])}"
        judged = interval(decimals, row["judged_score"], math.nan, math.nan)
        known = (judged, bounds) if row["missing"] else (NONE, NONE)
        rows.append((row[GROUP], row["agent"], row["tasks"], row["missing"], mean, *known))
    headings = (heading, "Who", "Tasks", "Missing", "Mean score [95 %]", "Judged", "Bounds")
    return Table(headings, rows, 2)


JUDGED = "Judged [bounds]"
"""Heading of `missing_cell`."""


def missing_cell(form: Callable[[float], str], judged: float, least: float, most: float) -> str:
    """The value over trials with a verdict and its bounds; a dash if no trial is missing."""
    if not most - least > 1e-9:
        return NONE
    return f"{NONE if math.isnan(judged) else form(judged)} [{form(least)} to {form(most)}]"


def pairs_table(pairs: pd.DataFrame, group: str) -> Table:
    """The differences between agents, as `compare_agents` gives them."""
    headings = ("Tasks of", "Agent", "Other", "Tasks", "Difference, points [95 %]", JUDGED, "p", "p (Holm)")
    rows = [
        (
            f"all {group}s" if row["scope"] == ALL_LEVELS else f"{group} {row['scope']}",
            row["agent"],
            row["other"],
            f"{row['tasks']} ({row['unpaired']} unpaired)" if row["unpaired"] else row["tasks"],
            interval(points, row["difference"], row["low"], row["high"]),
            missing_cell(points, row["judged_difference"], row["least"], row["most"]),
            p_value(row["p"]),
            p_value(row["p_holm"]),
            NONE if math.isnan(row["detectable"]) else points(row["detectable"]),
        )
        for row in pairs.to_dict("records")
    ]
    return Table((*headings, "Detectable, points"), rows, 3)


RELIABILITY = ("Tasks of", "Agent", "k", "Tasks", "All of k, % [95 %]", "Any of k, % [95 %]")


def reliability_cells(row: Mapping[Any, Any]) -> tuple[str, ...]:
    """A row of `reliability` as text, under `RELIABILITY`."""
    shares = (
        interval(percent, *(row[f"{which}_{end}"] for end in ("k", "low", "high")))
        for which in ("all", "any")
    )
    return (row["scope"], row["agent"], str(row["k"]), str(row["tasks"]), *shares)


def reliability_table(found: pd.DataFrame) -> Table:
    """What several trials of a task say, as `reliability` gives it."""
    return Table(RELIABILITY, [reliability_cells(row) for row in found.to_dict("records")], 2)


def counted_table(
    heading: str, key: str, kinds: Sequence[str], rows: Sequence[Row], agents: Mapping[str, str]
) -> Table:
    """How many episodes of each agent have each of `kinds` in a column; `agents` are headings by agent."""
    counts = Counter((row[key], row["agent"]) for row in rows if row[key])
    shown = [kind for kind in kinds if any(counts[kind, agent] for agent in agents)]
    return Table(
        (heading, *agents.values()), [(kind, *(counts[kind, agent] for agent in agents)) for kind in shown]
    )


def runs_table(cards: Sequence[RunCard]) -> Table:
    """What was really sent in each run, and what went wrong on the way."""
    counted = {
        "Replies": "replies",
        "Invalid": "invalid_replies",
        "Corrected": "repaired_replies",
        "Faults": "failed_attempts",
        "Restarts": "relaunches",
        "Resumes": "resumes",
    }
    rows = [
        (card.agent, sent_words(card.sent) or NONE, *(getattr(card, name) for name in counted.values()))
        for card in cards
    ]
    return Table(("Run", "Sent with each request", *counted), rows, 2)


def costs_table(rows: Sequence[Row], agents: Mapping[str, str], cards: Sequence[RunCard]) -> Table:
    """Tokens, price and time of each agent."""
    headings = (
        "Agent",
        "Tokens in",
        "Tokens out",
        "of which reasoning",
        "Price, US$",
        "per passed trial",
        "Median s per episode",
    )
    per_pass = {card.agent: card.cost_per_pass_usd for card in cards}
    return Table(headings, [(name, *_costs(agent, rows, per_pass[agent])) for agent, name in agents.items()])


def _costs(agent: str, rows: Sequence[Row], per_pass: float | None) -> tuple[str, ...]:
    own = pd.DataFrame([row for row in rows if row["agent"] == agent and row["seconds"] is not None])
    if own.empty:
        return (NONE,) * 6
    tokens = [int(own[f"{kind}_tokens"].sum()) for kind in ("input", "output", "reasoning")]
    priced = own["cost_usd"].notna()
    # Where no token was used there is nothing to pay for.
    price = "none" if not any(tokens) else f"{own['cost_usd'].sum():.2f}" if priced.all() else UNKNOWN
    each = NONE if per_pass is None or price in ("none", UNKNOWN) else f"{per_pass:.4f}"
    return (*(f"{number:,}" for number in tokens), price, each, f"{own['seconds'].median():.1f}")


def facts_table(facts: Mapping[str, Mapping[str, str]]) -> Table:
    """How runs were done: a column for each of `facts`, which are by agent."""
    keys = dict.fromkeys(key for own in facts.values() for key in own)
    rows = [(key, *(own.get(key, NONE) for own in facts.values())) for key in keys]
    return Table(("Fact", *facts), rows, 1 + len(facts))


SCALED_HEADINGS = ("Group", "Who", "Tasks", "Score", "Floor", "Best", "Scaled [95 %]")


def scaled_values(found: Scaled) -> dict[str, Any]:
    """Table and notes for the templates of first pages."""
    rows = [_cells(row) for row in found.table.to_dict("records")]
    return {
        "scaled": Table(SCALED_HEADINGS, rows, 2),
        "scaled_notes": [*([SCALE_NOTE] if rows else []), *found.reasons],
    }


def scaled_lines(found: Scaled) -> Iterator[str]:
    """A sentence for each agent, for a terminal."""
    whole = found.table[found.table["group"] == OVERALL]
    for row in whole.to_dict("records"):
        if not math.isnan(row["scaled"]):
            yield (
                f"{row['agent']}: scaled score {_scaled(row)}, where 0 is what silence or the prior gets and "
                "1 what the best reference agent gets."
            )
    yield from found.reasons


def _cells(row: Mapping[Hashable, Any]) -> tuple[object, ...]:
    floor = f"{decimals(row['floor'])} ({row['floor_agent']})" if not math.isnan(row["floor"]) else NONE
    ends = (_number(row["score"]), floor, _number(row["best"]))
    return (row["group"], row["agent"], row["tasks"], *ends, _scaled(row))


def _scaled(row: Mapping[Hashable, Any]) -> str:
    return interval("{:.2f}".format, row["scaled"], row["low"], row["high"])


def _number(value: float) -> str:
    return NONE if math.isnan(value) else decimals(value)
