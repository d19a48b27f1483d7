"""The tables of a report, for its page and as files."""

import io
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from evaluation.paired import ALL_LEVELS
from evaluation.report_folder import ReportFolder
from evaluation.results import has_parquet
from report.comparison import HEADINGS, cells, percent
from report.run.failures import Failure

Table = dict[str, Any]
"""`headings`, and `rows` of texts under them."""

UNKNOWN = "unknown"

PARQUET_NOTE = (
    "The tables are not there as Parquet: pip install 'arena-llm[parquet]' and make the report again."
)


def write_tables(folder: ReportFolder, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Write each table as CSV and, where pyarrow is installed, as Parquet; returns the files' names."""
    names = []
    for name, frame in tables.items():
        folder.write(f"{name}.csv", frame.to_csv(index=False))
        names.append(f"{name}.csv")
        if has_parquet():
            buffer = io.BytesIO()
            frame.to_parquet(buffer, engine="pyarrow", index=False)
            folder.write(f"{name}.parquet", buffer.getvalue())
            names.append(f"{name}.parquet")
    return names


def levels_table(comparison: pd.DataFrame) -> Table:
    """The rates of runs and others by level."""
    rows = [(f"{row['level']} {row['level_name']}", *cells(row)) for row in comparison.to_dict("records")]
    return {"headings": ("Level", *HEADINGS), "rows": rows}


def comparisons_table(pairs: pd.DataFrame) -> Table:
    """The differences between agents."""
    headings = (
        *("Tasks of", "Agent", "Other", "Tasks", "Difference, points", "95 %"),
        *("p", "p (Holm)", "Detectable, points"),
    )
    rows = [
        (
            "all levels" if row["scope"] == ALL_LEVELS else f"level {row['scope']}",
            row["agent"],
            row["other"],
            f"{row['tasks']} ({row['unpaired']} unpaired)" if row["unpaired"] else row["tasks"],
            _points(row["difference"]),
            "–" if math.isnan(row["low"]) else f"{_points(row['low'])} to {_points(row['high'])}",
            _p(row["p"]),
            _p(row["p_holm"]),
            _points(row["detectable"]),
        )
        for row in pairs.to_dict("records")
    ]
    return {"headings": headings, "rows": rows}


def failures_table(rows: Sequence[Mapping[str, Any]], agents: Mapping[str, str]) -> Table:
    """How often each agent failed in each way; `agents` are the headings by agent."""
    return _counted("Failure", "failure", list(Failure), rows, agents)


def unjudged_table(rows: Sequence[Mapping[str, Any]], agents: Mapping[str, str]) -> Table:
    """How many episodes of each agent have no verdict, by the reason."""
    reasons = sorted({row["status"] for row in rows if row["status"]})
    return _counted("Without a verdict", "status", reasons, rows, agents)


def _counted(
    heading: str,
    key: str,
    kinds: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    agents: Mapping[str, str],
) -> Table:
    counts = Counter((row[key], row["agent"]) for row in rows if row[key])
    shown = [kind for kind in kinds if any(counts[kind, agent] for agent in agents)]
    return {
        "headings": (heading, *agents.values()),
        "rows": [(kind, *(counts[kind, agent] for agent in agents)) for kind in shown],
    }


def costs_table(rows: Sequence[Mapping[str, Any]], agents: Mapping[str, str]) -> Table:
    """Tokens, price and time of each agent."""
    headings = ("Agent", "Tokens in", "Tokens out", "of these thinking", "Price, US$", "Median s an episode")
    return {
        "headings": headings,
        "rows": [(name, *_cost(agent, rows)[1:]) for agent, name in agents.items()],
    }


def _cost(agent: str, rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    own = pd.DataFrame([row for row in rows if row["agent"] == agent and row["seconds"] is not None])
    if own.empty:
        return (agent, *["–"] * 5)
    tokens = [int(own[f"{kind}_tokens"].sum()) for kind in ("input", "output", "reasoning")]
    priced = own["cost_usd"].notna()
    # Where no token was used there is nothing to pay for.
    price = "none" if not any(tokens) else f"{own['cost_usd'].sum():.2f}" if priced.all() else UNKNOWN
    return (agent, *(f"{count:,}" for count in tokens), price, f"{own['seconds'].median():.1f}")


def task_cells(rows: Sequence[Mapping[str, Any]], agents: Sequence[str]) -> list[dict[str, Any]]:
    """Of one task: how many trials each agent passed, as text and as a share to sort by."""
    found = []
    for agent in agents:
        own = [row["passed"] for row in rows if row["agent"] == agent]
        judged = [passed for passed in own if passed is not None]
        share = sum(judged) / len(judged) if judged else -1.0
        text = f"{sum(judged)}/{len(judged)}" if judged else "–"
        missing = len(own) - len(judged)
        found.append({"share": share, "text": f"{text} ({missing} without)" if missing else text})
    return found


def _formatted(form: Callable[[float], str], value: float) -> str:
    return "–" if math.isnan(value) else form(value)


def _points(value: float) -> str:
    """A difference of shares in percentage points, with a true minus sign."""
    return _formatted(lambda v: ("−" if v < -0.005 else "") + percent(abs(v)), value)


def _p(value: float) -> str:
    return _formatted(lambda v: "< 0.001" if v < 0.001 else f"{v:.3f}", value)
