"""Pairs of agents, the difference that a study could find, and pass^k and pass@k."""

import math
from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from evaluation.paired import (
    ALL_LEVELS,
    POWER,
    all_of,
    any_of,
    compare_agents,
    detectable_difference,
    holm,
    planned_difference,
    planned_study,
    reliability,
)
from evaluation.results import results_frame
from tests.evaluation.runs import rows


def compared(one, other, level=1):
    table = compare_agents(results_frame(rows(one, "one", level) + rows(other, "other", level)))
    (only,) = table[table["scope"] == ALL_LEVELS].to_dict("records")
    return only


def test_holm_agrees_with_the_textbook():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1, 1]
    assert math.isnan(holm([math.nan, 0.02])[0])
    assert holm([math.nan, 0.02])[1] == 0.02


def test_tasks_are_paired_and_counted_once_each():
    one = {"t1": [True, True], "t2": [True, False], "t3": [False, False]}
    pair = compared(one, {"t1": [False], "t2": [True], "t3": [False]})
    assert (pair["tasks"], pair["rate"], pair["other_rate"]) == (3, 0.5, pytest.approx(1 / 3))
    assert pair["difference"] == pytest.approx(1 / 6)
    assert pair["low"] < pair["difference"] < pair["high"]


def test_a_task_that_only_one_was_given_is_left_out_and_counted():
    pair = compared({"t1": [True], "t2": [True]}, {"t1": [False], "t4": [True]})
    assert (pair["tasks"], pair["unpaired"]) == (1, 2)
    assert pair["difference"] == 1
    assert math.isnan(pair["p"])


def test_a_missing_trial_counts_as_failed_and_has_bounds():
    pair = compared({"t1": [True], "t2": [None]}, {"t1": [False], "t2": [False]})
    assert (pair["tasks"], pair["rate"], pair["difference"]) == (2, 0.5, 0.5)
    assert (pair["judged_difference"], pair["least"], pair["most"]) == (1, 0.5, 1)
    other = compared({"t1": [True], "t2": [True]}, {"t1": [None, False], "t2": [None]})
    assert (other["judged_difference"], other["least"], other["most"]) == (1, 0.25, 1)
    none = compared({"t": [None]}, {"t": [True]})
    assert (none["tasks"], none["unpaired"], none["difference"], none["most"]) == (1, 0, -1, 0)
    assert math.isnan(none["judged_difference"])


def test_the_permutation_test_is_exact_for_few_tasks():
    # Eight tasks that all speak for one: 2 of 256 exchanges are as extreme.
    pair = compared({f"t{k}": [True] for k in range(8)}, {f"t{k}": [False] for k in range(8)})
    assert pair["p"] == pytest.approx(2 / 256)


@pytest.mark.parametrize("verdict", [True, False])
@pytest.mark.parametrize("tasks", [2, 8, 40])
def test_where_all_tasks_agree_the_interval_is_what_could_have_been_missed(verdict, tasks):
    pair = compared({f"t{k}": [verdict] for k in range(tasks)}, {f"t{k}": [False] for k in range(tasks)})
    unseen = 1 - 0.025 ** (1 / tasks)
    expected = (1 - 2 * unseen, 1) if verdict else (-unseen, unseen)
    assert (pair["low"], pair["high"]) == pytest.approx(expected)
    # A share of tasks as large as this that differ is not seen in 2.5 % of samples.
    assert (1 - unseen) ** tasks == pytest.approx(0.025)


def test_variants_are_exchanged_together():
    ids = [f"01-{task:02d}-{variant:02d}" for task in (1, 2, 3, 4) for variant in (1, 2, 3)]
    pair = compared({task: [True] for task in ids}, {task: [False] for task in ids})
    assert (pair["tasks"], pair["groups"]) == (12, 4)
    assert pair["p"] == pytest.approx(2 / 16)


def test_equal_agents_do_not_differ():
    verdicts = {f"t{k}": [k % 2 == 0] for k in range(10)}
    pair = compared(verdicts, verdicts)
    assert (pair["difference"], pair["p"]) == (0, 1)


def test_all_pairs_and_levels_are_there_and_corrected_by_set():
    played = [
        row
        for agent, share in (("a", 9), ("b", 5), ("c", 1))
        for level in (1, 2)
        for row in rows({f"{level}t{k}": [k < share] for k in range(10)}, agent, level)
    ]
    table = compare_agents(results_frame(played))
    assert table["scope"].tolist() == [ALL_LEVELS] * 3 + ["1"] * 3 + ["2"] * 3
    single = table[table["scope"] != ALL_LEVELS]
    assert (single["p_holm"] >= single["p"]).all()
    assert single["p_holm"].min() == pytest.approx(min(1, 6 * single["p"].min()))
    assert compare_agents(results_frame(rows({"t": [True]}))).empty


