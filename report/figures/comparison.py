"""The figures of a comparison: runs by level, among children and teams, task by task, and by capacity."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from evaluation.statistics import mean_interval, pass_rates
from human_data import baselines
from report.comparison.differences import ALL, Estimate, with_ends
from report.comparison.levels import DEMANDS, level_name
from report.comparison.runs import CLOCKED, ReferenceGroup, Run
from report.comparison.whole import Comparison
from report.figures import look
from report.figures.look import width, wrap
from report.tables import decimals, percent
from testbed import CHILDREN as TASKS

_SPREAD, _HALF, _BAR = -0.24, 0.22, 15.0
"""Middle and half width of the spreads in levels, and height of a bar in percent."""
_SPREAD_HIGH = 1.9


def draw_spread(compared: Comparison, notes: Sequence[str]) -> Figure:
    """Draw every level that a run has, `notes` in small print; one column wide up to four levels."""
    levels = sorted(set(compared.results["level"]))
    wide = look.PAGE_WIDTH if len(levels) > 4 else look.COLUMN
    styles = look.run_styles([run.agent for run in compared.runs])
    widest = max(width(name, look.TEXT) for name in styles) + 0.5
    # Lines that the names of the runs take, side by side.
    rows = -(-len(styles) // max(1, int(wide / widest)))
    key = 0.14 * (rows + bool(_spread_others(compared))) + 0.08
    with look.canvas(wide, _SPREAD_HIGH + 0.5 + key, notes) as (figure, below):
        axes = look.panel(figure, 0.36, below + 0.46, wide - 0.42, _SPREAD_HIGH)
        _prepare(axes, levels, (wide - 0.42) / len(levels))
        for place, level in enumerate(levels):
            if _beside(compared, "children"):
                _children(axes, place, level)
            if _beside(compared, "teams"):
                _teams(axes, place, level)
        _spread_runs(axes, compared, levels, styles)
        _keys(figure, compared, styles, rows)
    return figure


def _beside(compared: Comparison, source: str) -> bool:
    """Return whether a group is comparable: all runs have played its tasks."""
    return compared.same_layouts and compared.has(source)


def _prepare(axes: Axes, levels: Sequence[int], inches: float) -> None:
    look.percents(axes)
    axes.set_ylim(-9, 109)
    axes.set_xlim(-0.52, len(levels) - 0.48)
    lines = ["\n".join(wrap(f"{level} {level_name(level)}", inches - 0.04, look.TICKS)) for level in levels]
    axes.set_xticks(range(len(levels)), lines, linespacing=1.0)
    axes.set_ylabel("Trials passed (%)", labelpad=1)
    for edge in np.arange(0.5, len(levels) - 1):
        axes.axvline(edge, color="#CCCCCC", linewidth=0.5)


def _children(axes: Axes, place: int, level: int) -> None:
    middle = place + _SPREAD
    if not _bars(axes, middle, level, baselines.children_passed_of_level(), -1, look.CHILDREN):
        return
    row = baselines.children_by_level().query(f"level == {level}")
    low, high = mean_interval(row["pass_rate"], row["sd"], row["children"])
    line = look.Style(look.CHILDREN, "", look.CHILDREN)
    axes.plot((middle - _HALF, middle), [100 * row["pass_rate"]] * 2, color=look.CHILDREN, **_MEAN)
    look.mark_rates(axes, row.assign(low=low, high=high), [middle - _HALF / 2], line, "y")


def _teams(axes: Axes, place: int, level: int) -> None:
    counts = baselines.competition_by_level().groupby("level")["passes"].value_counts()
    passed = counts.rename("children").rename_axis(["level", "passed"]).reset_index()
    middle = place + _SPREAD
    if not _bars(axes, middle, level, passed, 1, look.TEAMS):
        return
    teams = baselines.competition_by_level().query(f"level == {level}")
    for rate, line in ((teams["pass_rate"], "-"), (teams[teams["top_ten"]]["pass_rate"], ":")):
        axes.plot((middle, middle + _HALF), [100 * rate.mean()] * 2, line, color="#444444", **_MEAN)


_MEAN: Any = {"lw": 1.2, "solid_capstyle": "butt"}


def _bars(
    axes: Axes, middle: float, level: int, passed: pd.DataFrame, side: Literal[-1, 1], color: str
) -> bool:
    """Draw how many `children` `passed` 0 to 4 of a level's tasks; False if none played it.

    The largest share of all levels has the full width, so that all bars of a colour have one scale.
    """
    shares = passed["children"] / passed.groupby("level")["children"].transform("sum")
    here = passed["level"] == level
    options: Any = {"height": _BAR, "color": (color, 0.35), "edgecolor": (color, 0.8), "linewidth": 0.4}
    widths = side * _HALF * shares[here] / shares.max()
    axes.barh(25 * passed.loc[here, "passed"], widths, left=middle, **options)
    return bool(here.any())


def _spread_runs(
    axes: Axes, compared: Comparison, levels: Sequence[int], styles: dict[str, look.Style]
) -> None:
    rates = pass_rates(compared.results).dropna(subset="pass_rate")
    other_clock = {run.agent for run in compared.runs if run.other_clock}
    step = 0.46 / max(len(styles), 2)
    for place, (agent, style) in enumerate(styles.items()):
        own = rates[rates["agent"] == agent]
        x = np.array([levels.index(level) for level in own["level"]]) + 0.03 + step * (place + 0.5)
        lost = (own["level"] == CLOCKED).to_numpy() & (agent in other_clock)
        look.mark_rates(axes, own[~lost], x[~lost], style, "y", zorder=4)
        if lost.any():
            look.mark_rates(axes, own[lost], x[lost], style._replace(face="white"), "y", zorder=4)


def _keys(figure: Figure, compared: Comparison, styles: dict[str, look.Style], rows: int) -> None:
    """The runs, and below them the others."""
    options: Any = {"loc": "upper center", "borderpad": 0.2}
    figure.legend(handles=look.run_handles(styles), ncols=-(-len(styles) // rows), **options)
    others = _spread_others(compared)
    if others:
        down = 1 - (0.14 * rows) / figure.get_figheight()
        figure.legend(handles=others, ncols=len(others), bbox_to_anchor=(0.5, down), **options)


def _spread_others(compared: Comparison) -> list[Any]:
    found: list[Any] = []
    if _beside(compared, "children"):
        children: Any = {"facecolor": (look.CHILDREN, 0.35), "edgecolor": look.CHILDREN}
        found.append(Patch(**children, lw=0.4, label="59 children"))
    if _beside(compared, "teams"):
        found.append(Patch(facecolor=(look.TEAMS, 0.35), edgecolor=look.TEAMS, lw=0.4, label="68 teams 2019"))
        found.append(Line2D([], [], color="#444444", ls=":", lw=1.2, label="ten best"))
    return found


_RANKING_HIGH, _RANKING_ROW = 1.35, 0.27


def draw_ranking(compared: Comparison, notes: Sequence[str]) -> Figure | None:
    """Draw the runs that did the 40 tasks, or None if there is none."""
    runs = [(run, rate) for run in compared.runs if (rate := on_40(run)) is not None]
    if not runs or not (compared.has("children") or compared.has("teams")):
        return None
    styles = look.run_styles([run.agent for run in compared.runs])
    rows = _RANKING_ROW * len(runs) + 0.06
    with look.canvas(look.COLUMN, 0.42 + rows + _RANKING_HIGH + 0.12, notes) as (figure, below):
        lower = look.panel(figure, 0.42, below + 0.36, look.COLUMN - 0.56, rows)
        _ranking_runs(lower, compared, runs, styles)
        upper = look.panel(figure, 0.42, below + 0.42 + rows, look.COLUMN - 0.56, _RANKING_HIGH)
        _shares(upper, compared)
    return figure


def on_40(run: Run) -> Estimate | None:
    """The run's rate on the children's tasks, None if it has not all of them."""
    if not run.original:
        return None
    rates = run.rates_beside("children")
    rates = rates[rates["task_id"].isin(TASKS)]
    return with_ends(rates) if len(rates) == len(TASKS) else None


def _shares(axes: Axes, compared: Comparison) -> None:
    look.percents(axes)
    look.percents(axes, "x")
    axes.set_xticklabels([])
    axes.set_ylabel("Passed at most (%)", labelpad=1)
    table, teams = baselines.children_passed_of_40(), baselines.competition()
    if compared.has("teams"):
        _steps(axes, teams["passes_40"].to_numpy(), look.TEAMS, "--")
        axes.text(47, 95, "68 teams 2019", color=look.GREY, ha="left", va="top")
    if compared.has("children"):
        _steps(axes, np.repeat(table["passed"].to_numpy(), table["children"]), look.CHILDREN, "-")
        axes.text(66, 45, "59 children", color=look.CHILDREN, ha="left", va="top")


def _steps(axes: Axes, passed: npt.NDArray[np.int64], color: str, line: str) -> None:
    share = [100 * float((passed <= number).mean()) for number in range(41)]
    axes.step(np.arange(41) * 2.5, share, line, where="post", color=color, lw=1.2, clip_on=False)


def _ranking_runs(
    axes: Axes, compared: Comparison, runs: Sequence[tuple[Run, Estimate]], styles: dict[str, look.Style]
) -> None:
    look.percents(axes, "x")
    axes.set_ylim(len(runs), 0)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("Tasks passed of the 40 (%)", labelpad=1)
    for place, (run, rate) in enumerate(runs):
        row = pd.DataFrame([tuple(rate)], columns=["pass_rate", "low", "high"])
        look.mark_rates(axes, row, [place + 0.72], styles[run.agent])
        standing = _standing(compared, run)
        # Bold letters are about a tenth wider.
        room = (look.COLUMN - 0.56 - width(standing, look.TICKS) - 0.1) / 1.12
        name = look.shortened(run.agent, room, look.TICKS, lines=1)
        axes.text(0, place + 0.24, name, size=look.TICKS, weight="bold", va="center")
        axes.text(100, place + 0.24, standing, size=look.TICKS, ha="right", va="center", color=look.GREY)


def _standing(compared: Comparison, run: Run) -> str:
    """The run's rank and the share of children it outperformed, in words."""
    place, share = (
        table[(table["agent"] == run.agent) & (table["scope"] == ALL)].to_dict("records")
        for table in (compared.tables["ranks"], compared.tables["outperformed"])
    )
    parts = [f"rank {r['rank']} [{r['low']:.0f}–{r['high']:.0f}] among {r['teams']} teams" for r in place[:1]]
    parts += [f"above {percent(r['outperformed'])} % of children" for r in share[:1]]
    return ", ".join(parts)


