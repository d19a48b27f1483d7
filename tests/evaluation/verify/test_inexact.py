"""`arena-llm verify` of a suite whose simulator is not reproducible to the bit: scores, not texts."""

from importlib.metadata import EntryPoint

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

import evaluation.suites as suites
from evaluation.by_hand.played import PlayedEpisode
from evaluation.evaluate import evaluate
from evaluation.inspect_task import registry
from evaluation.inspect_task.errors import PrerequisiteError
from evaluation.request import EvalRequest
from evaluation.suite import EpisodeSetup
from evaluation.verify.played import verify_played
from evaluation.verify.result import Verdict
from tests.evaluation.inexact_suite import SUITE, Inexact
from tests.evaluation.verify.logs import checked


@pytest.fixture(scope="module", autouse=True)
def installed():
    """The suite is known to this process as if its entry point were installed."""
    point = EntryPoint("inexact", "tests.evaluation.inexact_suite:SUITE", suites.GROUP)
    points = {**suites._points(), "inexact": point}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suites, "_points", lambda: points)
        patch.setitem(registry._tasks, "inexact", registry._register(SUITE))
        yield
    suites.get_suite.cache_clear()


def played(folder, **choices):
    return evaluate(EvalRequest(SUITE, "inexact/six", choices=choices), folder, display="none").path


@pytest.fixture(scope="module")
def log(installed, tmp_path_factory):
    return played(tmp_path_factory.mktemp("logs"))


def changed(log, tmp_path, change):
    whole = read_eval_log(str(log), resolve_attachments=True)
    change(whole.samples[0])
    path = tmp_path / "changed.eval"
    write_eval_log(whole, str(path))
    return checked(path, frames=True)[0]


@pytest.mark.parametrize("conversation", ["episode", "run"])
def test_other_texts_agree_and_a_note_says_that_they_are_not_compared(conversation, tmp_path):
    results = checked(played(tmp_path, conversation=conversation), frames=True)
    assert [(each.verdict, each.findings, each.turns) for each in results] == [(Verdict.AGREES, (), 3)] * 2
    for each in results:
        assert each.notes == (
            "texts are not compared: the simulator of Dice is not reproducible to the bit; of its records "
            "these values are compared: score, passed",
        )


def test_the_same_log_differs_if_the_suite_says_that_it_is_reproducible(log, monkeypatch):
    monkeypatch.setattr(Inexact, "reproduced", None)
    for each in checked(log):
        assert each.verdict is Verdict.DIFFERS
        assert {"observation", "seen", "outcome", "total_reward"} <= {found.what for found in each.findings}


@pytest.mark.parametrize("replies", [1, 2, 5])
def test_a_replay_may_end_earlier_or_later(replies, log, monkeypatch):
    monkeypatch.setattr(Inexact, "replies", replies)
    assert [(each.verdict, each.passed) for each in checked(log)] == [(Verdict.AGREES, True)] * 2


def a_score(sample):
    sample.metadata["episode"]["score"] = 0.5


def no_score(sample):
    del sample.metadata["episode"]["score"]


def a_verdict_of_inspect(sample):
    sample.scores["episode_score"].value = 0.0


def a_number_of_inspect(sample):
    sample.scores["total_reward"].value += 1.0


def the_first_reply(sample):
    sample.metadata["episode"]["turns"][0]["reply"] = "one"


def the_last_message(sample):
    [message for message in sample.messages if message.role == "assistant"][-1].content = "five"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (a_score, ["score"]),
        (no_score, ["score"]),
        (a_verdict_of_inspect, ["score episode_score"]),
        (a_number_of_inspect, ["score total_reward"]),
        (the_last_message, ["reply"]),
    ],
)
def test_a_changed_score_and_a_changed_reply_are_found(change, what, log, tmp_path, monkeypatch):
    # Replies after the end of the replay are compared too, although they are not played.
    monkeypatch.setattr(Inexact, "replies", 2)
    found = changed(log, tmp_path, change)
    assert (found.verdict, [each.what for each in found.findings]) == (Verdict.DIFFERS, what)


def test_the_score_is_that_of_the_logged_replies(log, tmp_path):
    found = changed(log, tmp_path, the_first_reply)
    assert {"reply", "score", "passed"} <= {each.what for each in found.findings}


def test_the_episode_of_a_person_is_compared_likewise(tmp_path, monkeypatch):
    setup = EpisodeSetup(SUITE, SUITE.tasks(SUITE.choices(), None)[0], 0, SUITE.choices(), SUITE.prompts())
    episode = SUITE.open(setup)
    episode.begin()
    for text in ("six", "one", "two"):
        episode.reply(text)
    path = tmp_path / "played.json"
    path.write_text(PlayedEpisode.of(setup).ended(episode.finish()).model_dump_json())
    found = verify_played(path)
    assert (found.verdict, found.passed) == (Verdict.AGREES, True)
    assert found.notes[0].startswith("texts are not compared: the simulator of Dice")
    monkeypatch.setattr(Inexact, "replies", 7)
    assert verify_played(path).verdict is Verdict.AGREES
    monkeypatch.setattr(Inexact, "reproduced", None)
    assert verify_played(path).verdict is Verdict.DIFFERS
    monkeypatch.undo()
    path.write_text(path.read_text().replace('"score":1.0', '"score":0.25'))
    assert [each.what for each in verify_played(path).findings] == ["score"]


def test_replies_of_a_conversation_are_not_kept_for_another_attempt(tmp_path, monkeypatch):
    played(tmp_path / "inexact", conversation="run")
    assert list((tmp_path / "inexact").glob("*.replies.jsonl")) == []
    with pytest.raises(PrerequisiteError, match="Dice is not reproducible to the bit"):
        registry.suite_task(SUITE, conversation="run", journal=str(tmp_path / "kept"))
    monkeypatch.setattr(Inexact, "reproduced", None)
    played(tmp_path / "exact", conversation="run")
    assert len(list((tmp_path / "exact").glob("*.replies.jsonl"))) == 1
