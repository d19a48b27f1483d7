"""What passes: nobody who learns nothing, silence and garbage least of all."""

import csv
from importlib.resources import files
from itertools import product

import numpy as np
import pytest

from benchmarks.boxing import VERDICTS, verdict_rows
from evaluation.suites import chosen_tasks
from suites.boxing import suite as suite_module
from suites.boxing.choices import BoxingChoices
from suites.boxing.environments import drawn, kinds
from suites.boxing.episode import Answers
from suites.boxing.findings import episode_panels, run_panels
from suites.boxing.questions import GUESSES, MODES, Questions, judged
from suites.boxing.suite import SUITE
from tests.suites.boxing.test_episode import QUICK, opened, played

EVERY = [(name, goal, mode) for name, goal in kinds() for mode in MODES]

NOTHING = {"empty": "", "words": "wxyz bcdf; ()[] klm", "refusal": "I'm sorry, but I can't help with that."}


def answered(replies, task, **choices):
    """The record of an episode in which every reply is the next of a list, again and again."""
    _, environment = opened(task, **choices)
    observation, number = environment.begin(), 0
    while not observation.done:
        observation = environment.reply(replies[number % len(replies)])
        number += 1
    return environment.finish()


def asked(name, goal, mode, number, questions=10):
    world, rng = drawn(name, number)
    return Questions(world, goal, mode, rng, questions)


@pytest.mark.parametrize(("name", "goal", "mode"), EVERY)
@pytest.mark.parametrize("said", NOTHING)
def test_who_says_nothing_passes_nowhere_and_is_below_the_prior(said, name, goal, mode):
    record = answered([NOTHING[said]], f"{name}-{goal}-0", mode=mode, **QUICK)
    assert record.passed is (False if (name, goal, mode) in judged() else None)
    assert record.score < 0.5
    answers = 2 * len(asked(name, goal, mode, 0, 3))
    assert record.metrics["missing_answers"] == record.metrics["asked_answers"] == answers
    assert record.outcome == "worse than the prior"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "goal", "mode"), EVERY)
def test_who_knows_the_prior_alone_has_the_floor_in_every_world(name, goal, mode):
    for number in range(3):
        record, _ = played("prior-only", f"{name}-{goal}-{number}", mode=mode, novice=True, **QUICK)
        assert record.passed is (False if (name, goal, mode) in judged() else None)
        assert (record.score, record.outcome) == (0.5, "as the prior")
        assert record.metrics["error_0"] == record.metrics["error_2"] == record.metrics["prior_error"]
        assert record.metrics["error_novice"] == record.metrics["prior_error"]
        assert mode == "as-published" or record.metrics["z_2"] == record.metrics["z_novice"] == 0
        assert not any(turn["error"] for turn in record.turns)


def test_what_it_is_compared_with_depends_on_the_world_alone():
    first, again = (opened("location-prediction-0", seed=seed)[1].questions for seed in (1, 2))
    assert first.pass_error == again.pass_error
    assert np.array_equal(first.without, again.without)
    assert first.prior_error != opened("location-prediction-1")[1].questions.prior_error


@pytest.mark.parametrize(("name", "goal"), [("death", "infection"), ("peregrines", "prediction")])
def test_neither_constants_nor_guesses_nor_noise_about_the_prior_pass(name, goal):
    rng, passed = np.random.default_rng(5), {"noise": [], "guess": []}
    for number in range(100, 130):
        questions = asked(name, goal, "repaired", number)
        theta = drawn(name, 0)[0].prior(rng, 20)
        guesses = np.array([questions.best_for(each[None]) for each in theta])
        for share, who in ((1.0, "guess"), (0.1, "noise"), (0.01, "noise")):
            tried = questions.without + share * (guesses - questions.without)
            passed[who] += [questions.errors(each).mean() < questions.pass_error for each in tried]
    # A guess is lucky in 1 of 20 worlds; 600 tries, three standard errors of 30 worlds that are alike.
    assert np.mean(passed["guess"]) < 0.1
    assert np.mean(passed["noise"]) < 0.05


def test_at_most_one_guess_in_twenty_is_as_good_and_half_the_prior_error_is_needed():
    for name, goal, mode in EVERY:
        questions = asked(name, goal, mode, 3)
        twin = asked(name, goal, mode, 3)
        world = drawn(name, 3)[0]
        theta = world.prior(twin._guesses, GUESSES)
        errors = [questions.errors(questions.best_for(each[None])).mean() for each in theta[:40]]
        assert questions.pass_error <= questions.prior_error / 2
        assert np.mean(np.array(errors) < questions.pass_error) <= 0.05 * GUESSES / 40


