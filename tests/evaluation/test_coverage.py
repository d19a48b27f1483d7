"""Do the intervals hold what they promise? Simulated studies with a known truth."""

import numpy as np
import pytest

from evaluation.statistics import clustered_interval, wilson

DESIGNS = [(4, 6), (4, 3), (10, 9), (12, 3), (30, 3), (40, 3)]
"""Clusters and trials in each: few tasks with variants, the children's 40, a level of the 900."""


def coverage(clusters, trials, mean, concentration, interval):
    """Share of studies whose interval holds the mean of the beta distribution that tasks are drawn from."""
    rng, studies, covered = np.random.default_rng(7), 400, 0
    for _ in range(studies):
        skill = rng.beta(mean * concentration, (1 - mean) * concentration, clusters)
        low, high = interval(rng.binomial(trials, skill).astype(float), np.full(clusters, float(trials)))
        covered += low - 1e-9 <= mean <= high + 1e-9
    return covered / studies


@pytest.mark.parametrize("mean", [0.3, 0.5, 0.8])
@pytest.mark.parametrize(("clusters", "trials"), DESIGNS)
def test_it_covers_where_trials_of_a_task_resemble_each_other(clusters, trials, mean):
    assert coverage(clusters, trials, mean, 2, clustered_interval) > 0.92


@pytest.mark.parametrize(("clusters", "trials"), DESIGNS)
def test_it_covers_where_they_are_independent(clusters, trials):
    assert coverage(clusters, trials, 0.5, 1e6, clustered_interval) > 0.93


def test_with_many_clusters_it_is_not_wasteful():
    rng = np.random.default_rng(3)
    trials = np.full(40, 3.0)
    low, high = clustered_interval(rng.binomial(3, 0.5, 40).astype(float), trials)
    free = wilson(rng.binomial(3, 0.5, 40).sum(), trials.sum())
    assert high - low < 1.25 * (free[1] - free[0])


def test_trials_that_all_agree_or_of_a_single_cluster_count_as_one_a_cluster():
    assert clustered_interval(np.full(12, 3.0), np.full(12, 3.0)) == wilson(12, 12)
    assert clustered_interval(np.repeat([3.0, 0.0], 6), np.full(12, 3.0)) == wilson(6, 12)
    assert clustered_interval(np.array([2.0]), np.array([4.0])) == wilson(0.5, 1)
