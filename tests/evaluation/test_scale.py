"""The scale from floor to best: its arithmetic, its agents, and when references do not hold."""

import math

import numpy as np
import pytest

from evaluation.results import TrialResult, results_frame
from evaluation.scale.references import (
    LETTERS,
    RUNNERS,
    Reference,
    Scale,
    agent_names,
    as_csv,
    garbage,
    offline_agent,
    references,
    scale_of,
)
from evaluation.scale.scaled import OVERALL, Basis, headline_scores, mismatch, scaled_scores
from evaluation.suite import Suite
from evaluation.suites import chosen_tasks, get_suite


class Example(Suite):
    """A suite without references of its own."""

    name = task_name = "example"
    title = "Example"

    def tasks(self, choices, folder):
        raise NotImplementedError

    def open(self, setup):
        raise NotImplementedError


EXAMPLE = Example()

HOLDS = Basis("t1", 1, "mode = plain")


def row(group, agent, score, half=0.0):
    return Reference(HOLDS.conditions, HOLDS.tasks, 1, group, agent, 100, score, half)


ROWS = (
    *(row("1", "silent", 0.1), row("1", "garbage", 0.0), row("1", "prior-only", 0.2)),
    *(row("1", "random", 0.6), row("1", "ideal", 0.7)),
    *(row("2", "silent", 0.0), row("2", "garbage", 0.0), row("2", "ideal", 1.0)),
    *(row("3", "silent", 0.5), row("3", "garbage", 0.5), row("3", "ideal", 0.5)),
)


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """A suite whose references are `ROWS`."""
    table = tmp_path / "references.csv"
    table.write_text(as_csv(ROWS), "utf-8")
    scale = Scale(table, 1, {"prior-only": "prior", "ideal": "best"}, ("mode",))
    monkeypatch.setattr("evaluation.scale.scaled.scale_of", lambda _: scale)
    return EXAMPLE


def results(passes, agent="model"):
    """A row for each trial: `passes` has by group the verdicts."""
    return results_frame(
        TrialResult(agent, f"{group}-{k}", group, 0, None, passed=passed, score=passed and 1.0,
                    error="refused" if passed is None else None)
        for group, verdicts in passes.items()
        for k, passed in enumerate(verdicts)
    )  # fmt: skip


def by_group(found):
    return found.table.set_index("group")


def test_the_floor_is_0_the_best_1_and_below_the_floor_is_0(suite):
    found = scaled_scores(results({1: [True] * 7 + [False] * 3, 2: [False] * 10}), suite, {"model": HOLDS})
    table = by_group(found)
    assert table.loc["1", ["floor", "floor_agent", "best"]].tolist() == [0.2, "prior-only", 0.7]
    assert table.loc["1", "scaled"] == pytest.approx(1)
    assert table.loc["2", "scaled"] == table.loc["2", "low"] == 0
    assert table.loc[OVERALL, "scaled"] == pytest.approx(0.5)
    assert table.loc[OVERALL, "low"] < 0.5 < table.loc[OVERALL, "high"]
    assert not found.reasons
    below = scaled_scores(results({1: [True] + [False] * 9}), suite, {"model": HOLDS})
    assert by_group(below).loc["1", ["score", "scaled", "low"]].tolist() == [0.1, 0, 0]
    half = scaled_scores(results({1: [True] * 45 + [False] * 55}), suite, {"model": HOLDS})
    assert by_group(half).loc["1", "scaled"] == pytest.approx(0.5)


def test_a_missing_trial_counts_as_failed(suite):
    given_up = scaled_scores(results({1: [True] * 4 + [None] * 6}), suite, {"model": HOLDS})
    failed = scaled_scores(results({1: [True] * 4 + [False] * 6}), suite, {"model": HOLDS})
    assert by_group(given_up).loc["1", "scaled"] == by_group(failed).loc["1", "scaled"] == pytest.approx(0.4)


def test_a_group_that_cannot_separate_or_has_no_reference_says_so(suite):
    found = scaled_scores(results({2: [True] * 5, 3: [True] * 5, 4: [True] * 5}), suite, {"model": HOLDS})
    table = by_group(found)
    assert math.isnan(table.loc["3", "scaled"])
    assert math.isnan(table.loc["4", "scaled"])
    assert table.loc[OVERALL, ["scaled", "tasks"]].tolist() == [1, 5]
    assert found.reasons == (
        "model: no scaled score for 3: the best agent's 0.50 cannot be distinguished from the "
        "floor's 0.50 (silent).",
        "model: no scaled score for 4, which has no reference.",
    )