_ITEMS_LEFT, _ITEMS_RIGHT, _ITEMS_HIGH, _ITEMS_ROW, _IDS = 1.0, 1.05, 1.25, 0.22, 0.42


def draw_items(compared: Comparison, notes: Sequence[str]) -> Figure | None:
    """Draw every run on the children's tasks.

    None if no run did one of them, or children are not compared with.
    """
    order = baselines.children_by_task().sort_values(
        "pass_rate", ascending=False, kind="stable", ignore_index=True
    )
    runs = [
        run for run in compared.runs if run.original and run.results["task_id"].isin(order["task_id"]).any()
    ]
    if not runs or not compared.has("children"):
        return None
    rows = _ITEMS_ROW * len(runs)
    across = look.PAGE_WIDTH - _ITEMS_LEFT - _ITEMS_RIGHT
    with look.canvas(look.PAGE_WIDTH, _ITEMS_HIGH + rows + _IDS + 0.2, notes) as (figure, below):
        upper = look.panel(figure, _ITEMS_LEFT, below + _IDS + rows + 0.06, across, _ITEMS_HIGH)
        _items_others(upper, order, compared.groups)
        lower = look.panel(figure, _ITEMS_LEFT, below + _IDS, across, rows)
        _items_runs(lower, compared, runs, order)
    return figure


