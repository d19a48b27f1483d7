"""The tables of a report, for its pages and as files."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from arena.errors import EvaluationError
from evaluation.paired import ALL_LEVELS
from evaluation.results import GROUP
from evaluation.scale.scaled import OVERALL, SCALE_NOTE, Scaled
from evaluation.statistics import MISSING_NOTE, RATES, mean_scores, metric_means, pass_rates
from evaluation.summary import RunCard, sent_words

if TYPE_CHECKING:
    from rich.table import Table as TerminalTable

NONE = "–"
"""Stands for what there is no value of."""


def percent(share: float) -> str:
    """A proportion in whole percent, halves away from zero as readers expect: 0.775 is 78."""
    return f"{math.floor(100 * share + 0.5 + 1e-9):d}"


def percents(share: float) -> str:
    """Format percentages with the sign %."""
    return f"{percent(share)} %"


def points(difference: float) -> str:
    """A difference of proportions in percentage points, with a true minus sign."""
    return ("−" if difference < -0.005 else "") + percent(abs(difference))


def decimals(value: float) -> str:
    """Two decimals, with a true minus sign."""
    return f"{value:.2f}".replace("-", "−")


def p_value(value: float) -> str:
    """A p value with three decimals."""
    return NONE if math.isnan(value) else "< 0.001" if value < 0.001 else f"{value:.3f}"


def interval(
    form: Callable[[float], str], value: float, low: float = math.nan, high: float = math.nan
) -> str:
    """A value with its ends in brackets, which are left out if they are NaN, as is all of it for a NaN."""
    if math.isnan(value):
        return NONE
    return form(value) + ("" if math.isnan(low) else f" [{form(low)} to {form(high)}]")


def count(number: int, thing: str) -> str:
    """`1 task`, `2 tasks`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


Row = Mapping[Any, Any]
"""A row of a table of results or rates by its columns."""


class Table(NamedTuple):
    """A table for a page or a terminal; the first `texts` columns are text, the others numbers."""

    headings: Sequence[str]
    rows: Sequence[Sequence[object]]
    texts: int = 1

    def terminal(self, title: str = "", caption: str = "", *, sections: bool = False) -> "TerminalTable":
        """The table for a terminal, without columns of dashes only.

        With `sections`, the first column stands above its rows.
        """
        from rich.table import Table as TerminalTable
        from rich.text import Text

        made = TerminalTable(title=title or None, caption=caption or None, caption_justify="left")
        shown = [
            place
            for place in range(int(sections), len(self.headings))
            if any(r[place] != "-" for r in self.rows)
        ]
        for place in shown:
            justify: Any = "left" if place < self.texts else "right"
            made.add_column(self.headings[place], justify=justify, overflow="fold")
        for name, rows in groupby(self.rows, key=itemgetter(0)) if sections else [("", self.rows)]:
            if sections:
                made.add_section()
                made.add_row(Text(str(name), "bold"))
            for row in rows:
                made.add_row(*(Text(str(row[place])) for place in shown))
        return made


COLUMNS = (
    *(GROUP, "level_name", "who", "source", "task_set", "tasks", "planned", "trials", "passes", "missing"),
    *(*RATES, "quartile_1", "quartile_3", "comparable"),
)

LINKED = "linked"
"""Source of rows that are predicted from other tasks, so that they have no counts."""

HEADINGS = ("Who", "Passed", "Tasks", "Rate", "95 %", "Judged", "Bounds", "Middle half")
"""Columns of `cells`."""


def run_rates(results: pd.DataFrame) -> pd.DataFrame:
    """The rows of runs alone; `results` has the columns of `results_frame`."""
    return pass_rates(results).assign(task_set="this run", source="run").rename(columns={"agent": "who"})


