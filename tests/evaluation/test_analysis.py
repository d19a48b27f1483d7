"""The analysis of a study: right about known effects, and silent about what the data cannot show."""

import pandas as pd
import pytest

from benchmarks.study_truths import TRUTHS, Group, Truth, found_factors
from evaluation.analysis import analysis_files, effects

TWO = (Group(6, "a"), Group(6, "b"))
PLAIN = Truth("", TWO).study(1)


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda truth: truth.name)
def test_what_was_put_in_is_found_and_nothing_else(truth):
    assert found_factors(truth.study(1)) == set(truth.there)


def test_intervals_of_few_participants_hold_the_truth_and_errors_are_rare():
    tests = [each for seed in range(60) for each in effects(Truth("", TWO, rates=2.0).study(seed))]
    assert len(tests) == 120
    assert sum(each.low <= 0 <= each.high for each in tests) >= 109
    assert sum(each.p < 0.05 for each in tests) <= 11


def test_a_balanced_study_is_tested_as_by_a_mixed_model():
    condition, who, _ = effects(TRUTHS[8].study(1))
    # lmerTest 3.1-3 in R: lmer(passed ~ condition + who + order + (1 | participant) + (1 | task)).
    assert [round(each.difference, 3) for each in (condition, who)] == [24.375, -31.458]
    assert [f"{each.p:.2e}" for each in (condition, who)] == ["2.42e-07", "5.90e-10"]


def passed(value, which=slice(None)):
    """The plain study in which some trials all have one verdict, None for none."""
    study = PLAIN.copy()
    study.loc[which, "passed"] = value
    return study.assign(error="broken off") if value is None else study


OF_A = PLAIN["condition"] == "a"
ODD = {
    "silence": (passed(False), {"every trial has the same result"}),
    "a constant": (passed(True), {"every trial has the same result"}),
    "no verdicts": (passed(None), {"every trial has the same result"}),
    "one condition": (PLAIN[OF_A], {""}),
    "one of a": (PLAIN[~OF_A | (PLAIN["participant"] == "0-0")], {"there is only one participant of a", ""}),
    "one participant": (PLAIN[PLAIN["participant"] == "0-0"], {"there is only one participant"}),
    "unequal numbers": (Truth("", (Group(2, "a"), Group(30, "b"))).study(1), {""}),
    "confounded": (
        Truth("", (Group(6, "a"), Group(6, "b", "m"))).study(1),
        {"the agent determines it", "the condition determines it", ""},
    ),
    "other tasks": (
        PLAIN.assign(task_id=PLAIN["task_id"] + PLAIN["condition"]),
        {"the task determines it", ""},
    ),
    "one trial each": (
        PLAIN[PLAIN["order"] == 1],
        {"no participant and no task differs from the others of its group"},
    ),
    "nobody": (PLAIN[:0], set()),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.filterwarnings("error")
def test_nothing_is_claimed_from_less_than_it_takes(name):
    study, reasons = ODD[name]
    found = effects(study)
    assert {each.reason for each in found} == reasons
    assert not any(each.found for each in found)
    further = {
        "level": 1,
        "trial": 0,
        "mode": "keys",
        "poor_picture": pd.array([True] * len(study), "boolean"),
    }
    written = analysis_files("odd", study.assign(**further))
    assert "found.**" not in written["analysis.md"].replace("not found.**", "")


def test_separation_is_found_exactly():
    one_sided = effects(passed(True, OF_A))[0]
    assert one_sided.found
    assert one_sided.high < 0
    study = passed(True, OF_A)
    study.loc[~OF_A, "passed"] = False
    both = effects(study)[0]
    assert (both.difference, both.p) == (pytest.approx(-100), pytest.approx(2 / 924))


def test_scores_are_analysed_and_the_files_say_what_is_missing():
    study = TRUTHS[8].study(2).assign(level=1, trial=0, mode="keys", poor_picture=False)
    study["score"] = study["passed"].astype("Float64") * 0.5
    outcomes = {each.outcome: each for each in effects(study)}
    assert outcomes["score in arena"].difference == pytest.approx(outcomes["passed"].difference / 2)
    written = analysis_files("known", study)
    missing = int(study["passed"].isna().sum())
    assert f"- Trials that were broken off, and count as failed: {missing}\n" in written["analysis.md"]
    assert "- **Order, last place instead of first place: found.** +" in written["analysis.md"]
    assert "| arena | openai/gpt-4o (b) | 12 | 240 |" in written["analysis.md"]
    assert "verdict ~ condition + who + order + (1 | participant) + (1 | task)" in written["analysis.R"]
