"""The difference that a planned study could find, against simulated studies that keep its assumptions."""

import math

import numpy as np
import pytest
from scipy.stats import t as student

from evaluation.paired import POWER, planned_difference, planned_study


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
    unrelated = planned_study([f"t{number}" for number in range(24)], 2)
    assert unrelated.difference == planned_difference(24, 2)


def test_what_is_assumed_is_passed_on():
    assumed = {"rate": 0.8, "alike": 0.3, "shared": 0.1}
    assert planned_study(["a", "b", "c", "d"], 3, **assumed).difference == planned_difference(4, 3, **assumed)


def test_one_group_tells_nothing():
    assert math.isnan(planned_study(["01-01-01", "01-01-02"], 5).difference)
    assert math.isnan(planned_difference(1, 5))
