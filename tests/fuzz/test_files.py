"""Mutated files and wrong calls are accepted or refused in words, within seconds.

A process that reads files goes on; commands end with status 0, 1 or 2.
"""

import json
import subprocess
import sys
from collections import Counter

import pytest

CASES = {"tasks": 3000, "protocols": 3000, "studies": 1500, "prompts": 2000, "recordings": 2000, "logs": 300}
CALLS = "calls"
BATCHES = {**dict.fromkeys(CASES, 500), CALLS: 100}
PROGRAM = [sys.executable, "-X", "faulthandler", "-m"]


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("kind", BATCHES)
def test_no_mutated_file_and_no_wrong_call_ends_in_a_traceback(kind, tmp_path):
    total, failures, cases = Counter(), [], CASES.get(kind, 400)
    program = ["tests.fuzz.calling"] if kind == CALLS else ["tests.fuzz.reading", kind]
    for seed in range(0, cases, BATCHES[kind]):
        folder, count = tmp_path / str(seed), min(BATCHES[kind], cases - seed)
        folder.mkdir()
        command = [*PROGRAM, *program, str(seed), str(count), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1500)
        if done.returncode:
            failures.append(f"{sorted(folder.iterdir())}: status {done.returncode}: {done.stderr[-2000:]}")
            continue
        found = json.loads(done.stdout.splitlines()[-1])
        failures += found.pop("failures")
        total["slowest"] = max(total["slowest"], found.pop("slowest"))
        total.update(found)
    print(kind, dict(total))
    assert failures == []
    assert kind == CALLS or min(total["accepted"], total["refused"]) > 0
