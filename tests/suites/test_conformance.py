"""Our suites keep the contract of suites, and the kit that says so finds what breaks it."""

import importlib
import sys

import pytest
from typer.testing import CliRunner

from arena_llm.cli import app
from evaluation.conformance import CHECKS, check_suite
from evaluation.suites import get_suite
from tests.suites.setups import NEEDS

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


BROKEN = (
    ("data", "SUITE = ", "OTHER = ", "has no SUITE that is this suite"),
    ("data", "    def open(", "    panels = None\n\n    def open(", "BrokenSuite.panels: nobody reads it"),
    ("agent", "AGENTS = {", "OTHERS = {", "no offline agent"),
    ("tasks", '"number-{number}"', '"number {number}"', "without commas and spaces"),
    ("tasks", '{number}".encode', '".encode', "all have the same sha256"),
    ("texts", "You are shown a number. Reply with one word: even or odd.", "", "says nothing"),
    ("texts", '(f"The number is {self.known}.",)', "()", "expected texts and pictures"),
    ("wrong replies", 'if word not in ("even", "odd")', "if False", "reply 1 has no error"),
    ("wrong replies", "self._right = self._done = False", "self._right, self._done = True, False", "passes"),
    ("wrong replies", '"reply": text', '"reply": text.strip()', "whose `reply` is its text as it was"),
    ("wrong replies", "len(self._turns) == 2", "False", "wants more than 9 replies"),
    ("wrong replies", "text.strip()", "text.split()[0]", "broken_suite.py:40: IndexError"),
    ("wrong replies", '"total_reward": score', '"total_reward": score / 0', "ZeroDivisionError"),
    ("ends", "ModelEnd.SOLVER", "ModelEnd.EPISODE", "expected SOLVER"),
    ("ends", "text, reason,", "text, None,", "expected that reply and that error"),
    ("determinism", "is {self.known}", "is {__import__('time').time_ns()}", "replies gave another episode"),
    ("determinism", "is {self.known}", "is {hash('x')}", "another process gave another episode"),
    ("agent", '"even" if number % 2 == 0 else', '"even" if number % 2 else', "and so does silence"),
    ("estimate", "replies=3", "", "estimates need the most replies"),
    ("run", '"error": error}', '"error": error, "at": id(self)}', "verify: "),
)


@pytest.mark.parametrize(("check", "old", "new", "said"), BROKEN)
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
