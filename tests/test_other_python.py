"""Finding another Python, and the verdict on its bits; `make python` runs the rest."""

import sys

import pytest

from tests import other_python


def program(path, status):
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\nexit {status}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def places(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path / "shims"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    return tmp_path


def test_a_python_that_does_not_start_is_passed_over(places):
    program(places / "shims" / "python3.13", 127)
    assert other_python.interpreter("python3.13") is None
    program(places / "versions" / "3.12.9" / "bin" / "python3.13", 0)
    assert other_python.interpreter("python3.13") is None
    right = program(places / "versions" / "3.13.0" / "bin" / "python3.13", 0)
    assert other_python.interpreter("python3.13") == right


def test_where_there_is_no_such_python_it_is_said(places, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["other_python", "python3.13"])
    assert other_python.main() == 0
    assert capsys.readouterr().out == (
        "No python3.13 was found: that the package plays with it is not checked.\n"
    )


def test_other_bits_are_a_fault(capsys):
    known = "01-01-01 aa\n01-02-01 bb\n"
    assert other_python.compare("python3.13", known, known) == 0
    for found in ("01-01-01 aa\n", "01-01-01 aa\n01-02-01 cc\n", ""):
        assert other_python.compare("python3.13", known, found) == 1
    said = capsys.readouterr().out
    assert "python3.13: 2 of 2 lines, other bits" in said
    assert "01-02-01 cc" in said
