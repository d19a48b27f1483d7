"""Invalid and missing databases are reported without the password; a database has one server."""

import socket
import sqlite3
import stat
import subprocess
import sys
import time

import pytest
from sqlalchemy import inspect

from arena.packages import require
from people.store import DatabaseUnavailable, Store, StoreError
from people.store import database as database_module
from people.store.database import only_server
from people.study.progress import progress_of
from tests.people.store.played import append, begin, finish, recording, rows


def problem(url: str, **options) -> str:
    with pytest.raises(StoreError) as caught:
        Store(url, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert "sesame" not in text
    return text


@pytest.mark.parametrize(
    "url",
    ["mysql://me:sesame@localhost/x", "sqlite://", "sqlite:///:memory:", "http://:sesame", "", "://sesame"],
)
def test_unsupported_urls(url):
    assert "expected a file, sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME" in problem(url)


def test_a_password_is_never_shown():
    assert "write it as %40" in problem("postgresql://me:a@sesame@localhost/x")
    assert "refused" in problem("postgresql://me@127.0.0.1:1/x?password=sesame")


def test_a_file_that_is_not_a_database(tmp_path):
    (tmp_path / "text.db").write_text("This is a text that is long enough. " * 50)
    assert "file is not a database" in problem(str(tmp_path / "text.db"))
    assert (tmp_path / "text.db").read_text().startswith("This is a text")


def test_missing_files(tmp_path):
    assert "no such database file" in problem(str(tmp_path / "none.db"), create=False)
    assert not (tmp_path / "none.db").exists()
    assert "cannot be opened (No such file or directory)" in problem(str(tmp_path / "none" / "study.db"))
    assert "a folder, expected a database file" in problem(str(tmp_path))


def test_a_foreign_database_is_not_changed(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    before = path.read_bytes()
    assert "holds no study of arena-llm" in problem(str(path), create=False)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("mine",)]
    assert path.read_bytes() == before


def test_tables_of_another_version(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE trials (id, colour)")
    assert "table trials has other columns" in problem(str(path))


def test_a_database_of_version_0_2_is_read_and_continued(url):
    with Store(url) as store, store.database.autocommit() as connection:
        old = begin(store, store.add_participant("P1", "study"))
        finish(store, old, recording())
        store.answer(old.participant_id, "end", "how", "well")
        new = {
            "participants": ("test",),
            "trials": ("ended_by", "steps_played", "seconds_played", "block"),
            "answers": ("asked", "as_expected"),
        }
        for table, columns in new.items():
            for column in columns:
                connection.exec_driver_sql(f"ALTER TABLE {table} DROP COLUMN {column}")
        connection.exec_driver_sql("DROP INDEX ix_notes_participant_id_kind")
        for table in ("suite_episodes", "replies"):
            connection.exec_driver_sql(f"DROP TABLE {table}")
    with Store(url, create=False) as store:
        indexes = {index["name"] for index in inspect(store.database.engine).get_indexes("notes")}
        assert "ix_notes_participant_id_kind" in indexes
        assert store.episodes("study") == {}
        (person,) = store.participants("study")
        finish(store, begin(store, person), recording(trial=1))
        trials = [(each.steps, each.ended_by, each.steps_played) for each in store.trials(person.id)]
        assert trials == [(8, None, None), (8, "time", 8)]
        (answer,) = store.answers(person.id)
        assert (answer.value, answer.asked, answer.as_expected) == ("well", None, None)
        assert progress_of(store, person).played_s(range(10)) == pytest.approx(0.96)


def test_the_file_is_readable_by_its_owner_only(tmp_path):
    path = tmp_path / "a study?x=1 %.db"
    with Store(str(path)) as store:
        append(store, rows(begin(store, store.add_participant("P1"))))
        assert {file.name.removeprefix(path.name) for file in tmp_path.iterdir()} == {"", "-wal", "-shm"}
        assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}
    with Store(f"{path}", create=False) as store:
        assert store.studies() == ["play"]


def test_missing_postgres_server():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"postgresql://me:sesame@127.0.0.1:{taken.getsockname()[1]}/x"
        assert "refused" in problem(url)
        with pytest.raises(DatabaseUnavailable):
            Store(url)


def test_missing_postgres_database(server):
    assert 'database "nowhere" does not exist' in problem(server.url("nowhere"))


def test_a_store_survives_a_restart(server, postgres_url):
    with Store(postgres_url) as store:
        person = store.add_participant("P1")
        server.stop()
        try:
            with pytest.raises(DatabaseUnavailable):
                store.note(person.id, "pause")
        finally:
            server.start()
        store.note(person.id, "resume")
        assert [note.kind for note in store.notes(person.id)] == ["resume"]


def test_missing_packages_are_named():
    require("people")
    with pytest.raises(Exception, match=r"no_such_module not found; run: pip install 'arena-llm\[people\]'"):
        require("people", "sqlalchemy", "no_such_module")


HOLD = """
import sys, time
from people.store.database import only_server
from people.store import Store
with only_server(Store(sys.argv[1]).database):
    print("locked", flush=True)
    time.sleep(60)
"""


def test_a_second_server_is_refused_until_the_first_is_killed(url):
    first = subprocess.Popen([sys.executable, "-c", HOLD, url], stdout=subprocess.PIPE, text=True)
    with first, Store(url) as store:
        assert first.stdout.readline() == "locked\n"
        message = "another server is using this database; stop it first"
        with pytest.raises(StoreError, match=message), only_server(store.database):
            pass
        # Others may read and write.
        store.add_participant("A1")
        first.kill()
        first.wait()
        end = time.monotonic() + 10
        while True:
            try:
                with only_server(store.database):
                    break
            except StoreError:
                assert time.monotonic() < end
        with only_server(store.database):
            pass


def test_other_databases_have_their_own_server(url, tmp_path):
    path = str(tmp_path / "other.db")
    with Store(url) as one, Store(path) as other, only_server(one.database), only_server(other.database):
        pass


def test_the_lock_is_taken_again_after_a_restart_of_postgres(postgres_url, monkeypatch):
    monkeypatch.setattr(database_module, "RENEW_S", 0.1)

    def holders(store: Store) -> list[int]:
        with store.database.autocommit() as connection:
            locks = connection.exec_driver_sql("SELECT pid FROM pg_locks WHERE locktype = 'advisory'")
            return list(locks.scalars())

    with Store(postgres_url) as store, only_server(store.database):
        (first,) = holders(store)
        with store.database.autocommit() as connection:
            # As a restart does.
            connection.exec_driver_sql(f"SELECT pg_terminate_backend({first})")
        end = time.monotonic() + 10
        while first in (now := holders(store)) or not now:
            assert time.monotonic() < end
        with pytest.raises(StoreError, match="another server"), only_server(store.database):
            pass