def group_rates(
    results: pd.DataFrame, name: Callable[[Any], str] = lambda _: "", rows: Sequence[pd.DataFrame] = ()
) -> pd.DataFrame:
    """Pass rates by group, one row each, with `COLUMNS`; groups ascend, and `rows` keep their order.

    `rows` are tables with some of the columns, of which the groups in `results` are kept; default: the runs'.
    `name` is the name of a group, besides its number. Raises EvaluationError if there are no results.
    """
    if results.empty:
        raise EvaluationError("there are no results to compare: no trial was planned")
    parts = [part.reindex(columns=list(COLUMNS)) for part in rows or [run_rates(results)]]
    both = pd.concat(parts, ignore_index=True)
    both = both[both[GROUP].isin(set(results[GROUP]))]
    both = both.assign(level_name=both[GROUP].map(name), comparable=both["comparable"].ne(False))
    # Of published groups every trial has a verdict.
    known: dict[str, Any] = {"planned": both["trials"], "missing": 0}
    both = both.assign(**{key: both[key].fillna(value).astype(int) for key, value in known.items()})
    others = both["source"] != "run"
    both.loc[others, ["judged_rate", "most"]] = both.loc[others, "pass_rate"]
    return both.sort_values(GROUP, kind="stable", ignore_index=True)


def headlines(results: pd.DataFrame, metrics: Mapping[str, str]) -> pd.DataFrame:
    """The headline metrics of each agent over all its tasks, and the pass rate last, one row each.

    `results` has the columns of `results_frame`; `metrics` are those of `Suite.headline`, of which only those
    that the results have are returned.
    """
    columns = {**metrics, **({} if "passed" in metrics.values() else {PASS_RATE: "passed"})}
    whole = results.assign(**{GROUP: 0})
    names = {"pass_rate": "mean", "judged_rate": "judged", "score": "mean", "judged_score": "judged"}
    parts = [
        (pass_rates(whole) if column == "passed" else metric_means(whole, column))
        .rename(columns=names)
        .assign(metric=metric)
        for metric, column in columns.items()
        if column in results
    ]
    order = {agent: place for place, agent in enumerate(results["agent"].unique())}
    found = pd.concat(parts).sort_values("agent", key=lambda agents: agents.map(order), kind="stable")
    return found.reset_index(drop=True)[list(HEADLINE_COLUMNS)]


PASS_RATE = "pass rate"
HEADLINE_COLUMNS = ("agent", "metric", "planned", "missing", "mean", "low", "high", "judged", "most")
HEADLINE_HEADINGS = ("Who", "Metric", "Trials", "Missing", "Mean", "95 %", "Judged", "Bounds")
"""Columns of `headline_cells`."""


def headline_cells(row: Row) -> tuple[str, ...]:
    """A row of `headlines` as text, under `HEADLINE_HEADINGS`."""
    form = percents if row["metric"] == PASS_RATE else decimals
    return (
        *(row["agent"], row["metric"], str(row["planned"]), str(row["missing"] or "-")),
        *(_value(form, row["mean"]), _span(form, row["low"], row["high"])),
        _value(form, row["judged"]) if row["missing"] else "-",
        _span(form, row["mean"], row["most"]) if row["missing"] else "-",
    )


class GroupRates(NamedTuple):
    """Rates by group as a report shows them.

    `table` is that of `group_rates`; `small_print` stands in its figure, `notes` below it on the page;
    `alone` is said in the figure of a group that only runs did.
    """

    table: pd.DataFrame
    small_print: Sequence[str] = ()
    notes: Sequence[str] = ()
    alone: str = ""


def label(row: Row) -> str:
    """A row's group, with its name if it has one."""
    return f"{row[GROUP]} {row['level_name']}".strip()


def who(row: Row) -> str:
    """Name the agent of a row; a run's second row covers the children's tasks only."""
    shared = (row["source"], row["task_set"]) == ("run", "children 40")
    name = f"{row['who']}, children's tasks" if shared else str(row["who"])
    if row["source"] == LINKED:
        return f"{name}, {LINKED}"
    return name if row["comparable"] else f"{name} (not comparable)"


