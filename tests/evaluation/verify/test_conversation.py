"""`arena-llm verify` of logs with all tasks in one conversation."""

import pytest
from inspect_ai.log import read_eval_log

from evaluation.log.exchanges import Exchange, Talk, parted
from evaluation.verify.sources import Verdict
from tests.broken_off import without_requests
from tests.evaluation.verify.logs import checked, put, rewritten
from tests.llm_control.batteries import run, write_battery

PLACES = ((20, 16), (24, 20), (16, 24))
SMALL = {"image_size": 32, "max_scripts": 3}


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    return write_battery(tmp_path_factory.mktemp("conversation") / "battery", *PLACES)


@pytest.fixture(scope="module")
def conversation(tasks, tmp_path_factory):
    """The log of two conversations over three tasks in shuffled order."""
    return run(
        tasks, tmp_path_factory.mktemp("logs"), "arena/random", "one-conversation", trials=2, **SMALL
    ).log


def changed(log, tmp_path, change):
    """A copy of the log with another first conversation."""
    return rewritten(
        log, tmp_path, lambda whole: change(next(each for each in whole.samples if each.epoch == 1))
    )


def test_every_episode_of_a_conversation_is_verified(conversation):
    results = checked(conversation, frames=True)
    samples = {each.epoch: each for each in read_eval_log(str(conversation)).samples}
    order = [(task, epoch - 1) for epoch in (1, 2) for task in samples[epoch].metadata["order"]]
    assert [(each.task_id, each.trial) for each in results] == order
    assert [each.place for each in results] == [1, 2, 3, 1, 2, 3]
    assert [(each.verdict, each.notes) for each in results] == [(Verdict.AGREES, ())] * 6
    assert [each.pictures for each in results] == [each.turns + 2 for each in results]
    assert [each.requests for each in results] == [each.turns for each in results]


def second(sample):
    return sample.metadata["episodes"][sample.metadata["order"][1]]


CHANGES = {
    "a turn": (lambda s: put(second(s)["turns"][0], "health", 3.0), 1, (1, "health")),
    "a recording": (lambda s: put(second(s)["replay"], "health", 3.0), 1, (None, "health")),
    "a reply": (lambda s: put(second(s)["turns"][1], "reply", "Turn(90);"), 1, (2, "reply")),
    "a score": (
        lambda s: put(s.scores["episode_score"].metadata["tasks"][s.metadata["order"][1]], "steps", 1),
        1,
        (None, "score episode_score: steps"),
    ),
    "the whole score": (
        lambda s: put(s.scores["episode_score"].__dict__, "value", 0.9),
        0,
        (None, "score episode_score"),
    ),
    "the order": (lambda s: s.metadata["order"].reverse(), 0, (None, "order")),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_found_in_its_episode(name, conversation, tmp_path):
    change, place, expected = CHANGES[name]
    results = checked(changed(conversation, tmp_path, change))
    named = {(found.turn, found.what) for found in results[place].findings}
    assert expected in named
    others = [each.verdict for number, each in enumerate(results) if number != place]
    assert set(others) == {Verdict.AGREES}


def test_tasks_that_were_not_reached_are_unfinished_and_the_pass_rate_holds(conversation, tmp_path, command):
    def change(sample):
        last = sample.metadata["order"][-1]
        del sample.metadata["episodes"][last]
        del sample.scores["episode_score"].metadata["tasks"][last]

    path = changed(conversation, tmp_path, change)
    results = checked(path)
    assert [each.verdict for each in results[:3]] == [Verdict.AGREES, Verdict.AGREES, Verdict.UNFINISHED]
    told = command("verify", path, "--jobs", 1).stdout
    assert "5 of 6 episodes: agrees" in told
    assert "1 of 6 episodes: not finished" in told


def test_a_broken_episode_leaves_the_others_verified(conversation, tmp_path):
    results = checked(changed(conversation, tmp_path, lambda s: second(s).pop("turns")), frames=True)
    assert [each.verdict for each in results[:3]] == [Verdict.AGREES, Verdict.UNVERIFIED, Verdict.AGREES]
    # What was said cannot be told apart any more, and that is not passed over.
    assert any("not matched to turns" in note for note in results[0].notes)
    assert results[3].notes == ()


def test_replies_of_a_killed_attempt_have_their_requests_and_in_older_logs_none(tasks, tmp_path, killed):
    log = killed(tasks, tmp_path / "logs", **SMALL)
    results = checked(log, frames=True)
    assert [(each.verdict, each.requests, each.notes) for each in results] == [
        (Verdict.AGREES, each.turns, ()) for each in results
    ]
    without_requests(log, 4)
    results = checked(log, frames=True)
    assert [each.verdict for each in results] == [Verdict.AGREES] * 3
    assert results[0].requests == 0
    assert "3 of its replies is not in the log" in results[0].notes[0]
    assert results[1].requests < results[1].turns
    assert results[2].notes == ()


def test_pictures_before_an_episode_that_ended_before_its_first_reply_are_its_own():
    def exchange(*shown):
        return Exchange("Go(1);", 2, shown, "", None)

    said = Talk((exchange("a"), exchange("b", "c")), rest=("d", "e"))
    parts = parted(said, [1, 0, 1, 0], first=1)
    assert [each.pictures for each in parts] == [("a",), ("b",), ("c", "d"), ("e",)]
    assert parts[1].exchanges == ()