def test_the_interval_has_the_errors_of_the_ends(suite, tmp_path, monkeypatch):
    exact = by_group(scaled_scores(results({2: [True] * 30 + [False] * 30}), suite, {"model": HOLDS}))
    table = tmp_path / "uncertain.csv"
    table.write_text(as_csv([row("2", "silent", 0.0), row("2", "ideal", 1.0, 0.2)]), "utf-8")
    monkeypatch.setattr("evaluation.scale.scaled.scale_of", lambda _: Scale(table, 1, {}, ("mode",)))
    vague = by_group(scaled_scores(results({2: [True] * 30 + [False] * 30}), suite, {"model": HOLDS}))
    assert vague.loc["2", "scaled"] == exact.loc["2", "scaled"]
    gap = vague.loc["2", "scaled"] - vague.loc["2", "low"]
    # Half of the best agent's error, at a scaled score of one half.
    assert gap == pytest.approx(math.hypot(exact.loc["2", "scaled"] - exact.loc["2", "low"], 0.5 * 0.2))


@pytest.mark.parametrize(
    ("basis", "says"),
    [
        (None, "do not name the version"),
        (HOLDS._replace(scoring=None), "do not name the version"),
        (HOLDS._replace(scoring=2), "scored by version 2, references by version 1"),
        (HOLDS._replace(tasks="t2"), "tasks are of version t2, those of the references t1"),
        (HOLDS._replace(conditions="mode = hard"), "mode = hard, and references were measured with mode"),
    ],
)  # fmt: skip
def test_references_of_another_version_or_other_choices_give_no_score_and_a_reason(suite, basis, says):
    found = scaled_scores(results({1: [True] * 5}), suite, {"model": basis})
    assert found.table.empty
    assert says in found.reasons[0]
    assert found.reasons[0].startswith("model has no scaled score: ")
    assert mismatch(ROWS, HOLDS) == ""


def test_a_suite_without_references_has_no_scale_and_its_runner_agents_still():
    assert scale_of(EXAMPLE) is None
    assert scaled_scores(results({1: [True]}), EXAMPLE, {}).reasons == ()
    assert {"silent", "garbage"} <= {*agent_names(EXAMPLE)}
    assert offline_agent(EXAMPLE, "nobody") is None


def test_garbage_is_seeded_and_has_no_vowel_and_no_digit():
    texts = [garbage(np.random.default_rng(seed)) for seed in range(200)]
    assert texts == [garbage(np.random.default_rng(seed)) for seed in range(200)]
    assert len(set(texts)) == 200
    assert not set("aeiouy0123456789") & set("".join(texts).lower())
    assert set(LETTERS) < set("".join(texts))


@pytest.mark.parametrize("name", ["arena", "est", "laboratory", "boxing", "scienceworld", "discoveryworld"])
def test_every_suite_ships_references_of_all_its_groups(name):
    suite = get_suite(name)
    scale = scale_of(suite)
    rows = references(scale.table)
    assert {row.scoring for row in rows} == {scale.scoring}
    assert {row.tasks for row in rows} == {suite.task_version()}
    groups = {
        scale.group(t.id, t.group)
        for s in scale.settings
        for t in chosen_tasks(suite, suite.choices(**s), None)
    }
    assert {row.group for row in rows if row.agent == "silent"} == groups
    assert {row.group for row in rows} == groups
    assert {row.agent for row in rows} >= {*RUNNERS, "ideal"}
    assert all(0 <= row.score <= 1 and row.half >= 0 for row in rows)
    by_group = {group: {row.agent: row.score for row in rows if row.group == group} for group in groups}
    for group, scores in by_group.items():
        # Without a prior, whose answers are a floor above nothing, silence and garbage get nothing at all;
        # DiscoveryWorld's scorecard gives points at the start of some worlds.
        least = scores["silent"] if name == "discoveryworld" else scores.get("prior-only", 0)
        assert max(scores["silent"], scores.get("garbage", 0)) <= least, group
        if "ideal" in scores:
            others = {agent: score for agent, score in scores.items() if agent not in ("random", "ideal")}
            assert max(others.values()) - scores["ideal"] < 0.02, group
            # Random experiments tell as much as the best in some environments, up to the errors of both.
            errors = sum(row.half for row in rows if row.group == group and row.agent in ("random", "ideal"))
            assert scores.get("random", 0) - scores["ideal"] < 0.02 + errors, group


def test_the_headline_is_what_is_scaled():
    scores = results({1: [True, False]}).assign(score=[0.9, 0.7])
    assert headline_scores(scores, get_suite("est"))["score"].tolist() == [0.5]
    assert headline_scores(scores, get_suite("scienceworld"))["score"].tolist() == [0.8]