def passed(row: Row) -> str:
    """Passed of planned trials; a dash for a rate that is predicted."""
    return "-" if row["source"] == LINKED else f"{row['passes']}/{row['planned']}"


def cells(row: Row) -> tuple[str, ...]:
    """A row as text, under `HEADINGS`; a dash stands for a missing value, and where no trial is missing."""
    missing = f" ({row['missing']} missing)" if row["missing"] else ""
    return (
        who(row),
        f"{passed(row)}{missing}",
        str(row["tasks"]),
        *(_value(percents, row["pass_rate"]), _span(percent, row["low"], row["high"])),
        _value(percents, row["judged_rate"]) if row["missing"] else "-",
        _span(percent, row["pass_rate"], row["most"]) if row["missing"] else "-",
        _span(percent, row["quartile_1"], row["quartile_3"]),
    )


def _value(form: Callable[[float], str], value: float) -> str:
    return "-" if math.isnan(value) else form(value)


def _span(form: Callable[[float], str], low: float, high: float) -> str:
    return "-" if math.isnan(low) else f"{form(low)}-{form(high)}".replace(" %-", "-")


UNKNOWN = "unknown"


def group_table(rates: pd.DataFrame, heading: str) -> Table:
    """The rates of runs and others by group."""
    return Table((heading, *HEADINGS), [(label(row), *cells(row)) for row in rates.to_dict("records")], 2)


def rates_table(rates: pd.DataFrame, group: str, caption: str = "") -> "TerminalTable":
    """Make the table of rates for a terminal; `group` is the word for a group of tasks, such as level."""
    if rates["missing"].any():
        caption = f"{MISSING_NOTE} {caption}".strip()
    return group_table(rates, group).terminal(f"Trials passed, by {group}", caption, sections=True)


def prices_table(cards: Sequence[RunCard]) -> Table:
    """Runs side by side: what they used, and what a passed trial costs."""
    headings = ("Run", "Passed", "Tokens out", "of which reasoning", "Price, US$", "per passed trial")
    rows = [
        (
            *(card.agent, f"{card.passed}/{card.judged + card.missing}"),
            *(f"{card.output_tokens:,}", f"{card.reasoning_tokens:,}"),
            *(NONE if cost is None else f"{cost:.4f}" for cost in (card.cost_usd, card.cost_per_pass_usd)),
        )
        for card in cards
    ]
    return Table(headings, rows)


def headline_table(found: pd.DataFrame) -> Table:
    """The headline metrics over all tasks, as `headlines` gives them."""
    return Table(HEADLINE_HEADINGS, [headline_cells(row) for row in found.to_dict("records")], 2)


def scores_table(results: pd.DataFrame, heading: str) -> Table:
    """The mean scores of runs by group; no rows if scores are verdicts only."""
    rows = []
    for row in mean_scores(results).to_dict("records"):
        mean = interval(decimals, row["score"], row["low"], row["high"])
        bounds = f"{decimals(row['score'])}-{decimals(row['most'])}"
        judged = interval(decimals, row["judged_score"])
        known = (judged, bounds) if row["missing"] else (NONE, NONE)
        rows.append((row[GROUP], row["agent"], row["tasks"], row["missing"], mean, *known))
    return Table((heading, "Who", "Tasks", "Missing", "Mean score [95 %]", "Judged", "Bounds"), rows, 2)


JUDGED = "Judged [bounds]"
"""Heading of `missing_cell`."""


def missing_cell(form: Callable[[float], str], judged: float, least: float, most: float) -> str:
    """The value over trials with a verdict and its bounds; a dash if no trial is missing."""
    if not most - least > 1e-9:
        return NONE
    return f"{interval(form, judged)} [{form(least)} to {form(most)}]"


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
            interval(points, row["detectable"]),
        )
        for row in pairs.to_dict("records")
    ]
    return Table((*headings, "Detectable, points"), rows, 3)


