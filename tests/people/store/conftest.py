"""Every test of the store runs on SQLite and on a real PostgreSQL server."""

import itertools
from collections.abc import Iterator

import psycopg
import pytest

from people.store import Store
from tests.people.store import postgres

NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    with postgres.running() as server:
        yield server


def tell(server: postgres.Server, statement: str) -> None:
    with psycopg.connect(server.url("postgres").replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(statement)


@pytest.fixture
def postgres_url(server: postgres.Server) -> str:
    """A schema of its own: unlike a database, that is made without copying megabytes."""
    name = f"study{next(NUMBERS)}"
    tell(server, f"CREATE SCHEMA {name}")
    return f"{server.url('postgres')}?options=-csearch_path%3D{name}"


@pytest.fixture
def postgres_database(server: postgres.Server) -> str:
    tell(server, "CREATE DATABASE study")
    return server.url("study")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.e2e)])
def url(request: pytest.FixtureRequest, tmp_path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'study.db'}"
    return request.getfixturevalue("postgres_url")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store(url) as store:
        yield store
