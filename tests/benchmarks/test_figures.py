"""What the benchmarks count and print. How fast anything is, no test says."""

import io
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from rich.console import Console

from benchmarks.figures import OURS, Absent, Apart, Figures, ratios, spreads

COMMAND = [sys.executable, "-m", "benchmarks"]


def bench(*arguments, **environment):
    command = [*COMMAND, *map(str, arguments)]
    env = os.environ | environment
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


def printed(figures):
    console = Console(file=io.StringIO(), record=True, width=160)
    for table in figures.tables():
        console.print(table)
    return console.export_text()


@pytest.fixture
def figures():
    """Ours and a peer in three rounds, and another that did less."""
    found = Figures()
    for number, (ours, peer) in enumerate(((10, 10), (30, 10), (40, 20))):
        found.add("frames/s", OURS, "84 x 84", "per second", number, {"scene": ours})
        found.add("frames/s", "peer", "84 x 84", "per second", number, {"scene": peer})
        found.add("frames/s", f"{OURS}, held", "no picture", "per second", number, {"scene": peer})
    return found


def test_ratios_are_taken_round_by_round(figures):
    found = ratios(figures.frame)
    assert found.index.to_list() == [("peer", "84 x 84")]
    assert found.loc[("peer", "84 x 84")].to_list() == [2, 1, 3]


def test_a_section_that_only_ours_did_has_no_ratios(figures):
    figures.rows = [row for row in figures.rows if row[1] not in (OURS, "peer")]
    assert ratios(figures.frame).empty
    assert f"{OURS}, held" in printed(figures)


def test_percentiles_are_over_subjects_and_the_spread_over_rounds():
    figures = Figures()
    for number, values in enumerate(([1, 2, 30], [3, 4, 50], [5, 6, 40])):
        figures.add("tasks", "rays", "one", "steps/s", number, dict(zip("abc", values, strict=True)))
    row = spreads(figures.frame).loc[("rays", "one")]
    assert row[["median", "min", "max"]].to_list() == [4, 2, 6]
    assert row[["subjects", "middle", "10 %", "90 %"]].to_list() == pytest.approx([3, 4, 3.2, 32.8])
    assert "4 (3.2-32.8); 4 [2-6]" in printed(figures)


def test_a_table_has_contenders_in_rows_with_the_ratio_below(figures):
    lines = [line for line in printed(figures).splitlines() if "│" in line]
    assert "30 [10-40]" in lines[0]
    assert OURS in lines[0]
    assert "10 [10-20]" in lines[1]
    assert f"{OURS}: 2.00 x [1.00-3.00]" in lines[2]
    assert [cell.strip() for cell in lines[3].split("│")[1:-1]] == [f"{OURS}, held", "", "10 [10-20]"]


def fail():
    raise ValueError("no more\nand a second line")


def lack():
    import no_such_program  # noqa: F401


def test_a_process_that_fails_is_a_reason():
    with Apart() as process:
        assert process.call(os.getpid) != os.getpid()
        with pytest.raises(Absent, match=r"^ValueError: no more$"):
            process.call(fail)
        with pytest.raises(Absent, match=r"^no_such_program is not installed; pip install it$"):
            process.call(lack, install="pip install it")
        with pytest.raises(Absent, match="ended without an answer, as a broken driver makes it"):
            process.call(os.abort)


def test_a_process_that_hangs_is_given_up_and_ended(monkeypatch):
    monkeypatch.setattr("benchmarks.figures.PATIENCE_S", 0.5)
    began = time.monotonic()
    with Apart() as process:
        process.call(os.getpid)
        with pytest.raises(Absent, match=r"did not answer within 0\.5 s"):
            process.call(time.sleep, 600)
    assert time.monotonic() - began < 300


def test_ctrl_c_ends_all_processes_and_keeps_what_there_is(tmp_path):
    path = tmp_path / "new" / "bench.json"
    command = [*COMMAND, "--only", "peers", "--json", str(path)]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 200
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(2.0)
    started.send_signal(signal.SIGINT)
    # The pipes end only when every process that has them is gone.
    said, complained = started.communicate(timeout=240)
    assert (started.returncode, complained) == (
        130,
        "Stopped early: the tables have what was measured until then.\n",
    )
    assert "seed 0" in said
    stored = json.loads(path.read_text())
    assert stored["facts"]["versions"]["numpy"] == np.__version__
    assert stored["figures"] == []


BAD = [
    (["--testbed", "/nowhere"], 1, "no such folder"),
    (["--json", "/proc/none/b.json"], 1, "/proc/none/b.json: cannot be written"),
    (["--only", "frob"], 2, "'frob' is not one of"),
    (["--seed", "-1"], 2, "Error"),
]


@pytest.mark.parametrize(("arguments", "status", "words"), BAD, ids=[words for *_, words in BAD])
def test_a_mistake_is_said_before_anything_is_measured(arguments, status, words):
    result = bench(*arguments)
    assert result.returncode == status
    assert words in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


@pytest.mark.slow
def test_the_command_measures_everything_quickly(tmp_path):
    path = tmp_path / "bench.json"
    result = bench("--quick", "--json", path)
    assert (result.returncode, result.stderr) == (0, "")
    assert "…" not in result.stdout
    stored = json.loads(path.read_text())["figures"]
    assert {"frames/s", "environment steps over tasks"} <= {e["section"] for e in stored}
    assert all(e["value"] > 0 for e in stored)