def _items_others(axes: Axes, order: pd.DataFrame, groups: Sequence[ReferenceGroup]) -> None:
    look.percents(axes)
    axes.set_xlim(-0.5, len(order) - 0.5)
    axes.set_xticks([])
    axes.set_ylabel("Passed (%)", labelpad=1)
    places = np.arange(len(order), dtype=float)
    children = look.Style(look.CHILDREN, "D", look.CHILDREN, 2.6)
    look.mark_rates(axes, order, places, children, "y", label="59 children")
    for group in groups:
        if group.source == "teams" and group.members > 10:
            theirs = 100 * order["task_id"].map(group.rates)
            marks: Any = {"color": look.TEAMS, "markersize": 2.4, "zorder": 1.5, "clip_on": False}
            axes.plot(places, theirs, "s", label=group.name, **marks)
    axes.legend(loc="upper left", bbox_to_anchor=(1.005, 1.0), handlelength=1.2)


def _items_runs(axes: Axes, compared: Comparison, runs: Sequence[Run], order: pd.DataFrame) -> None:
    styles = look.run_styles([run.agent for run in compared.runs])
    cells = np.ones((len(runs), len(order), 3))
    for row, run in enumerate(runs):
        rates = order["task_id"].map(run.task_rates.set_index("task_id")["rate"]).to_numpy(float)
        full = np.array(to_rgb(styles[run.agent].color))
        cells[row] = 1 - np.nan_to_num(rates)[:, None] * (1 - full)
        comparable = order["task_id"].isin(run.rates_beside("children")["task_id"]).to_numpy()
        marks: dict[Any, Any] = {"x": np.isnan(rates), (2, 2, -45): ~np.isnan(rates) & ~comparable}
        for mark, where in marks.items():
            at = np.flatnonzero(where)
            thin: Any = {"color": "#999999", "markersize": 3, "markeredgewidth": 0.6, "ls": ""}
            axes.plot(at, np.full(len(at), row), marker=mark, **thin)
        axes.text(
            *(len(order) - 0.2, row, _correlation(compared, run)), size=look.TICKS, va="center", ha="left"
        )
    axes.imshow(cells, aspect="auto", interpolation="nearest")
    axes.set_xlim(-0.5, len(order) - 0.5)
    axes.set_ylim(len(runs) - 0.5, -0.5)
    axes.set_yticks(range(len(runs)), [look.shortened(run.agent, _ITEMS_LEFT - 0.1) for run in runs])
    axes.set_xticks(range(len(order)), order["task_id"], rotation=90, fontsize=5)
    axes.set_xticks(np.arange(-0.5, len(order)), minor=True)
    axes.set_yticks(np.arange(-0.5, len(runs)), minor=True)
    axes.grid(which="minor", color="#BBBBBB", linewidth=0.4)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)