def reliability_table(found: pd.DataFrame) -> Table:
    """Make the table of several trials per task, from `reliability`."""
    headings = ("Tasks of", "Agent", "k", "Tasks", "All of k, % [95 %]", "Any of k, % [95 %]")
    rows = []
    for row in found.to_dict("records"):
        every, some = ([row[f"{which}_{end}"] for end in ("k", "low", "high")] for which in ("all", "any"))
        about = (row["scope"], row["agent"], row["k"], row["tasks"])
        rows.append((*about, interval(percent, *every), interval(percent, *some)))
    return Table(headings, rows, 2)


def counted_table(
    heading: str, key: str, kinds: Sequence[str], rows: Sequence[Row], agents: Mapping[str, str]
) -> Table:
    """Count episodes by agent and by `kinds` in a column; `agents` are headings by agent."""
    counts = Counter((row[key], row["agent"]) for row in rows if row[key])
    shown = [kind for kind in kinds if any(counts[kind, agent] for agent in agents)]
    return Table(
        (heading, *agents.values()), [(kind, *(counts[kind, agent] for agent in agents)) for kind in shown]
    )


def runs_table(cards: Sequence[RunCard]) -> Table:
    """Tabulate what was sent in each run, and errors on the way."""
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
    headings = ("Agent", "Tokens in", "Tokens out", "of which reasoning", "Price, US$", "per passed trial")
    per_pass = {card.agent: card.cost_per_pass_usd for card in cards}
    found = [(name, *_costs(agent, rows, per_pass[agent])) for agent, name in agents.items()]
    return Table((*headings, "Median s per episode"), found)


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
    """Tabulate how runs were done: a column for each of `facts`, which are by agent."""
    keys = dict.fromkeys(key for own in facts.values() for key in own)
    rows = [(key, *(own.get(key, NONE) for own in facts.values())) for key in keys]
    return Table(("Fact", *facts), rows, 1 + len(facts))


def first_page_values(results: pd.DataFrame, rates: GroupRates, scaled: Scaled, group: str) -> dict[str, Any]:
    """Collect rates and scores of first pages; `group` is the suite's word for one."""
    heading = group.capitalize()
    headings = ("Group", "Who", "Tasks", "Score", "Floor", "Best", "Scaled [95 %]")
    ordered = sorted(scaled.table.to_dict("records"), key=lambda row: row["group"] != OVERALL)
    rows = [_cells(row) for row in ordered]
    return {
        "figure": f"{group}s",
        "rates": group_table(rates.table, heading),
        "rate_notes": (MISSING_NOTE, *rates.notes),
        "scores": scores_table(results, heading),
        "scaled": Table(headings, rows, 2),
        "scaled_notes": [*([SCALE_NOTE] if rows else []), *scaled.reasons],
    }


def scaled_lines(found: Scaled) -> Iterator[str]:
    """A sentence for each agent, for a terminal."""
    whole = found.table[found.table["group"] == OVERALL]
    for row in whole.to_dict("records"):
        if not math.isnan(row["scaled"]):
            yield (
                f"{row['agent']}: scaled score {_scaled(row)}, where 0 is the score of silence or the "
                "prior and 1 that of the best reference agent."
            )
    yield from found.reasons


def _cells(row: Mapping[Hashable, Any]) -> tuple[object, ...]:
    floor = f"{decimals(row['floor'])} ({row['floor_agent']})" if not math.isnan(row["floor"]) else NONE
    ends = (interval(decimals, row["score"]), floor, interval(decimals, row["best"]))
    return (row["group"], row["agent"], row["tasks"], *ends, _scaled(row))


def _scaled(row: Mapping[Hashable, Any]) -> str:
    return interval("{:.2f}".format, row["scaled"], row["low"], row["high"])
