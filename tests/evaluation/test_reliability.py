"""pass^k and pass@k: unbiased, at their known values, and with intervals."""

from math import comb

import pytest

from evaluation.paired import all_of, any_of, reliability
from evaluation.results import results_frame
from tests.evaluation.runs import rows


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
