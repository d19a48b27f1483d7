"""A run beside children and the 2019 competition, level by level."""

import math

import pandas as pd
from rich.table import Table

from human_data.baselines import children_by_level, top_ten_by_level
from human_data.statistics import pass_rates
from testbed import LEVEL_NAMES

BASELINES_NOTE = (
    "Children: 59 children, four tasks a level. Competition: the ten best teams of 2019 on the same 40 tasks."
)
OTHER_LAYOUTS = (
    "The tasks of this run test the same capacities, but their layouts differ from those that children saw."
)
SAME_LAYOUTS = "The tasks of this run are files of the original battery; children did 40 of its 900."


def compare_levels(results: pd.DataFrame) -> pd.DataFrame:
    """`pass_rates` of a run with the baselines of each level beside them.

    Further columns: `level_name`; `children`, `children_q1`, `children_q3`; `top_ten`, `top_ten_q1`,
    `top_ten_q3`, `best_2019` (all pass rates; NaN for a level that they did not do).
    """
    rates = pass_rates(results)
    children = children_by_level().set_index("level")
    top = top_ten_by_level().set_index("level")
    levels = rates["level"]
    return rates.assign(
        level_name=levels.map(lambda level: LEVEL_NAMES.get(level, "Unlevelled")),
        children=levels.map(children["pass_rate"]),
        children_q1=levels.map(children["quartile_1"]),
        children_q3=levels.map(children["quartile_3"]),
        top_ten=levels.map(top["pass_rate"]),
        top_ten_q1=levels.map(top["quartile_1"]),
        top_ten_q3=levels.map(top["quartile_3"]),
        best_2019=levels.map(top["best"]),
    )


def levels_table(comparison: pd.DataFrame) -> Table:
    """The comparison for a terminal."""
    table = Table(title="Tasks passed, by level", caption=BASELINES_NOTE)
    for heading in (
        "Level",
        "Agent",
        "Passed",
        "Rate [95 %]",
        "Children [quartiles]",
        "Top ten 2019 [quartiles]",
    ):
        table.add_column(heading, justify="left" if heading in ("Level", "Agent") else "right")
    for row in comparison.to_dict("records"):
        missing = f" ({row['missing']:.0f} missing)" if row["missing"] else ""
        table.add_row(
            f"{row['level']} {row['level_name']}",
            str(row["agent"]),
            f"{row['passes']:.0f}/{row['trials']:.0f}{missing}",
            share(row["pass_rate"], row["low"], row["high"]),
            share(row["children"], row["children_q1"], row["children_q3"]),
            share(row["top_ten"], row["top_ten_q1"], row["top_ten_q3"]),
        )
    return table


def share(rate: float, low: float, high: float) -> str:
    """A proportion and its range in percent, or a dash where there is none."""
    return "-" if math.isnan(rate) else f"{100 * rate:.0f} % [{100 * low:.0f}-{100 * high:.0f}]"
