"""Our step agents beside the published figures of agents of the same kind."""

import pandas as pd
from rich.table import Table

from evaluation.statistics import pass_rates, wilson
from human_data.baselines import agents_by_level
from report.comparison import percent
from testbed import LEVEL_NAMES

PUBLISHED_NAME = {
    "arena/random-steps": "Random Action Agent",
    "arena/held": "Random Action Agent",
    "arena/braitenberg": "Heuristic Agent (Braitenberg)",
}
"""The name under which `agents_by_level` has an agent."""

ALL_LEVELS = -1
"""Stands for all played levels together in the column `level`."""

SOURCE = (
    "Published: arXiv 2312.11414, an episode of each of the 900 official tasks; its 2024 version (one run) "
    "with 95 % intervals, that of 2023 as lowest and highest run. The published random agent holds each "
    "action for about five steps, as `held` does here; the published heuristic has its own rule and rays."
)

OTHER_BATTERY = "The tasks of this run are not those 900: rates of one level can only roughly be compared."


def compare_with_published(results: pd.DataFrame) -> pd.DataFrame:
    """Pass rates of one step agent with the published ones of each level.

    `results` is as `evaluation.results.results_frame` makes it. Returned: the columns of `pass_rates`;
    `published`, `published_low`, `published_high` of 2024 with Wilson's 95 % interval; `earlier_low`,
    `earlier_high`, the lowest and highest run of 2023 (NaN where there is none). The last row, of level
    `ALL_LEVELS`, sums up the played levels.
    """
    rates = pd.concat([pass_rates(results), pass_rates(results.assign(level=ALL_LEVELS))], ignore_index=True)
    known = agents_by_level("all 900")
    known = known[known["agent"] == PUBLISHED_NAME.get(results["agent"].iloc[0])]
    known = known[known["level"].isin(results["level"])]
    known = pd.concat([known, known.assign(level=ALL_LEVELS)])
    runs = known.groupby(["paper_version", "run", "level"])[["passes", "tasks"]].sum().reset_index()
    return rates.merge(_latest(runs[runs["paper_version"] == 2024]), how="left", on="level").merge(
        _range(runs[runs["paper_version"] == 2023]), how="left", on="level"
    )


def _latest(runs: pd.DataFrame) -> pd.DataFrame:
    bounds = [wilson(passes, tasks) for passes, tasks in zip(runs["passes"], runs["tasks"], strict=True)]
    return pd.DataFrame(
        {
            "level": runs["level"],
            "published": runs["passes"] / runs["tasks"],
            "published_low": [low for low, _ in bounds],
            "published_high": [high for _, high in bounds],
        }
    )


def _range(runs: pd.DataFrame) -> pd.DataFrame:
    rates = (runs["passes"] / runs["tasks"]).groupby(runs["level"])
    return pd.DataFrame({"earlier_low": rates.min(), "earlier_high": rates.max()}).reset_index()


def published_table(comparison: pd.DataFrame) -> Table:
    """The comparison for a terminal."""
    table = Table(title=f"Tasks passed by {comparison['agent'].iloc[0]}", caption=SOURCE)
    table.add_column("Level")
    for heading in ("Passed", "Rate [95 %]", "Published 2024 [95 %]", "Published 2023"):
        table.add_column(heading, justify="right")
    for row in comparison.to_dict("records"):
        level = row["level"]
        missing = f" ({row['missing']} missing)" if row["missing"] else ""
        earlier = f"{100 * row['earlier_low']:.0f}-{100 * row['earlier_high']:.0f} %"
        table.add_row(
            "All" if level == ALL_LEVELS else f"{level} {LEVEL_NAMES.get(level, 'Unlevelled')}",
            f"{row['passes']}/{row['trials']}{missing}",
            _share(row["pass_rate"], row["low"], row["high"]),
            _share(row["published"], row["published_low"], row["published_high"]),
            "-" if pd.isna(row["earlier_low"]) else earlier,
        )
    return table


def _share(rate: float, low: float, high: float) -> str:
    return "-" if pd.isna(rate) else f"{percent(rate)} % [{percent(low)}-{percent(high)}]"
