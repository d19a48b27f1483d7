"""Deleted data are gone, from the files too, and nothing else is."""

import sqlite3
from pathlib import Path

import psycopg
import pytest

from people.store import ActionRow, Deleted, Store, StoreError, Writer
from tests.people.store.played import SOLUTION, TAKEN, begin
from tests.people.store.study import fill

SECRETS = ("Quokka-1", "5f3eabc", "I agree", "second line")


def everything(store: Store) -> list[object]:
    people = [person for study in store.studies() for person in store.participants(study)]
    trials = [trial for person in people for trial in store.trials(person.id)]
    kept = [(store.actions(trial.id), store.recording(trial.id)) for trial in trials]
    said = [(store.answers(person.id), store.notes(person.id)) for person in people]
    return [people, trials, kept, said]


def test_all_of_one_and_nothing_of_others(store, url):
    fill(store)
    gone, other = store.participants("study")
    before = everything(store)
    deleted = store.delete_participant("study", "Quokka-1")
    assert deleted == Deleted(1, 3, 2 * len(TAKEN) + len(SOLUTION), 1, 2, 0, 0, 1, 1)
    with Store(url) as again:
        after = everything(again)
    assert after[0] == [person for person in before[0] if person != gone]
    assert after[1] == [trial for trial in before[1] if trial.participant_id != gone.id]
    own = [number for number, trial in enumerate(before[1]) if trial.participant_id == gone.id]
    assert after[2] == [each for number, each in enumerate(before[2]) if number not in own]
    assert after[3] == [each for number, each in enumerate(before[3]) if before[0][number] != gone]
    assert store.participant(gone.token) is None
    assert store.participant(other.token) == other
    with pytest.raises(StoreError, match="no participant 'Quokka-1' in study 'study'"):
        store.delete_participant("study", "Quokka-1")


def traces(folder: Path, token: str) -> set[str]:
    contents = [path.read_bytes() for path in folder.iterdir()]
    return {text for text in (*SECRETS, token) if any(text.encode() in content for content in contents)}


def test_nothing_remains_in_sqlite_files(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    with Store(str(folder / "study.db")) as store:
        fill(store)
        token = store.participants("study")[0].token
        assert traces(folder, token) == {*SECRETS, token}
        store.delete_participant("study", "Quokka-1")
        assert traces(folder, token) == set()


def test_a_reader_that_preserves_traces_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr("people.store.database.BUSY_S", 0.1)
    folder = tmp_path / "data"
    folder.mkdir()
    path = folder / "study.db"
    with Store(str(path)) as store:
        fill(store)
        token = store.participants("study")[0].token
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM participants").fetchall()
        with pytest.raises(StoreError, match="the rows are removed, but traces remain"):
            store.delete_participant("study", "Quokka-1")
        assert [person.code for person in store.participants("study")] == ["quokka_1"]
        reader.close()
        with pytest.raises(StoreError, match="no participant 'Quokka-1'"):
            store.delete_participant("study", "Quokka-1")
        assert traces(folder, token) == set()


def test_a_reader_of_postgres_is_reported(postgres_url, monkeypatch):
    monkeypatch.setattr("people.store.database.BUSY_S", 0.1)
    with Store(postgres_url) as store:
        fill(store)
        with psycopg.connect(postgres_url.replace("+psycopg", "")) as reader:
            reader.execute("SELECT * FROM notes")
            with pytest.raises(StoreError, match="the rows are removed, but traces may remain"):
                store.delete_participant("study", "Quokka-1")
        with pytest.raises(StoreError, match="no participant 'Quokka-1'"):
            store.delete_participant("study", "Quokka-1")


def test_nothing_remains_in_postgres_tables(server, postgres_database):
    with Store(postgres_database) as store:
        fill(store)
        token = store.participants("study")[0].token

        def found() -> set[str]:
            with psycopg.connect(postgres_database.replace("+psycopg", ""), autocommit=True) as connection:
                connection.execute("CHECKPOINT")
                (database,) = connection.execute(
                    "SELECT oid FROM pg_database WHERE datname = current_database()"
                ).fetchone()
            return traces(server.folder / "data" / "base" / str(database), token)

        assert token in found()
        store.delete_participant("study", "Quokka-1")
        assert found() == set()


def test_late_actions_are_not_attributed_to_the_next_participant(store):
    trial = begin(store, store.add_participant("P1", "study"))
    store.delete_participant("study", "P1")
    following = begin(store, store.add_participant("P2", "study"))
    with Writer(store) as writer:
        writer.put(ActionRow(trial.id, 0, 3, 0.0))
        assert writer.flush(60.0)
        assert writer.state.rejected == 1
    assert store.actions(following.id) == []
