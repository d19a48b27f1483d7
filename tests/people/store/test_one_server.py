"""A database has one server, for as long as that runs."""

import subprocess
import sys
import time

import pytest

from people.store import Store, StoreError
from people.store import database as database_module
from people.store.database import only_server

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
    with (
        Store(url) as store,
        Store(str(tmp_path / "other.db")) as other,
        only_server(store.database),
        only_server(other.database),
    ):
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
