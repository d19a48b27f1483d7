"""Published figures: each with its machine, commit and statistic; interrupted and repeated without loss."""

import json
import re

import pytest

from arena.errors import ConfigError
from benchmarks import results
from benchmarks.results import ABOUT, FRONT, MEASURES, Cell, front_page, page_of, stored

FACTS = {*("date", "commit", "processor", "cores", "system", "versions", "physics", "pictures", "busy")}


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """An own store; `fidelity` counts its calls, and `tests` is interrupted."""
    calls = []

    def fidelity(setup):
        calls.append(setup.folder)
        yield Cell("trace", "turns", "ours", len(calls), unit="of 9")

    def interrupted(setup):
        yield Cell("tests", "fast", "tests", 1)
        raise KeyboardInterrupt

    monkeypatch.setattr(results, "STORE", tmp_path / "results.json")
    monkeypatch.setattr(results, "_git", lambda *words: "01234567" if words[0] == "rev-parse" else "")
    monkeypatch.setattr(results.psutil, "cpu_percent", lambda interval: 0.0)
    monkeypatch.setattr(results, "MEASURES", {**MEASURES, "fidelity": fidelity, "tests": interrupted})
    return calls


def measure(tmp_path, *parts, again=False, quick=False):
    results.main(only=[*parts], again=again, quick=quick, reference=tmp_path)


def test_every_part_has_a_function_and_its_sentence():
    assert ABOUT.keys() == MEASURES.keys()
    assert all(about["title"] and about["statistic"] for about in ABOUT.values())


@pytest.mark.parametrize("part", stored())
def test_every_stored_figure_says_where_it_is_from(part):
    found = stored()[part]
    assert found["facts"].keys() == {*FACTS, "seconds", "notes"}
    assert re.fullmatch(r"[0-9a-f]{8}\+?", found["facts"]["commit"])
    cells = [Cell(*each) for each in found["cells"]]
    assert cells
    assert len({each[:3] for each in cells}) == len(cells)


def test_a_part_of_this_commit_is_measured_once_and_an_interrupt_loses_no_other(measured, tmp_path, capsys):
    measure(tmp_path, "fidelity")
    measure(tmp_path, "fidelity")
    assert len(measured) == 1
    assert "already" in capsys.readouterr().out
    with pytest.raises(KeyboardInterrupt):
        measure(tmp_path, "tests", "fidelity")
    assert stored().keys() == {"fidelity"}
    measure(tmp_path, "fidelity", again=True)
    assert page_of("fidelity").count("2 of 9") == 1
    measure(tmp_path, "fidelity", again=True, quick=True)
    assert "3 of 9" in capsys.readouterr().out
    assert "2 of 9" in page_of("fidelity")


def test_without_the_originals_material_nothing_of_it_is_claimed(measured, tmp_path, capsys):
    measure(tmp_path / "nowhere", "fidelity", "conformance")
    assert capsys.readouterr().out.count("skipped") == 2
    assert page_of("fidelity").startswith("Not measured yet")


def test_a_wrong_part_is_a_sentence():
    with pytest.raises(ConfigError, match="--only: got 'speed', expected one of peers, rl"):
        results.main(only=["speed"])


@pytest.mark.parametrize(
    ("part", "changed", "words"),
    [
        ("tests", {"busy": 0.2}, "The machine was busy"),
        ("fidelity", {"busy": 0.2}, ""),
        ("fidelity", {"physics": "arena-llm physics 0"}, "Older: measured with arena-llm physics 0"),
    ],
)
def test_a_busy_machine_and_older_bits_are_said(part, changed, words, tmp_path, monkeypatch):
    monkeypatch.setattr(results, "STORE", tmp_path / "results.json")
    facts = {"date": "2026-01-01", "commit": "01234567", "processor": "P", "cores": 2, "system": "S"}
    facts |= {"versions": {}, "busy": 0.0, "seconds": 1, "notes": ["a peer is missing"]}
    found = {"facts": facts | results._bits() | changed, "cells": [["t", "r", "c", 0.5, None, None, ""]]}
    results.STORE.write_text(json.dumps({part: found}))
    assert words in page_of(part)
    assert "- a peer is missing" in page_of(part)
    assert ("**" in page_of(part)) == bool(words)


def test_the_front_page_shows_what_was_measured(tmp_path, monkeypatch):
    assert {part for _, part, *_ in FRONT} <= ABOUT.keys()
    monkeypatch.setattr(results, "STORE", tmp_path / "none.json")
    assert front_page() == "Not measured yet."


def test_scores_of_reference_agents_are_those_of_the_suites_tables():
    found = [list(each) for each in results.reference_scores(None)]
    assert results._rounded([each[3] for each in found]) == [
        each[3] for each in stored()["references"]["cells"]
    ]


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        (Cell("", "", "", 41, unit="of 41"), "41 of 41"),
        (Cell("", "", "", 0.9964, 0.9758), "0.996 [0.976]"),
        (Cell("", "", "", 4754.4, 3524, 4868), "4,754 [3,524-4,868]"),
    ],
)
def test_a_cell_has_its_spread_and_its_unit(cell, words):
    assert str(cell) == words


@pytest.mark.slow
@pytest.mark.e2e
@pytest.mark.parametrize("part", ["peers", "rl"])
def test_speed_is_measured_quickly(part, capsys):
    results.main(only=[part], again=True, quick=True, reference=results.REFERENCE)
    assert capsys.readouterr().out.count("| arena-llm | " if part == "peers" else "| rays | ") >= 1
