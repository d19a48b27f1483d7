"""Which tasks are hard, which separate players, and which demands go with failure."""

import numpy as np
import pandas as pd
import pytest

from evaluation.results import results_frame
from human_data.baselines import competition_by_task
from report.comparison.items import item_analysis, items_by_level
from report.comparison.levels import DEMAND_MEANINGS, _standardised, demand_profile, firth
from report.comparison.page import sections, write_comparison
from report.comparison.runs import Run
from report.comparison.whole import compare
from testbed import CHILDREN
from tests.evaluation.runs import rows
from tests.report.test_compared import on_40


def run_of(passed, agent="m/x", trials=1):
    """A run on the shipped battery's tasks of `passed`, a verdict for each."""
    parts = [rows({task: [bool(verdict)] * trials}, agent, int(task[:2])) for task, verdict in passed.items()]
    return Run(agent, results_frame([row for part in parts for row in part]), animal_ai="2")


def test_difficulty_is_the_mean_over_runs_and_discrimination_needs_several():
    runs = [on_40(CHILDREN[:number], f"m/{number}") for number in (1, 3)]
    items = item_analysis(runs).set_index("task_id")
    assert items.loc[CHILDREN[0], "pass_rate"] == 1
    assert items.loc[CHILDREN[1], "pass_rate"] == 0.5
    assert items.loc[CHILDREN[1], "low"] < 0.5 < items.loc[CHILDREN[1], "high"]
    assert items["discrimination"].isna().all()
    assert items.loc[CHILDREN[5], "children_rate"] == pytest.approx(
        pd.Series(runs[0].results["task_id"]).map(items["children_rate"]).iloc[5]
    )


def test_discrimination_over_the_teams_is_the_item_rest_correlation():
    teams = competition_by_task().pivot(index="team", columns="task_id", values="passed").astype(float)
    task = "03-09-01"
    expected = np.corrcoef(teams[task], teams.drop(columns=task).mean(axis=1))[0, 1]
    row = item_analysis([on_40(())]).set_index("task_id").loc[task]
    assert row["teams_discrimination"] == pytest.approx(expected)
    assert row["teams_discrimination_low"] < expected < row["teams_discrimination_high"]
    assert row["teams_rate"] == pytest.approx(teams[task].mean())


def test_runs_find_which_task_separates_them():
    """Ten runs of rising ability; one task is passed by the weak half only."""
    ids = [f"01-{place:02d}-01" for place in range(1, 12)]
    runs = []
    for ability in range(10):
        verdicts = {task: place <= ability for place, task in enumerate(ids[:-1])} | {ids[-1]: ability < 5}
        runs.append(run_of(verdicts, f"m/{ability}"))
    items = item_analysis(runs).set_index("task_id")
    assert items.loc[ids[5], "discrimination"] > 0.7
    assert items.loc[ids[-1], "discrimination"] < -0.7
    assert items["children_rate"].isna().all()
    assert np.isnan(items.loc[ids[0], "discrimination"])
    (level,) = items_by_level(items.reset_index()).to_dict("records")
    assert (level["tasks"], level["all_pass"], level["none_passes"]) == (11, 1, 0)


def test_an_id_of_two_tasks_is_no_item():
    one, other = run_of({"01-01-01": 1, "01-02-01": 1}, "a"), on_40(["01-04-03"], "b")
    moved = Run("b", one.results.assign(agent="b", pass_mark=[0.0, 5.0]), animal_ai="2")
    assert set(item_analysis([one, moved])["task_id"]) == {"01-01-01"}
    assert len(item_analysis([one, other])) == 42


def test_firths_estimate_of_a_fourfold_table_adds_a_half_to_each_cell():
    passes, fails = (7, 2), (3, 8)
    shares = np.repeat([1.0, 1.0, 0.0, 0.0], (*passes, *fails))
    group = np.repeat([1.0, 0.0, 1.0, 0.0], (*passes, *fails))
    found, chances = firth(np.column_stack([np.ones(20), group]), shares)
    assert found[1] == pytest.approx(np.log(7.5 * 8.5 / (2.5 * 3.5)), abs=1e-4)
    assert chances[0] == pytest.approx(7.5 / 11, abs=1e-4)
    apart, _ = firth(np.column_stack([np.ones(20), group]), group)
    assert apart[1] == pytest.approx(np.log(10.5 * 10.5 / (0.5 * 0.5)), abs=1e-3)


def test_the_profile_finds_the_demand_that_makes_a_run_fail():
    demands = _standardised()
    rng = np.random.default_rng(5)
    chances = 1 / (1 + np.exp(1.2 * demands["steps_hidden"]))
    run = run_of(pd.Series(rng.random(len(demands)) < chances, demands.index))
    profile = demand_profile([run]).set_index("demand")
    assert list(profile.index) == list(DEMAND_MEANINGS)
    assert (profile["tasks"].iloc[0], profile["ideas"].iloc[0]) == (900, 300)
    hidden = profile.loc["steps_hidden"]
    assert hidden["low"] < hidden["effect"] < hidden["high"] < -0.1
    others = profile.drop(index="steps_hidden")
    assert ((others["low"] < 0) & (others["high"] > 0)).sum() >= 4


def test_there_is_no_profile_of_too_few_tasks_or_of_other_files():
    few = run_of({f"01-{place:02d}-01": place % 2 for place in range(1, 31)})
    assert demand_profile([few, on_40(CHILDREN[:9])]).empty


def test_the_comparison_has_items_demands_and_several_trials(tmp_path):
    some = dict.fromkeys(_standardised().index, True) | dict.fromkeys(_standardised().index[::3], False)
    compared = compare([run_of(some, trials=2)], ())
    found = sections(compared)
    assert {"item_analysis", "demand_profile", "reliability"} <= set(found)
    page = write_comparison(compared, tmp_path, title="T", facts={}).read_text()
    assert "Demand profile" in page
    assert len(pd.read_csv(tmp_path / "item_analysis.csv")) == 900
    assert {1, 2} == set(pd.read_csv(tmp_path / "reliability.csv")["k"])
