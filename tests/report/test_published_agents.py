import math

import pandas as pd
import pytest
from rich.console import Console

from evaluation.statistics import wilson
from llm_control.agents.step_agents import STEP_AGENTS
from report.comparison.published_agents import (
    ALL_LEVELS,
    PUBLISHED_NAME,
    compare_with_published,
    published_table,
)


def results(agent, levels, passes=1, tasks=4):
    rows = [
        {"agent": agent, "task_id": f"{level:02}-{k:02}-01", "level": level, "passed": k < passes}
        for level in levels
        for k in range(tasks)
    ]
    return pd.DataFrame(rows).astype({"passed": "boolean"})


def test_every_step_agent_but_the_oracle_has_a_published_counterpart():
    assert set(PUBLISHED_NAME) == set(STEP_AGENTS) - {"oracle"}


def test_an_agent_without_a_counterpart_has_no_published_figures():
    total = compare_with_published(results("oracle", range(1, 11))).iloc[-1]
    assert (total["level"], total["trials"]) == (ALL_LEVELS, 40)
    assert math.isnan(total["published"])


@pytest.mark.parametrize(("agent", "passes"), [("random", 36), ("held", 36), ("braitenberg", 175)])
def test_the_published_totals_are_those_of_the_paper(agent, passes):
    total = compare_with_published(results(agent, range(1, 11))).iloc[-1]
    assert (total["level"], total["passes"], total["trials"]) == (ALL_LEVELS, 10, 40)
    assert total["published"] == pytest.approx(passes / 900)
    assert (total["published_low"], total["published_high"]) == pytest.approx(wilson(passes, 900))
    assert (total["low"], total["high"]) == pytest.approx(wilson(10, 40))


def test_the_earlier_runs_are_a_range():
    first = compare_with_published(results("braitenberg", [1, 2])).set_index("level").loc[1]
    assert (first["earlier_low"], first["earlier_high"]) == pytest.approx((62 / 89, 67 / 87))


def test_only_the_played_levels_are_summed_up():
    total = compare_with_published(results("random", [1, 3])).iloc[-1]
    assert total["published"] == pytest.approx((6 + 1) / 180)


def test_tasks_without_a_level_have_nothing_beside_them():
    comparison = compare_with_published(results("random", [0]))
    assert comparison["level"].to_list() == [0, ALL_LEVELS]
    assert comparison["published"].isna().all()
    console = Console(width=200)
    with console.capture() as shown:
        console.print(published_table(comparison))
    assert "0 Unlevelled" in shown.get()
    assert "nan" not in shown.get()
