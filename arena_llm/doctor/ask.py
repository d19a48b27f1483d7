"""Runs a probe in a process of its own, which may crash or hang."""

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

TIMEOUT_S = 120.0
"""A probe takes two seconds; one that takes this long hangs."""


def ask(probe: str) -> dict[str, Any]:
    """Findings of the probe `drawing` or `physics`; `fault` says what is wrong, "" if nothing is."""
    return answer([sys.executable, "-m", "arena_llm.doctor.probe", probe])


def answer(command: Sequence[str], timeout_s: float = TIMEOUT_S) -> dict[str, Any]:
    """The last line that a command prints, as JSON; a crash or a timeout is its `fault`."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, errors="replace")
    except subprocess.TimeoutExpired:
        return {"fault": f"no answer within {timeout_s:g} s"}
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