def test_more_tasks_and_trials_find_smaller_differences():
    assert planned_difference(40, 3) < planned_difference(40, 1) < planned_difference(10, 1)
    assert planned_difference(40, 10**9, alike=0) == pytest.approx(0, abs=1e-3)
    assert planned_difference(2, 1) == 1
    assert math.isnan(detectable_difference(0.1, 1))


def simulated(difference, rng, tasks=40, trials=3):
    """Two agents whose chances on a task differ by so much everywhere."""
    base = rng.uniform(0.2, 0.8 - difference, tasks)
    frames = [
        pd.DataFrame(
            {
                "agent": name,
                "level": 1,
                "task_id": np.repeat([f"t{k}" for k in range(tasks)], trials),
                "passed": rng.random(tasks * trials) < np.repeat(base + gain, trials),
            }
        )
        for name, gain in (("one", difference), ("other", 0.0))
    ]
    (row,) = compare_agents(pd.concat(frames).astype({"passed": "boolean"})).to_dict("records")
    return row


@pytest.mark.slow
def test_the_stated_error_rates_and_power_are_kept():
    rng = np.random.default_rng(5)
    null = [simulated(0.0, rng) for _ in range(300)]
    assert np.mean([row["p"] < 0.05 for row in null]) < 0.08
    detectable = float(np.mean([row["detectable"] for row in null]))
    found = [simulated(detectable, rng) for _ in range(300)]
    assert np.mean([row["p"] < 0.05 for row in found]) == pytest.approx(0.8, abs=0.08)
    assert np.mean([row["low"] <= detectable <= row["high"] for row in found]) > 0.92


@pytest.mark.parametrize(("alike", "shared"), [(0.5, 0.5), (0.25, 0.9), (0.5, 0.0)])
def test_its_standard_error_is_that_of_simulated_studies(alike, shared):
    rng = np.random.default_rng(7)
    groups, trials, studies = 12, 3, 4000
    # A beta distribution of chances with mean 1/2 makes trials correlate by 1 / (a + b + 1).
    shape = (1 / alike - 1) / 2
    common, others = rng.beta(shape, shape, (2, studies, groups))
    # Two agents have the same chance on a task with probability `shared`, else unrelated ones.
    second = np.where(rng.random((studies, groups)) < shared, common, others)
    gaps = (rng.binomial(trials, common) - rng.binomial(trials, second)) / trials
    error = float(gaps.mean(axis=1).std())
    expected = float(student.ppf([0.975, POWER], groups - 1).sum()) * error
    assert planned_difference(groups, trials, alike=alike, shared=shared) == pytest.approx(expected, rel=0.04)


def test_variants_count_as_further_trials_of_one_idea():
    ids = [f"01-{task:02d}-{variant:02d}" for task in range(1, 9) for variant in (1, 2, 3)]
    study = planned_study(ids, 2)
    assert (study.tasks, study.groups, study.trials) == (24, 8, 2)
    assert study.difference == planned_difference(8, 6) > planned_difference(24, 2)
    assert planned_study([f"t{number}" for number in range(24)], 2).difference == planned_difference(24, 2)


@pytest.mark.parametrize("chance", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_estimates_are_unbiased(chance, k):
    trials = 5
    weights = [comb(trials, c) * chance**c * (1 - chance) ** (trials - c) for c in range(trials + 1)]
    assert sum(w * all_of(c, trials, k) for c, w in enumerate(weights)) == pytest.approx(chance**k)
    assert sum(w * any_of(c, trials, k) for c, w in enumerate(weights)) == pytest.approx(
        1 - (1 - chance) ** k
    )


def test_tasks_count_once_and_only_those_with_enough_trials():
    trials = {"01-01-01": [True, True, False], "01-02-01": [True, True], "02-01-01": [False, None, False]}
    frame = results_frame(
        [row for task, each in trials.items() for row in rows({task: each}, level=int(task[:2]))]
    )
    table = reliability(frame).set_index(["scope", "k"])
    assert table.loc[("all", 1), "all_k"] == pytest.approx((2 / 3 + 1 + 0) / 3)
    assert table.loc[("all", 2), "all_k"] == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert table.loc[("all", 2), "any_k"] == pytest.approx((1 + 1 + 0) / 3)
    assert table.loc[("all", 3), "tasks"] == 2
    assert table.loc[("2", 3), "any_k"] == 0
    assert (table["all_low"] <= table["all_k"]).all()
    assert (table["any_k"] <= table["any_high"]).all()
    assert table.loc[("2", 3), "any_high"] > 0.5


def test_one_trial_a_task_says_nothing_about_several():
    assert reliability(results_frame(rows({"01-01-01": [True], "01-02-01": [None]}))).empty
