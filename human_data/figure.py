"""The figure of a run: pass rate by level beside children and competition."""

from pathlib import Path

import matplotlib
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

CHILDREN, TEAMS, AGENTS = "#0072B2", "#999999", ("#D55E00", "#009E73", "#CC79A7", "#E69F00")
"""Okabe and Ito's palette, which colour-blind readers can tell apart."""


def draw_levels(comparison: pd.DataFrame) -> Figure:
    """Bars of each agent with 95 % intervals; children and top ten as means with quartile bands."""
    levels = comparison.drop_duplicates("level").reset_index(drop=True)
    agents = list(dict.fromkeys(comparison["agent"]))
    figure = Figure(figsize=(2.6 + 1.5 * len(levels), 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    slots = len(agents) + 2
    width = 0.8 / slots
    for place, agent in enumerate(agents):
        rows = comparison[comparison["agent"] == agent]
        x = [
            list(levels["level"]).index(level) + (place - (slots - 1) / 2) * width for level in rows["level"]
        ]
        errors = [rows["pass_rate"] - rows["low"], rows["high"] - rows["pass_rate"]]
        axes.bar(
            x, rows["pass_rate"], 0.9 * width, yerr=errors, capsize=3, label=agent, color=AGENTS[place % 4]
        )
    for offset, name, key, color in (
        (0, "59 children", "children", CHILDREN),
        (1, "top ten 2019", "top_ten", TEAMS),
    ):
        x = [i + (len(agents) + offset - (slots - 1) / 2) * width for i in range(len(levels))]
        band = levels[f"{key}_q3"] - levels[f"{key}_q1"]
        axes.bar(x, band, 0.9 * width, bottom=levels[f"{key}_q1"], color=color, alpha=0.35)
        axes.scatter(x, levels[key], color=color, zorder=3, label=f"{name}: mean, quartiles")
    axes.set_xticks(
        range(len(levels)), [f"{r.level}\n{r.level_name}" for r in levels.itertuples()], fontsize=8
    )
    axes.set_ylim(0, 1.02)
    axes.set_ylabel("share of tasks passed")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.22), ncols=2)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG or SVG by the path's ending; the same figure gives the same bytes."""
    with matplotlib.rc_context({"svg.hashsalt": "arena-llm"}):
        metadata = {"Date": None} if path.suffix == ".svg" else {"Software": None}
        figure.savefig(path, dpi=150, metadata=metadata)
