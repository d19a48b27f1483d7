"""What is written to a store is read from it, by this process and by another."""

import math
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from people.store import ActionRow, Store, StoreError
from tests.people.store.played import TAKEN, TASK, append, begin, finish, recording, rows


def test_a_participant_is_the_same_row_again(store, url):
    first = store.add_participant("P1", "study", {"PROLIFIC_PID": "5f3e"})
    assert store.add_participant("P1", "study", {"PROLIFIC_PID": "other"}) == first
    assert store.add_participant("P1", "another").id != first.id
    with Store(url) as other:
        assert other.participants("study") == [first]
        assert other.studies() == ["another", "study"]
        assert other.participants("study")[0].link == {"PROLIFIC_PID": "5f3e"}


def test_a_token_is_long_random_and_lets_one_in(store):
    people = [store.add_participant(f"P{number}") for number in range(20)]
    tokens = {person.token for person in people}
    # 16 bytes, the least, take 22 characters in base 64.
    assert len(tokens) == 20
    assert min(map(len, tokens)) >= math.ceil(128 / 6)
    assert store.participant(people[3].token) == people[3]
    assert store.participant("") is None
    assert store.participant("\0\ud800' OR 1=1 --") is None
    assert people[3].token not in repr(people[3])


def test_names_that_cannot_be_file_names_are_refused(store):
    for name in ("", ".", "../x", "a/b", "a b", "-x", "ä", "x" * 65, "a\n"):
        with pytest.raises(StoreError, match="code: got"):
            store.add_participant(name)
        with pytest.raises(StoreError, match="study: got"):
            store.add_participant("P1", name)
    assert store.studies() == []


def test_a_trial_from_begin_to_end(store, url):
    person = store.add_participant("P1")
    trial = begin(store, person)
    assert store.open_trial(person.id) == trial
    assert append(store, rows(trial)) == []
    assert finish(store, trial, recording()) == []
    assert store.open_trial(person.id) is None
    with Store(url) as other:
        (kept,) = other.trials(person.id)
        assert [row.action for row in other.actions(trial.id)] == list(TAKEN)
        assert other.actions(trial.id) == rows(trial)
        assert other.recording(trial.id) == recording()
    for name in ("steps", "total_reward", "health"):
        assert getattr(kept, name) == getattr(recording(), name)
    assert (kept.outcome, kept.passed) == (None, None)
    assert (kept.ended_by, kept.steps_played, kept.seconds_played) == ("time", len(TAKEN), 0.48)
    assert kept.finished_at >= kept.begun_at


def test_a_repeated_task_is_the_next_trial_of_it(store):
    one, other = store.add_participant("P1"), store.add_participant("P2")
    assert [begin(store, person).trial for person in (one, one, other, one)] == [0, 1, 0, 2]
    assert store.open_trial(one.id).trial == 2


def test_a_trial_left_behind_is_not_the_open_one(store):
    person = store.add_participant("P1")
    begin(store, person)
    finish(store, begin(store, person), recording(trial=1))
    assert store.open_trial(person.id) is None


def test_an_existing_action_is_not_replaced(store):
    trial = begin(store, store.add_participant("P1"))
    append(store, rows(trial)[:5])
    append(store, [ActionRow(trial.id, 2, 8, 0.0), *rows(trial)[3:]])
    assert store.actions(trial.id) == rows(trial)


def test_many_actions_in_one_call(store):
    trial = begin(store, store.add_participant("P1"))
    many = [ActionRow(trial.id, step, step % 9, float(step)) for step in range(12_001)]
    append(store, many)
    assert store.actions(trial.id) == many


def test_actions_of_a_deleted_trial_are_left_out_and_counted(store):
    trial = begin(store, store.add_participant("P1"))
    gone = [ActionRow(trial.id + 1, 0, 0, 0.0), ActionRow(trial.id + 2, 0, 0, 0.0)]
    assert append(store, [*gone, *rows(trial)]) == ["2 actions of trials that do not exist"]
    assert store.actions(trial.id) == rows(trial)
    assert append(store, []) == []


def test_a_finished_trial_stays_as_it_is(store):
    trial = begin(store, store.add_participant("P1"))
    finish(store, trial, recording())
    finish(store, trial, recording(actions=(3, 3)))
    assert store.recording(trial.id) == recording()


def test_a_recording_of_another_arena_is_refused(store):
    trial = begin(store, store.add_participant("P1"))
    (problem,) = finish(store, trial, recording().model_copy(update={"spec_sha256": "0" * 64}))
    assert re.search("the recording is of .*01-01-01", problem)
    assert store.open_trial(trial.participant_id) == trial


def test_the_last_answer_counts(store):
    person = store.add_participant("P1")
    store.answer(person.id, "end", "age", "36")
    store.answer(person.id, "end", "why", "fun\0 \ud800 ä")
    store.answer(person.id, "end", "age", "63")
    values = {answer.item: answer.value for answer in store.answers(person.id)}
    assert values == {"age": "63", "why": "fun ? ä"}


def test_notes_are_kept_in_order(store):
    person = store.add_participant("P1")
    notes = [("consent", {"version": 2, "text": "I agree \0 ä \ud800"}), ("pause", {})]
    for note in notes:
        store.note(person.id, *note)
    assert [(note.kind, note.data) for note in store.notes(person.id)] == notes


def test_writes_for_unknown_participants_are_refused(store):
    for call in (
        lambda: store.answer(99, "page", "item", "value"),
        lambda: store.note(99, "pause"),
        lambda: store.begin_trial(99, 0, TASK, 0, "keys"),
    ):
        with pytest.raises(StoreError, match="participant 99: no such participant"):
            call()
    person = store.add_participant("P1")
    with pytest.raises(StoreError, match="mode: got 'mouse', expected one of: keys, scripts"):
        begin(store, person, mode="mouse")


def test_many_threads_at_once(store):
    person = store.add_participant("P1")

    def one(number: int) -> int:
        store.add_participant("P2")
        store.note(person.id, "pause", {"number": number})
        return begin(store, person).trial

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(one, range(40))) == list(range(40))
    assert len(store.notes(person.id)) == 40
    assert [other.code for other in store.participants("play")] == ["P1", "P2"]
