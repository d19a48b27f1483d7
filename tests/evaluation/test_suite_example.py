"""A suite from another package takes every path that the arena's takes."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from tests.cases import cases
from tests.evaluation.example_suite import EXAMPLE, ROOT, arena_llm, environment, guessing

__all__ = ["environment", "guessing"]

RUN = ("eval", "--suite", "guessing", "--model", "guessing/bisect")


@pytest.fixture(scope="module")
def logs(environment, tmp_path_factory) -> Path:
    """The folder of a finished run: 7 guesses halve 100 numbers down to one."""
    folder = tmp_path_factory.mktemp("logs")
    done = arena_llm(environment, *RUN, "--log-dir", folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def log_in(folder: Path) -> Path:
    (log,) = folder.glob("*.eval")
    return log


def scores(folder: Path) -> dict[tuple[str, int], bool]:
    samples = read_eval_log(str(log_in(folder))).samples or []
    return {(s.id, s.epoch): s.scores["episode_score"].metadata["passed"] for s in samples if s.scores}


def test_it_is_listed(environment):
    listed = arena_llm(environment, "suites").stdout
    assert re.search(r"^guessing +[0-9a-f]{12}  Guess a number$", listed, re.MULTILINE)
    assert all(len(line) <= 80 for line in listed.splitlines())


def test_it_shows_its_own_choices(guessing):
    assert "guessing/bisect" in guessing("suites", "show", "guessing").stdout
    shown = guessing(*RUN, "--guesses", 3, "--show").stdout
    assert re.search(r"guesses +│ 3 +│ option", shown)
    assert "animal_ai" not in shown
    assert "--guesses" in guessing("eval", "--suite", "guessing", "--help").stdout


@pytest.mark.parametrize(("arguments", "told"), cases(__file__)["wrong"])
def test_wrong_arguments_are_said(arguments, told, guessing, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed = guessing(*arguments.split())
    assert failed.returncode != 0
    assert told in failed.stderr
    assert "Traceback" not in failed.stderr


@pytest.mark.e2e
def test_a_run_is_scored_verified_and_reported(logs, guessing, tmp_path):
    assert len(scores(logs)) == 6
    assert all(scores(logs).values())
    assert "6 of 6 episodes: agrees" in guessing("verify", logs, "--jobs", 1).stdout
    guessing("report", log_in(logs), "--out", tmp_path).succeeded()
    pages = "".join(page.read_text() for page in tmp_path.rglob("*.html"))
    assert "up to 100" in pages
    assert "higher; 6 left." in pages


@pytest.mark.e2e
def test_two_runs_are_compared_by_group(logs, guessing, tmp_path):
    few = tmp_path / "few"
    assert guessing(*RUN, "--guesses", 3, "--log-dir", few).returncode == 0
    named = [f"seven={log_in(logs)}", f"three={log_in(few)}"]
    compared = guessing("compare", *named, "--out", tmp_path / "compared")
    assert (compared.returncode, compared.stderr) == (0, "")
    page = "".join(path.read_text() for path in (tmp_path / "compared").rglob("*.html"))
    assert "up to 100" in page
    assert "children" not in page


def test_inspects_own_command_refuses_an_empty_selection(environment):
    command = [str(Path(sys.executable).with_name("inspect")), "eval", "arena_llm/guessing"]
    command += ["--model", "guessing/bisect", "-T", "tasks=nonsense"]
    failed = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200)
    assert failed.returncode != 0
    said = " ".join((failed.stdout + failed.stderr).split())
    assert "no task nonsense in the suite guessing" in said
    assert "Traceback" not in said


@pytest.mark.slow
def test_episodes_are_played_by_ray_workers(environment, tmp_path):
    done = arena_llm(environment, *RUN, "--engine", "ray", "--jobs", 2, "--log-dir", tmp_path)
    assert done.returncode == 0, done.stderr
    assert all(scores(tmp_path).values())
    assert len(scores(tmp_path)) == 6


def test_the_product_does_not_know_it():
    elsewhere = [":!tests", f":!{EXAMPLE.relative_to(ROOT)}"]
    grep = ["git", "grep", "-il", "guessing", "--", "*.py", "*.toml", *elsewhere]
    found = subprocess.run(grep, cwd=ROOT, capture_output=True, text=True)
    if found.returncode > 1:
        pytest.skip("not a git checkout")
    assert found.stdout == ""