def _correlation(compared: Comparison, run: Run) -> str:
    table = compared.tables["correlations"]
    own = table[(table["agent"] == run.agent) & (table["source"] == "children")]
    if own.empty or math.isnan(own["spearman"].iloc[0]):
        return "ρ: no variation" if len(own) else "too few tasks"
    row = own.iloc[0]
    low, high = row["spearman_low"], row["spearman_high"]
    ends = "" if math.isnan(low) else f" [{decimals(low)}, {decimals(high)}]"
    return f"ρ = {decimals(row['spearman'])}{ends}"


FEWEST = 3
"""Ideas below which a capacity is left to the table."""

_CAPACITIES_LEFT, _CAPACITIES_RIGHT = 1.22, 0.5


def draw_capacities(compared: Comparison, notes: Sequence[str]) -> Figure | None:
    """Draw the runs on the shipped battery, or None if there is none."""
    table = compared.tables["capacities"]
    table = table[table["basis"] == DEMANDS]
    if table.empty:
        return None
    every = look.run_styles([run.agent for run in compared.runs])
    styles = {agent: every[agent] for agent in table["agent"].unique()}
    row = 0.085 * len(styles) + 0.06
    names = list(_shown(table, int((look.PAGE_HEIGHT - 1.5) / row)))
    table = table[table["capacity"].isin(names)]
    key = 0.13 * len(styles) + 0.1
    with look.canvas(look.COLUMN, row * len(names) + 0.45 + key, notes) as (figure, below):
        across = look.COLUMN - _CAPACITIES_LEFT - _CAPACITIES_RIGHT
        axes = look.panel(figure, _CAPACITIES_LEFT, below + 0.4, across, row * len(names))
        look.percents(axes, "x")
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_yticks(
            range(len(names)), [look.shortened(name, _CAPACITIES_LEFT - 0.08, look.TICKS) for name in names]
        )
        axes.tick_params(axis="y", length=0, pad=4)
        axes.set_xlabel("Trials passed (%)", labelpad=1)
        for place, name in enumerate(names):
            most = table[table["capacity"] == name].nlargest(1, "tasks").iloc[0]
            counts = f"{most['tasks']} ({most['ideas']})"
            axes.text(103, place, counts, size=look.TICKS, va="center", color=look.GREY)
            if place:
                axes.axhline(place - 0.5, color="#DDDDDD", lw=0.4)
        for place, (agent, style) in enumerate(styles.items()):
            own = table[table["agent"] == agent]
            offset = (place - (len(styles) - 1) / 2) * 0.72 / len(styles)
            y = np.array([names.index(capacity) for capacity in own["capacity"]]) + offset
            look.mark_rates(axes, own, y, style._replace(size=2.8))
        handles = look.run_handles(styles)
        figure.legend(handles=handles, loc="upper center", borderpad=0.1)
    return figure


def _shown(table: pd.DataFrame, most: int) -> "pd.Index[str]":
    """The capacities that are drawn, those of most tasks first: those of several ideas, if there are any."""
    enough = table[table["ideas"] >= FEWEST]
    sizes = (enough if len(enough) else table).groupby("capacity", sort=False)["tasks"].max()
    return sizes.sort_values(ascending=False, kind="stable").head(max(1, most)).index
