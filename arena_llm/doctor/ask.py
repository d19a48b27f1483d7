"""Runs a probe in a process of its own and takes whatever comes of it."""

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

PATIENCE_S = 120.0
"""A probe takes two seconds; one that takes this long hangs."""


def ask(probe: str) -> dict[str, Any]:
    """What the probe `drawing` or `physics` found; `fault` says what is wrong, "" where nothing is."""
    return answer([sys.executable, "-m", "arena_llm.doctor.probe", probe])


def answer(command: Sequence[str], patience_s: float = PATIENCE_S) -> dict[str, Any]:
    """The last line that a command prints, as JSON; a crash or a hang is the `fault`."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=patience_s, errors="replace")
    except subprocess.TimeoutExpired:
        return {"fault": f"no answer within {patience_s:g} s"}
    except OSError as error:
        return {"fault": f"Python could not be started ({error.strerror or error})"}
    if ran.returncode < 0:
        return {"fault": f"the process was ended by {_signal_name(-ran.returncode)}"}
    try:
        found: dict[str, Any] = json.loads(ran.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        last = (ran.stderr.strip().splitlines() or [f"exit status {ran.returncode}"])[-1]
        return {"fault": last}
    return found


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