def test_kinds_without_a_verdict_are_those_that_perfect_inference_fails():
    text = files("suites.boxing").joinpath("verdicts.csv").read_text()
    rows = {(row["environment"], row["goal"], row["mode"]): row for row in csv.DictReader(text.splitlines())}
    assert list(rows) == EVERY
    assert {kind for kind, row in rows.items() if float(row["eig"]) >= 0.5} == judged()
    for kind in judged():
        shares = {who: float(rows[kind][who]) for who in VERDICTS}
        assert shares["prior"] == 0
        assert shares["near"] <= 0.05
        assert shares["guess"] <= 0.08
        assert shares["constant"] <= 0.15
    # Ten outcomes of 0 or 1 on 18 and 9 parameters say next to nothing.
    assert not {kind for kind in judged() if kind[0] in ("irt", "morals")}


def test_the_shares_are_measured_as_the_file_has_them():
    text = files("suites.boxing").joinpath("verdicts.csv").read_text().splitlines()
    columns = text[0].split(",")
    row = dict(zip(columns, next(verdict_rows("survival", 3, 2)), strict=True))
    assert (row["environment"], row["mode"], row["prior"]) == ("survival", "repaired", "0.000")
    assert (row["worlds"], row["best_worlds"]) == (3, 2)


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["eig", "ideal"])
def test_perfect_inference_passes(agent):
    for number in range(2):
        record, _ = played(agent, f"predator-prey-prediction-{number}", ask="together")
        assert record.passed
        assert record.outcome == "better than the prior"
        assert record.score > 0.8


@pytest.mark.parametrize(("name", "goal"), list(kinds()))
def test_no_answer_is_worse_than_a_missing_one(name, goal):
    rng = np.random.default_rng(1)
    for mode in MODES:
        questions = asked(name, goal, mode, 0, 2)
        missing = Answers(questions)
        corners = product(*((field.low, field.high) for field in questions.fields))
        tries = [*corners, *([rng.uniform(f.low, f.high) for f in questions.fields] for _ in range(50))]
        for each in tries:
            given = Answers(questions)
            given.take(10, range(len(questions)), np.tile(each, (len(questions), 1)))
            assert given.error(10) <= missing.error(10)
        partly = Answers(questions)
        partly.take(10, [0], questions.truths[:1])
        assert len(questions) == 1 or 0 < partly.error(10) < missing.error(10)


def test_missing_answers_are_named_in_reports():
    good = answered(["<answer>1; 2; 3</answer>", "<observe>1</observe>"], "dugongs-prediction-0", **QUICK)
    bad = answered([""], "dugongs-prediction-1", **QUICK)
    records = [good.as_dict(), bad.as_dict()]
    panels = dict(run_panels({"a": records}))
    missing = good.metrics["missing_answers"] + 6
    assert f"{missing} of 12" in panels["Standardised error after experiments"]
    assert "each counted as the worst of its range" in dict(episode_panels(good.as_dict()))["Answers"]


def test_an_error_without_an_end_is_said_in_words():
    silent = answered([""], "death-infection-1", **QUICK).as_dict()
    assert max(silent["replay"]["standardised"].values()) > 1e9
    cells = dict(run_panels({"a": [silent]}))["Standardised error after experiments"]
    assert '<td class="num">over 1,000,000 in 1 of 1</td>' in cells
    assert "000000" not in cells


def test_an_episode_that_was_broken_off_stands_in_no_table():
    whole, _ = played("random", "dugongs-prediction-0", **QUICK)
    record = {**whole.as_dict(), "replay": {}, "score": None, "passed": None, "outcome": None}
    assert [title for title, _ in episode_panels(record)] == ["Experiments", "Answers"]
    assert run_panels({"a": [record]}) == []
    panels = dict(run_panels({"a": [record, whole.as_dict()]}))
    assert "<td>dugongs</td>" in panels["Standardised error after experiments"]


def test_the_scoring_is_part_of_a_task(monkeypatch):
    (task,) = chosen_tasks(SUITE, BoxingChoices(tasks=("death-infection-0",)), None)
    version = SUITE.task_version()
    monkeypatch.setattr(suite_module, "SCORING", suite_module.SCORING + 1)
    assert chosen_tasks(SUITE, BoxingChoices(tasks=("death-infection-0",)), None)[0].sha256 != task.sha256
    assert SUITE.task_version() != version
