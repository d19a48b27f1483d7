"""`arena-llm baseline` as a user meets it."""

import csv
import shutil
import signal
import time

import pytest

from testbed import task_named
from tests.command import run, start


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
    command = ("baseline", "--agent", "random", "--levels", 1, "--trials", 50)
    started = start(*command, "--out", out, "--jobs", jobs)
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
