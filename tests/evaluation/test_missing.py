"""A model gains nothing by silence: missing trials count as failed, in every headline."""

import numpy as np
import pandas as pd
import pytest

from evaluation.paired import compare_agents, reliability
from evaluation.results import results_frame
from evaluation.statistics import counted, mean_scores, pass_rates
from evaluation.suites import get_suite, suite_names
from human_data.baselines import children_by_task
from report.comparison.contamination import contamination
from report.comparison.differences import compare_with_groups
from report.comparison.levels import capacities
from report.comparison.ranks import outperformed, ranks
from report.comparison.runs import played_run, shipped_groups
from testbed import CHILDREN
from tests.cases import cases
from tests.evaluation.runs import rows

CASES = cases(__file__)

MARKS = children_by_task().set_index("task_id")["pass_mark"]


def results(verdicts, tasks=CHILDREN):
    """Three trials of each task; the verdicts are repeated over them."""
    places = iter(np.resize(np.array(verdicts, object), 3 * len(tasks)))
    trials = {task: [next(places) for _ in range(3)] for task in sorted(tasks)}
    return results_frame(
        [row for task, own in trials.items() for row in rows({task: own}, level=int(task[:2]))]
    )


def headlines(frame, other):
    """Every figure that says how well a run did."""
    run = played_run(frame.assign(pass_mark=frame["task_id"].map(MARKS)), True, "2")
    both = compare_agents(pd.concat([frame, other], ignore_index=True)).fillna(-9)
    groups = shipped_groups(["children", "competition"])
    yield "rates", pass_rates(frame)[["pass_rate", "low", "high"]]
    yield (
        "scores",
        mean_scores(frame.assign(score=frame["passed"].astype("Float64") * 0.8))[["score", "low", "high"]],
    )
    yield "pairs", both[["rate", "difference", "low", "high", "p", "p_holm"]]
    yield "reliability", reliability(frame).drop(columns=["agent", "scope", "k", "tasks"])
    yield "differences", compare_with_groups([run], groups)[["rate", "difference", "low", "high"]]
    yield "ranks", ranks([run])[["passed", "rate", "rank"]]
    yield "outperformed", outperformed([run])[["passed", "outperformed"]]
    yield "capacities", capacities([run])[["pass_rate", "low", "high"]]


@pytest.fixture(scope="module")
def played():
    rng = np.random.default_rng(3)
    verdicts = [bool(each) for each in rng.random(120) < 0.5]
    return verdicts, results([True, False, False]).assign(agent="other")


def test_a_failed_trial_that_is_missing_instead_changes_no_headline(played):
    verdicts, other = played
    without = [each or (None if place % 3 else False) for place, each in enumerate(verdicts)]
    one, two = (dict(headlines(results(each), other)) for each in (verdicts, without))
    for name, table in one.items():
        assert len(table)
        assert np.allclose(table.astype(float), two[name].astype(float), equal_nan=True), name


def test_a_passed_trial_that_is_missing_instead_lowers_the_headlines(played):
    verdicts, other = played
    lost = [place for place, each in enumerate(verdicts) if each]
    fewer = [None if place in lost[::2] else each for place, each in enumerate(verdicts)]
    before, after = (dict(headlines(results(each), other)) for each in (verdicts, fewer))
    for name, column in CASES["columns"].items():
        assert after[name][column].sum() < before[name][column].sum(), name
    assert after["ranks"]["rank"].sum() >= before["ranks"]["rank"].sum()


def test_silence_on_the_public_tasks_does_not_hide_a_gap():
    public, hidden = results([True, False]), results([True, False, False])
    ids = hidden["task_id"].str[:6] + "9" + hidden["task_id"].str[7:]
    hidden = played_run(hidden.assign(task_id=ids), original=False)
    silent = public.assign(
        passed=public["passed"].mask(~public["passed"]),
        error=public["error"].mask(~public["passed"], "refused"),
    )
    gaps = [contamination([played_run(each, original=False)], [hidden]) for each in (public, silent)]
    assert gaps[0]["gap"].to_list() == pytest.approx(gaps[1]["gap"].to_list())


def test_tasks_without_a_criterion_are_left_out_and_errors_on_others_are_not():
    frame = results_frame(rows({"marked": [True, None], "unmarked": [None, None], "silent": [None]}))
    frame.loc[frame["task_id"] == "unmarked", "error"] = [None, "x"]
    assert set(counted(frame)["task_id"]) == {"marked", "silent"}
    (row,) = pass_rates(frame).to_dict("records")
    assert (row["planned"], row["trials"], row["missing"], row["tasks"]) == (3, 1, 2, 2)
    (row,) = pass_rates(frame[frame["task_id"] == "unmarked"]).to_dict("records")
    assert (row["planned"], row["missing"]) == (0, 0)
    assert np.isnan([row["pass_rate"], row["most"]]).all()


def test_a_finished_trial_without_a_verdict_is_missing_if_its_task_has_a_criterion():
    frame = results_frame(rows({"t": [True, None]})).assign(error=None)
    assert pass_rates(frame)["pass_rate"].to_list() == [0.5]


def test_a_missing_score_is_0_beside_the_mean_of_the_others():
    frame = results_frame(rows({"t1": [True], "t2": [None], "t3": [False]})).assign(score=[0.8, None, 0.4])
    (row,) = mean_scores(frame).to_dict("records")
    assert (row["planned"], row["missing"], row["tasks"]) == (3, 1, 3)
    assert (row["score"], row["judged_score"], row["most"]) == pytest.approx((0.4, 0.6, 2.2 / 3))


def test_every_suite_names_its_published_metrics():
    """By name, with what each is in a record; the report reads it so."""
    found = {name: dict(get_suite(name).headline) for name in suite_names()}
    assert found["arena"] == {"pass rate": "passed"}
    assert found["scienceworld"] == {"score": "score"}
    assert list(found["discoveryworld"]) == ["completion", "procedure", "knowledge"]
