"""Ctrl-C and SIGTERM at random moments: every command ends in order, and soon."""

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from arena import Recording
from tests.arena_llm.commands.test_run import AHEAD
from tests.arena_llm.test_interrupts import alive
from tests.command import start

CASES = 60
LONGEST_S = 10.0

CALLS = {
    "help": "eval --help",
    "check": "testbed check {there}",
    "run": "run {there}/ahead.yaml --scripts {there}/scripts.txt --recording {out}/recording.json",
    "show": "show 01-01-01 --out {out}/arena.png",
    "eval": "eval --model arena/pixels --tasks short-form --levels 1-3 --image-size 64 --log-dir {out}",
    "generate": "testbed generate --count 500 --levels 1 --out {out} --jobs 2",
    "dataset": "dataset --agent random --size 100000 --out {out} --jobs 2",
}
ENDLESS = {"generate", "dataset"}
"""Work that no signal comes too late for."""


def obeys(process: int) -> bool:
    """Whether a process has handlers of both signals, which Python cannot set before it has started."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    caught = next((line for line in lines if line.startswith("SigCgt")), "SigCgt: 0")
    wanted = 1 << signal.SIGINT - 1 | 1 << signal.SIGTERM - 1
    return int(caught.split()[1], 16) & wanted == wanted


def interrupted(name: str, number: int, moment: float, folder: Path) -> str:
    """What is wrong with how a command ends after a signal; nothing if nothing is."""
    there, out = folder / "there", folder / "out"
    there.mkdir()
    out.mkdir()
    (there / "ahead.yaml").write_text(AHEAD)
    (there / "scripts.txt").write_text("Go(2);\n" * 30)
    process = start(*CALLS[name].format(there=there, out=out).split())
    while process.poll() is None and not obeys(process.pid):
        time.sleep(0.005)
    time.sleep(moment)
    early = process.poll() is None
    process.send_signal(number)
    began = time.monotonic()
    try:
        said = "".join(process.communicate(timeout=LONGEST_S))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return f"still running {LONGEST_S:g} s later"
    took = time.monotonic() - began
    while (left := alive(process.pid)) and time.monotonic() - began < LONGEST_S:
        time.sleep(0.1)
    # While the interpreter ends, the signal itself ends it; a shell shows that as 128 + number too.
    expected = {128 + number} if early and name in ENDLESS else {0, 128 + number, -number}
    return "; ".join(
        [f"status {process.returncode} after {took:.1f} s: {said[-600:]}"]
        * (process.returncode not in expected or "Traceback" in said)
        + [f"left behind: {left}"] * bool(left)
        + [f"torn: {path}" for path in out.rglob("*") if path.is_file() and is_torn(path)]
    )


def is_torn(path: Path) -> bool:
    """Whether an output is neither complete nor one that the same command continues."""
    if path.name == "recording.json":
        return not Recording.read(path).steps
    if path.suffix == ".json":
        return not json.loads(path.read_text())
    return ".part" in path.suffixes and path.suffix != ".part"


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_a_signal_at_any_moment_ends_a_command_in_order(tmp_path):
    rng, failures = random.Random(17), []
    for case in range(CASES):
        name = list(CALLS)[case % len(CALLS)]
        number, moment = rng.choice([signal.SIGINT, signal.SIGTERM]), rng.random() ** 2 * 8
        folder = tmp_path / str(case)
        folder.mkdir()
        if problem := interrupted(name, number, moment, folder):
            failures.append(f"{name}, {number.name} after {moment:.2f} s: {problem}")
    print(CASES, "signals")
    assert failures == []
