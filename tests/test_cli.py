"""The command as a user meets it."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from render import decode
from testbed import task_named

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY")


def run(*arguments, **environment):
    env = {key: value for key, value in os.environ.items() if key not in KEYS} | environment
    command = [sys.executable, "-m", "arena_llm", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False)


@pytest.fixture
def scripts(tmp_path):
    path = tmp_path / "scripts.txt"
    path.write_text("Think('ahead'); Go(9);\n\nTurn(-30); Turn(30);\nGo(30);\n")
    return path


AHEAD = """
arenas:
  0: !Arena
    t: 250
    pass_mark: 0
    items:
    - !Item {name: Agent, positions: [!Vector3 {x: 18, y: 0, z: 6}], rotations: [0]}
    - !Item {name: GoodGoal, positions: [!Vector3 {x: 18, y: 0, z: 24}], sizes: [!Vector3 {x: 1, y: 1, z: 1}]}
"""


def test_the_command_starts_without_what_only_some_of_its_commands_need():
    heavy = ["inspect_ai", "torch", "moderngl", "pandas", "matplotlib", "ray", "fastapi", "sqlalchemy", "PIL"]
    program = "import sys, arena_llm.cli; print([name for name in sys.argv[1:] if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program, *heavy], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_scripts_are_played_and_told_line_by_line(scripts, tmp_path):
    (tmp_path / "ahead.yaml").write_text(AHEAD)
    frames = tmp_path / "frames"
    result = run("run", tmp_path / "ahead.yaml", "--scripts", scripts, "--frames", frames)
    assert (result.returncode, result.stderr) == (0, "")
    turns = [json.loads(line) for line in result.stdout.splitlines()]
    assert [turn["turn"] for turn in turns] == [1, 2, 3]
    assert [turn["steps"] for turn in turns[:2]] == [9, 10]
    assert (turns[-1]["done"], turns[-1]["outcome"]) == (True, "goal")
    names = {path.name for path in frames.iterdir()}
    assert names == {"obs-0.0.png", "obs-0.1.png", "obs-0.2.png"} | {
        f"obs-{t['turn']}.{t['steps']}.png" for t in turns
    }
    assert decode((frames / "obs-1.9.png").read_bytes()).shape == (512, 512, 3)


def test_without_initial_steps_the_first_script_starts_the_clock(scripts):
    first = json.loads(
        run("run", "01-01-01", "--scripts", scripts, "--initial", "none").stdout.splitlines()[0]
    )
    assert first["health"] == pytest.approx(100 - 9 * 0.24, abs=0.01)


def test_the_same_seed_prints_the_same_lines(scripts):
    outputs = {run("run", "01-04-01", "--scripts", scripts, "--seed", 3).stdout for _ in range(2)}
    assert len(outputs) == 1


RESULTS = (
    "agent,task_id,level,trial,pass_mark,total_reward,passed,outcome,steps,turns,error\n"
    "m/a,01-01-01,1,0,0,1,True,goal,9,1,\n"
)


def test_runs_are_compared_in_one_report(tmp_path):
    (tmp_path / "results.csv").write_text(RESULTS)
    (tmp_path / "b=c.csv").write_text(RESULTS.replace("True", "False"))
    runs = (f"first={tmp_path / 'results.csv'}", tmp_path / "b=c.csv")
    result = run("compare", *runs, "--out", tmp_path / "out")
    assert (result.returncode, result.stderr) == (0, "")
    table = (tmp_path / "out" / "levels.csv").read_text()
    assert "1,Food Retrieval,first,run,this run,1,1,1," in table
    assert "1,Food Retrieval,m/a,run,this run,1,1,0," in table
    assert f"first = {tmp_path / 'results.csv'}" in (tmp_path / "out" / "report.html").read_text()


def test_what_is_missing_is_played_once_and_then_compared(tmp_path):
    command = ["compare", "--run", "arena/random", "--tasks", "01-04-03", "--log-dir", tmp_path / "logs"]
    first = run(*command, "--out", tmp_path / "out")
    assert (first.returncode, first.stderr) == (0, "arena/random: playing 1 tasks\n")
    assert "Other layouts" in first.stdout
    assert "version" not in first.stdout
    again = run(*command, "--out", tmp_path / "out", "--with", "children")
    assert again.returncode == 0
    assert "is there already" in again.stderr
    assert "top ten" not in again.stdout.replace("top ten are chosen", "")
    assert len(list((tmp_path / "logs").glob("*.eval"))) == 1


def test_baselines_are_printed_for_people_and_programs():
    listed = run("baselines")
    assert listed.returncode == 0
    assert "children_by_task" in listed.stdout
    assert "0.600" in listed.stdout
    explained = run("baselines", "children_by_level").stdout
    assert "0.6017" in explained
    assert "attempts that passed" in explained
    table = list(csv.DictReader(run("baselines", "children_by_task", "--csv").stdout.splitlines()))
    assert len(table) == 40
    assert sum(int(row["passes"]) for row in table) == 1320
    for command, other in (("baseline", "baselines"), ("baselines", "baseline")):
        assert f"arena-llm {other}" in " ".join(run(command, "--help", COLUMNS="200").stdout.split())


def test_a_baseline_is_a_tidy_table_and_is_compared(tmp_path):
    out = tmp_path / "new" / "held.csv"
    for level in (1, 3):
        shutil.copy(task_named(f"{level:02d}-01-01").path, tmp_path)
    command = ["baseline", "--agent", "held", "--testbed", tmp_path, "--trials", "2", "--out", out]
    result = run(*command, COLUMNS="200")
    assert (result.returncode, result.stderr) == (0, "")
    assert "Published 2024" in result.stdout
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["agent", "task_id", "level", "trial", "seed", "steps", "total_reward", "passed"]
    assert len(rows) == 4
    assert {row["passed"] for row in rows} <= {"True", "False"}
    passes = sum(row["passed"] == "True" for row in rows)
    assert f"{passes}/{len(rows)}" in result.stdout


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_keeps_the_episodes_so_far(tmp_path, jobs):
    out = tmp_path / "random.csv"
    command = [sys.executable, "-m", "arena_llm", "baseline", "--agent", "random", "--levels", "1"]
    started = subprocess.Popen(
        [*command, "--trials", "50", "--out", out, "--jobs", str(jobs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not (out.exists() and out.read_text().count("\n") > 3) and time.monotonic() < deadline:
        time.sleep(0.1)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert (started.returncode, said) == (130, f"Stopped. The episodes so far are in {out}.\n")
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 3
    assert all(None not in row.values() for row in rows)


BAD = [
    (["eval", "--model", "arena/pixels", "--levels", "3-1"], "levels: got '3-1'"),
    (["eval", "--model", "arena/pixels", "--testbed", "{few}", "--levels", "9"], "no tasks of level 9"),
    (["eval", "--model", "gpt-4o", "--levels", "1"], "set OPENAI_API_KEY"),
    (["eval", "--model", "arena/pixels", "--trials", "0"], "option trials: got '0', expected greater than"),
    (["eval", "--show", "--protocol", "blnd"], "did you mean blind?"),
    (["eval", "--model", "arena/pixels", "--protocol", "text-only"], "use arena/random"),
    (
        ["eval", "--model", "arena/random", "--protocol", "paper-experiment-1"],
        "give their folder with --testbed",
    ),
    (["eval", "--show", "--protocol", "blind", "--icl"], "vision = blind (preset blind) and demonstration"),
    (["eval", "--model", "frob"], "unknown model 'frob'"),
    (["eval", "--model", "nosuch/model", "--levels", "1"], "nosuch"),
    (["eval", "--model", "arena/random", "--testbed", "/nowhere"], "no such folder"),
    (["eval", "--model", "arena/random", "--levels", "1", "--log-dir", "/proc/none"], "cannot write there"),
    (["eval", "--model", "arena/random", "--levels", "1", "--prompt", "/nowhere"], "cannot be read"),
    (["baselines", "children_by_tsk"], "did you mean children_by_task?"),
    (["compare", "{results}", "--with", "kids"], "--with: got 'kids', expected children"),
    (["compare", "{results}", "--animal-ai", "5"], "--animal-ai: got '5'"),
    (["compare", "--run", "gpt-4o"], "--run: got 'gpt-4o', expected one of: arena/pixels"),
    (["compare", "--run", "arena/random", "--testbed", "{few}"], "01-04-03"),
    (["compare", "nowhere.db"], "nowhere.db"),
    (["compare", "/nowhere.csv"], "/nowhere.csv: cannot be read"),
    (["compare", "{results}", "{results}"], "tell them apart with NAME=FILE"),
    (["compare", "{scripts}"], "scripts.txt:1: no column agent"),
    (["baseline", "--agent", "frob", "--out", "x.csv"], "--agent: got 'frob', expected one of: random"),
    (
        ["baseline", "--agent", "random", "--out", "x.csv", "--testbed", "{few}", "--levels", "9"],
        "no tasks of",
    ),
    (["baseline", "--agent", "random", "--out", "/proc/none/x.csv", "--levels", "1"], "cannot be written"),
    (["run", "01-01-99", "--scripts", "/nowhere"], "cannot be read"),
    (["run", "absent.yaml", "--scripts", "{scripts}"], "absent.yaml: cannot be read"),
    (["run", "01-01-99", "--scripts", "{scripts}"], "no task '01-01-99'"),
    (["run", "01-01-01", "--scripts", "{scripts}", "--initial", "some"], "--initial: got 'some'"),
    (["run", "01-01-01", "--scripts", "{broken}"], "broken.txt:2: Line 1"),
    (["run", "{yaml}", "--scripts", "{scripts}"], "task.yaml:3: arenas.0: unknown key 'tt'"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=[words for _, words in BAD])
def test_a_mistake_is_one_sentence(arguments, words, scripts, tmp_path, command, monkeypatch):
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "broken.txt").write_text("Go(3);\nStep(3);\n")
    (tmp_path / "task.yaml").write_text("arenas:\n  0: !Arena\n    tt: 3\n")
    (tmp_path / "results.csv").write_text(RESULTS)
    (tmp_path / "few").mkdir()
    (tmp_path / "few" / "01-01-01.yaml").write_text("arenas: {0: {pass_mark: 1}}")
    places = {
        "few": tmp_path / "few",
        "results": tmp_path / "results.csv",
        "scripts": scripts,
        "broken": tmp_path / "broken.txt",
        "yaml": tmp_path / "task.yaml",
    }
    result = command(*(argument.format(**places) for argument in arguments))
    assert result.returncode == 1
    assert words in result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("arguments", [["eval"], ["frob"]])
def test_wrong_usage_says_so(arguments):
    result = run(*arguments)
    assert result.returncode == 2
    assert "Error" in result.stderr


IMPORTING = """
import runpy, sys

MODULE, LOGS = sys.argv[1:]

class CtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == MODULE:
            raise KeyboardInterrupt

sys.meta_path.insert(0, CtrlC())
sys.argv = ["arena-llm", "eval", "--model", "arena/random", "--levels", "1", "--log-dir", LOGS]
runpy.run_module("arena_llm", run_name="__main__")
"""


@pytest.mark.parametrize("module", ["arena_llm.cli", "evaluation.evaluate"])
def test_ctrl_c_while_packages_are_imported_is_one_sentence(module, tmp_path):
    command = [sys.executable, "-c", IMPORTING, module, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "arena-llm: stopped\n")


def test_ctrl_c_after_the_run_is_one_sentence(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    import report.summary
    from arena_llm.cli import app

    def pressed(*arguments, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(report.summary, "write_report", pressed)
    command = ["eval", "--model", "arena/random", "--tasks", "01-01-01", "--max-scripts", "1"]
    said = CliRunner().invoke(app, [*command, "--image-size", "32", "--log-dir", str(tmp_path)])
    assert (said.exit_code, said.stderr) == (130, "arena-llm: stopped\n")
