import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

from evaluation.results import results_frame
from evaluation.statistics import family, interquartile_mean, mean_interval, mean_scores, pass_rates, wilson
from tests.evaluation.runs import rows


def rate(verdicts):
    (only,) = pass_rates(results_frame(rows(verdicts))).to_dict("records")
    return only


def test_wilson_agrees_with_the_textbook():
    # Children on 01-04-03: 53 of 59, as published.
    assert wilson(53, 59) == pytest.approx((0.7954, 0.9526), abs=1e-4)
    assert wilson(0, 4)[0] == 0
    assert wilson(4, 4)[1] == 1
    assert all(math.isnan(end) for end in wilson(0, 0))
    # Figures draw a rate's distance from both limits, which is never negative.
    assert all(wilson(0, n)[0] == 0 and wilson(n, n)[1] == 1 for n in range(1, 400))


def test_levels_ascend_whatever_order_they_were_played_in():
    played = rows({"t": [True]}, level=5) + rows({"t": [True]}, level=2) + rows({"t": [True]}, "c/d", 2)
    rates = pass_rates(results_frame(played))
    assert list(zip(rates["level"], rates["agent"], strict=True)) == [(2, "a/b"), (2, "c/d"), (5, "a/b")]


def test_variants_of_a_task_count_as_alike():
    agreeing = {f"01-{task:02d}-{variant:02d}": [task > 2] for task in (1, 2, 3, 4) for variant in (1, 2, 3)}
    unrelated = {f"t{place}": verdict for place, verdict in enumerate(agreeing.values())}
    one, other = rate(agreeing), rate(unrelated)
    assert one["pass_rate"] == other["pass_rate"] == 0.5
    assert one["high"] - one["low"] > 1.4 * (other["high"] - other["low"])


@pytest.mark.parametrize(
    ("task", "shared"),
    [("01-02-03", "01-02"), ("01-02-33", "01-02"), ("my-task", "my-task"), ("01-02-03b", "01-02-03b")],
)
def test_a_family_is_the_variants_of_a_task(task, shared):
    assert family(task) == shared


def test_trials_without_a_verdict_count_as_failed_beside_what_they_could_have_been():
    only = rate({"t1": [True, None], "t2": [None, None]})
    assert (only["passes"], only["planned"], only["trials"], only["missing"]) == (1, 4, 1, 3)
    assert (only["pass_rate"], only["judged_rate"], only["most"]) == (1 / 4, 1, 1)
    failed = rate({"t1": [True, False], "t2": [False, False]})
    assert (only["tasks"], only["low"], only["high"]) == (failed["tasks"], failed["low"], failed["high"])
    none = rate({"t1": [None]})
    assert (none["tasks"], none["trials"], none["missing"]) == (1, 0, 1)
    assert (none["pass_rate"], none["most"]) == (0, 1)
    assert math.isnan(none["judged_rate"])


def test_a_mean_has_its_standard_error_within_bounds():
    mean, sd, count = pd.Series([0.5, 0.01]), pd.Series([0.2, 0.3]), pd.Series([100, 25])
    low, high = mean_interval(mean, sd, count)
    assert low.to_list() == pytest.approx([0.4608, 0], abs=1e-4)
    assert high.to_list() == pytest.approx([0.5392, 0.1276], abs=1e-4)


def test_scores_between_0_and_1_have_a_mean_with_an_interval_over_tasks():
    frame = results_frame(rows({"01-01-01": [True, True], "01-01-02": [True], "t2": [True], "t3": [False]}))
    plain = frame.assign(score=frame["passed"].astype(float))
    assert mean_scores(plain).empty
    (only,) = mean_scores(plain.assign(score=[0.2, 0.4, 0.3, 0.9, 0.6])).to_dict("records")
    # The variants of one task count once: 0.3, 0.9 and 0.6.
    half = 4.302653 * 0.3 / 3**0.5
    assert (only["tasks"], only["score"]) == (4, pytest.approx(0.6))
    assert (only["low"], only["high"]) == pytest.approx((max(0.6 - half, 0), min(0.6 + half, 1)))


def test_an_interquartile_mean_drops_a_quarter_at_each_end_and_resamples_runs_within_tasks():
    mean, low, high = interquartile_mean(np.array([[0.0, 5.0, 1.0, -9.0], [0.2, 5.0, 1.0, 9.0]]))
    assert mean == pytest.approx((0.2 + 1 + 1 + 5) / 4)
    # The second and the third task never change; of the others each draws twice one of two values.
    draws = [
        np.sort([a, b, 5, 5, 1, 1, c, d])[2:6].mean()
        for a, b, c, d in product((0.0, 0.2), (0.0, 0.2), (-9.0, 9.0), (-9.0, 9.0))
    ]
    assert (low, high) == pytest.approx((min(draws), max(draws)))
    assert interquartile_mean(np.full((3, 4), 0.25)) == (0.25, 0.25, 0.25)
