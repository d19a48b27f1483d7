import pytest

from tests.people.play.server import Page, Server


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """A server with three tasks of level 1, shared by the tests."""
    views = ("--view", "first", "--view", "third", "--view", "top")
    database = tmp_path_factory.mktemp("play") / "play.db"
    with Server(database, "01-01-01", "01-05-01", "01-02-01", *views) as server:
        yield server


@pytest.fixture(scope="session")
def scripts_server(tmp_path_factory):
    """A server in scripts' mode, shared by the tests."""
    database = tmp_path_factory.mktemp("scripts") / "play.db"
    with Server(database, "01-05-01", "01-01-01", "--scripts") as server:
        yield server


@pytest.fixture
def token(server):
    return server.newcomer()


@pytest.fixture
def page(server, token):
    """The page of a newcomer, at the first task."""
    with Page(server, token) as page:
        page.until("trial")
        yield page
