"""Our suites keep the contract of suites, and the kit that says so finds what breaks it."""

import importlib
import sys

import pytest
from typer.testing import CliRunner

from arena_llm.cli import app
from evaluation.conformance import CHECKS, check_suite
from evaluation.suites import get_suite
from tests.cases import cases
from tests.suites.setups import NEEDS

CASES = cases(__file__)

SHORT = {
    "arena": {"initial_idle_steps": 0, "image_size": 32},
    "est": {},
    "laboratory": {},
    "boxing": {"ask": "together", "experiments": 2, "evaluations": ("0", "2"), "questions": 2},
    "scienceworld": {},
    "discoveryworld": {"steps": 4},
}
LONG = ("determinism", "agent", "judge", "run")
QUICK = [name for name in CHECKS if name not in LONG]


def cases():
    for name in SHORT:
        for part in (QUICK, LONG):
            slow = [pytest.mark.slow] if part is LONG and name != "est" else []
            yield pytest.param(name, part, marks=[*NEEDS.get(name, []), *slow], id=f"{name}-{part[0]}")


@pytest.mark.parametrize(("name", "checks"), list(cases()))
def test_our_suites_keep_their_contract(name, checks):
    assert check_suite(get_suite(name), checks, SHORT[name]) == ()


@pytest.mark.parametrize(("check", "old", "new", "said"), CASES["broken"])
def test_the_kit_says_what_breaks_the_contract(check, old, new, said, tmp_path, monkeypatch):
    made = CliRunner().invoke(app, ["suites", "new", "broken", "--out", str(tmp_path)])
    assert made.exit_code == 0, made.output
    file = tmp_path / "broken" / "broken_suite.py"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    monkeypatch.syspath_prepend(file.parent)
    monkeypatch.delitem(sys.modules, "broken_suite", raising=False)
    module = importlib.import_module("broken_suite")
    suite = getattr(module, "SUITE", None) or module.OTHER
    faults = check_suite(suite, (check,))
    assert any(said in fault.said for fault in faults), faults


@pytest.mark.e2e
def test_the_skeleton_keeps_the_contract(tmp_path, monkeypatch):
    CliRunner().invoke(app, ["suites", "new", "whole", "--out", str(tmp_path)])
    monkeypatch.syspath_prepend(tmp_path / "whole")
    checked = CliRunner().invoke(app, ["suites", "check", "whole_suite:SUITE"])
    assert checked.exit_code == 0, checked.output
    assert checked.output.split() == [word for name in CHECKS for word in (*name.split(), "ok")]
