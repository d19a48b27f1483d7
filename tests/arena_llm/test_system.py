"""What the machine lacks is said, with the command that brings it."""

import sys

import pytest

from arena_llm import system


@pytest.fixture
def bare(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(system, "SERVER_PLACES", ())
    monkeypatch.setattr(sys, "argv", ["system", "database"])
    return tmp_path


def test_a_missing_database_is_reported_with_the_command(bare, capsys):
    assert system.main() == 1
    told = capsys.readouterr().err
    assert "No PostgreSQL server was found (initdb and pg_ctl)." in told
    assert "apt-get install --yes postgresql" in told


def test_a_database_that_is_there_is_enough(bare, capsys):
    for name in ("initdb", "pg_ctl"):
        (bare / name).write_text("#!/bin/sh\n")
        (bare / name).chmod(0o755)
    assert system.main() == 0
    assert system.server_program("initdb") == str(bare / "initdb")
    assert capsys.readouterr().err == ""
