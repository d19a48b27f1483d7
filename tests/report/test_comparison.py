import io
import math

import pytest
from rich.console import Console

from arena import EvaluationError
from evaluation.results import TrialResult, results_frame
from human_data.baselines import children_by_task
from report.comparison.levels import compare_levels
from report.tables import HEADINGS, cells, headline_table, headlines, percent, rates_table
from tests.cases import cases
from tests.evaluation.runs import level, rows


def by_who(comparison, number):
    here = comparison[comparison["level"] == number]
    return {(row["who"], row["task_set"]): row for row in here.to_dict("records")}


def test_everyone_on_record_for_a_level_has_a_row():
    found = by_who(compare_levels(results_frame(level(3, 6))), 3)
    assert list(found) == [
        ("a/b", "this run"),
        ("59 children", "children 40"),
        ("top ten 2019", "children 40"),
        ("top ten 2019", "all 900"),
        ("GPT-4o 2024", "children 40"),
        ("GPT-4o 2024 + demo", "children 40"),
    ]
    assert {row["source"] for row in found.values()} == {"run", "children", "teams", "published"}
    assert all(row["level_name"] == "Static Obstacles" for row in found.values())


@pytest.mark.parametrize(("number", "who", "task_set", "counts"), cases(__file__)["counts"])
def test_counts_are_those_of_the_sources(number, who, task_set, counts):
    row = by_who(compare_levels(results_frame(level(number, 6))), number)[who, task_set]
    assert [row["passes"], row["trials"], row["tasks"]] == counts
    assert row["pass_rate"] == pytest.approx(counts[0] / counts[1])
    assert row["missing"] == 0


def test_children_have_an_interval_over_children_and_quartiles_and_teams_have_quartiles():
    found = by_who(compare_levels(results_frame(level(1, 6))), 1)
    row, teams = found["59 children", "children 40"], found["top ten 2019", "children 40"]
    half = 1.96 * 0.2712 / math.sqrt(59)
    assert (row["low"], row["high"]) == pytest.approx((0.6017 - half, 0.6017 + half), abs=1e-4)
    assert (row["quartile_1"], row["quartile_3"]) == (0.5, 0.75)
    assert (teams["quartile_1"], teams["quartile_3"]) == (0.75, 0.75)
    assert math.isnan(teams["low"])
    assert math.isnan(teams["high"])


def test_a_published_model_is_judged_as_a_run_with_its_trials_would_be():
    # GPT-4o on level 1, no demonstration: 2, 3, 0 and 0 of three trials (LLM-AAI, supporting materials).
    trials = {"01-04-03": [True, True, False], "01-06-02": [True] * 3}
    trials |= {"01-21-01": [False] * 3, "01-23-01": [False] * 3}
    found = by_who(compare_levels(results_frame(rows(trials))), 1)
    own, published = found["a/b", "this run"], found["GPT-4o 2024", "children 40"]
    for key in ("passes", "trials", "tasks", "pass_rate", "low", "high"):
        assert own[key] == published[key]


def test_a_level_that_nobody_did_has_rows_of_runs_only():
    comparison = compare_levels(results_frame(rows({"t": [True]}, level=0) + level(4, 2)))
    unlevelled = comparison[comparison["level"] == 0]
    assert unlevelled["who"].to_list() == ["a/b"]
    assert unlevelled["level_name"].to_list() == ["Unlevelled"]
    assert comparison["level"].is_monotonic_increasing


def test_models_keep_the_order_of_the_results():
    frame = results_frame(level(2, 1, agent="z") + level(2, 1, agent="a") + level(1, 1, agent="a"))
    runs = compare_levels(frame).query("source == 'run'")
    assert list(zip(runs["level"], runs["who"], strict=True)) == [(1, "a"), (2, "z"), (2, "a")]


