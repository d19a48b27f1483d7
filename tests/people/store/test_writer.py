"""The writer stores everything once: normally, while the database is unavailable, and after a kill."""

import time

import pytest

from people.store import ActionRow, InvalidRequest, Store, StoreError, Writer
from people.store.store import TrialEnd
from tests.people.store.played import begin, recording, rows, whole

WAIT_S = 60.0
"""For what comes at once on an idle machine."""


def wait_until(condition):
    end = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def trial(store):
    return begin(store, store.add_participant("P1"))


def test_actions_are_committed_without_a_flush(store, trial):
    with Writer(store) as writer:
        for row in rows(trial):
            writer.put(row)
        wait_until(lambda: store.actions(trial.id) == rows(trial))
        wait_until(lambda: writer.state.committed == len(rows(trial)))
        assert writer.state.waiting == 0
        assert writer.state.error is None


def test_a_trial_ends_after_its_actions(store, trial):
    with Writer(store) as writer:
        writer.note(trial.participant_id, "start", {"text": "ä \ud800 \0"})
        for row in rows(trial):
            writer.put(row)
        writer.put(TrialEnd(trial.id, whole(recording())))
        assert writer.flush(WAIT_S)
        assert store.actions(trial.id) == rows(trial)
        assert store.recording(trial.id) == recording()
        assert [note.kind for note in store.notes(trial.participant_id)] == ["start"]


def test_close_writes_what_is_queued(store, trial):
    writer = Writer(store)
    many = [ActionRow(trial.id, step, 0, float(step)) for step in range(25_000)]
    for row in many:
        writer.put(row)
    writer.close(WAIT_S)
    assert len(store.actions(trial.id)) == len(many)
    with pytest.raises(StoreError, match="closed"):
        writer.put(many[0])


def test_invalid_writes_do_not_block_the_rest(store, trial):
    with Writer(store) as writer:
        for step, action in ((-1, 0), (0, 9), (0, -1)):
            with pytest.raises(InvalidRequest, match="expected a step from 0, an action from 0 to 8"):
                writer.put(ActionRow(trial.id, step, action, 0.0))
        with pytest.raises(InvalidRequest):
            writer.put(ActionRow(trial.id, 0, 1, float("nan")))
        with pytest.raises(match="cannot be stored as JSON"):
            writer.note(trial.participant_id, "x", {"value": float("nan")})
        writer.put(ActionRow(99, 0, 0, 0.0))
        writer.note(99, "pause")
        writer.put(TrialEnd(99, whole(recording())))
        assert writer.flush(WAIT_S)
        assert writer.state.last_rejection == "trial 99: no such trial"
        writer.put(TrialEnd(trial.id, whole(recording(trial=5))))
        for row in rows(trial):
            writer.put(row)
        assert writer.flush(WAIT_S)
        assert store.actions(trial.id) == rows(trial)
        assert store.open_trial(trial.participant_id) == trial
        assert writer.state.rejected == 4
        assert "the recording is of" in writer.state.last_rejection


def test_closing_while_postgres_is_unavailable_says_what_is_lost(server, postgres_url):
    with Store(postgres_url) as store:
        trial = begin(store, store.add_participant("P1"))
        writer = Writer(store)
        server.stop()
        try:
            writer.put(rows(trial)[0])
            with pytest.raises(StoreError, match="1 actions or notes could not be written"):
                writer.close(0.3)
        finally:
            server.start()
        assert store.actions(trial.id) == []
