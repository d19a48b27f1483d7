"""`arena-llm verify`: why the model's part ended, by the protocol or by a limit that the log names."""

import pytest

from evaluation.verify.sources import Verdict
from tests.evaluation.verify.logs import checked, put, rewritten
from tests.llm_control.batteries import battery_of, run
from tests.llm_control.provider import MODEL, answer

SMALL = {"image_size": 16, "initial_idle_steps": "1", "max_scripts": 4}

battery = battery_of((20, 16), (24, 20), (16, 24))


@pytest.fixture
def limited(battery, tmp_path, openai):
    """A run of replies of a thousand tokens each."""
    openai(lambda _: answer("Turn(6);", tokens=1000))
    return lambda **choices: run(battery, tmp_path / "logs", MODEL, **SMALL, **choices).log


def test_an_episode_that_a_limit_ended_agrees_with_its_last_picture(limited, tmp_path):
    log = limited(tasks="01-04-03", max_tokens_per_episode=2500)
    (only,) = checked(log, frames=True)
    assert (only.verdict, only.findings, only.notes) == (Verdict.AGREES, (), ())
    # The view after the last reply that was played was sent too; the limit kept its reply from being played.
    assert (only.turns, only.pictures) == (2, 3)
    end, score = checked(
        rewritten(log, tmp_path, lambda whole: put(whole.samples[0].__dict__, "limit", None))
    )[0].findings
    assert (end.what, end.replayed) == ("end of the model's part", "no limit is logged that would end it")
    assert (score.what, score.logged, score.replayed) == ("score episode_score: limit", "token", None)


def test_a_limit_ends_a_conversation_in_the_middle(limited):
    results = checked(limited(conversation="run", max_tokens_per_episode=5500), frames=True)
    assert [(each.turns, each.verdict) for each in results] == [
        (4, Verdict.AGREES),
        (1, Verdict.AGREES),
        (0, Verdict.UNFINISHED),
    ]
    assert results[1].pictures == 2


@pytest.fixture
def log(battery, tmp_path):
    return run(battery, tmp_path / "logs", "arena/random", tasks="01-04-03", **SMALL).log


@pytest.mark.parametrize("end", ["loop", "episode", "solver", "nonsense"])
def test_a_changed_reason_of_the_end_is_found(end, log, tmp_path):
    assert checked(log)[0].verdict is Verdict.AGREES
    path = rewritten(log, tmp_path, lambda w: put(w.samples[0].metadata["episode"], "model_end", end))
    (found,) = checked(path)[0].findings
    assert (found.what, found.logged, found.replayed) == ("end of the model's part", end, "max_scripts")


def test_more_replies_than_the_protocol_allows_are_found(log, tmp_path):
    path = rewritten(log, tmp_path, lambda w: put(w.plan.steps[0].params["choices"], "max_scripts", 3))
    assert ("turns", 4, "over after turn 3") in [
        (f.what, f.logged, f.replayed) for f in checked(path)[0].findings
    ]


def test_a_run_without_a_pass_rate_says_that_it_is_not_compared(limited, command):
    result = command("verify", limited(conversation="run", max_tokens_per_episode=500), "--jobs", 1)
    assert result.returncode == 0
    assert "2 of 3 episodes: not finished" in result.stdout