def test_on_the_original_tasks_the_childrens_are_compared_with_the_childrens():
    ids = [f"01-{task:02d}-{variant:02d}" for task in range(1, 31) for variant in (1, 2, 3)]
    passed = set(children_by_task().query("level == 1")["task_id"][:3])
    frame = results_frame(rows({task: [task in passed] for task in ids}))
    found = by_who(compare_levels(frame, same_layouts=True), 1)
    assert list(found)[:2] == [("a/b", "this run"), ("a/b", "children 40")]
    alike = found["a/b", "children 40"]
    assert (alike["passes"], alike["trials"], alike["tasks"]) == (3, 4, 4)
    assert cells(alike)[0] == "a/b, children's tasks"
    assert found["a/b", "this run"]["trials"] == 90
    # Other layouts are never taken for the children's.
    found = by_who(compare_levels(frame), 1)
    assert [key for key in found if key[0] == "a/b"] == [("a/b", "this run")]


def test_the_childrens_tasks_alone_have_one_row():
    shared = {task: [True] for task in children_by_task().query("level == 5")["task_id"]}
    found = by_who(compare_levels(results_frame(rows(shared, level=5)), same_layouts=True), 5)
    assert [key for key in found if key[0] == "a/b"] == [("a/b", "children 40")]


def test_without_results_there_is_nothing_to_compare():
    with pytest.raises(EvaluationError, match="no results"):
        compare_levels(results_frame([]))


@pytest.mark.parametrize("named", [True, False])
def test_published_metrics_come_first_and_the_pass_rate_beside_them(named):
    played = [
        TrialResult("m", f"w{k}", "theme", 0, None, passed=k > 2, score=k / 4, metrics={"known": k / 8})
        for k in range(5)
    ]
    frame = results_frame([*played, TrialResult("m", "w5", "theme", 0, None, error="refused")])
    metrics = {"completion": "passed"} if named else {}
    found = headlines(frame, {"score": "score", "known": "known", "absent": "absent", **metrics})
    last = "completion" if named else "pass rate"
    assert found["metric"].to_list() == ["score", "known", last]
    assert found["mean"].to_list() == pytest.approx([2.5 / 6, 1.25 / 6, 2 / 6])
    assert found["judged"].to_list() == pytest.approx([2.5 / 5, 1.25 / 5, 2 / 5])
    assert found["most"].to_list() == pytest.approx([3.5 / 6, 2.25 / 6, 3 / 6])
    assert (found["missing"] == 1).all()
    assert (found["planned"] == 6).all()
    out = io.StringIO()
    Console(file=out, width=120).print(headline_table(found).terminal("All tasks"))
    lines = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.getvalue().splitlines()]
    body = [line for line in lines if line]
    assert body[0][:5] + body[0][6:] == ["m", "score", "6", "1", "0.42", "0.50", "0.42-0.58"]
    assert body[2][4] == ("0.33" if named else "33 %")


def test_the_table_shows_every_row_with_its_tasks():
    frame = results_frame(level(9, 5, agent="[b]odd[/b]") + rows({"x": [None, True, False]}, "some", 9))
    comparison = compare_levels(frame)
    out = io.StringIO()
    Console(file=out, width=130).print(rates_table(comparison, "level", "Others played the original."))
    lines = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.getvalue().splitlines()]
    body = [line for line in lines if len(line) == len(HEADINGS)]
    assert body[0][0] == "9 Numerosity and Advanced Preferences"
    assert body[1][:4] == ["[b]odd[/b]", "5/12", "12", "42 %"]
    assert body[2][:4] + body[2][5:] == ["some", "1/3 (1 missing)", "1", "33 %", "50 %", "33-67", "-"]
    assert "missing and counts as failed" in " ".join(out.getvalue().split())
    teams = [["top ten 2019", "8/40", "4"], ["top ten 2019", "381/900", "90"]]
    assert [line[:3] for line in body[4:6]] == teams


def test_percent_rounds_halves_up():
    shown = {0: "0", 1: "100", 0.775: "78", 0.625: "63", 1 / 3: "33", 0.004: "0"}
    assert {share: percent(share) for share in shown} == shown
