from itertools import count

import pytest

from people.play.players import Players
from people.store import Store
from people.study.app import create_study_app
from people.study.flow import StudyTaskSource
from people.study.plan import load_plan
from people.study.server import start_or_resume
from tests.people.store import postgres
from tests.people.study.server import TINY, StudyServer
from tests.people.study.walk import TOKEN, Walker


@pytest.fixture(scope="package")
def server(tmp_path_factory):
    """A server with the tiny study, shared by the tests."""
    with StudyServer(tmp_path_factory.mktemp("study")) as server:
        yield server


NUMBERS = count(1)


@pytest.fixture
def walker(server):
    """A new visitor at the consent page."""
    return Walker(server, f"pid{next(NUMBERS)}")


@pytest.fixture
def experimenter(server):
    with server.visitor() as visitor:
        assert visitor.get(server.experimenter).status_code == 200
        yield visitor


@pytest.fixture
def postgres_url():
    """A database on a real PostgreSQL server."""
    with postgres.running() as server:
        yield server.url("postgres")


@pytest.fixture
def app(tmp_path):
    """Makes the application of a study, without workers, and its store in this process."""
    stores = []

    def make(text=TINY, database="study.db"):
        path = tmp_path / "study.yaml"
        path.write_text(text, encoding="utf-8")
        plan, store = load_plan(path), Store(str(tmp_path / database))
        stores.append(store)
        start_or_resume(store, plan)
        players = Players(store, StudyTaskSource(plan), workers=1)
        stores.append(players.recorder)
        return create_study_app(plan, players, store, TOKEN), store

    yield make
    for store in reversed(stores):
        store.close()
