"""Mutated files of every kind are accepted or refused in words, within seconds, by a process that goes on."""

import json
import subprocess
import sys
from collections import Counter

import pytest

CASES = {"tasks": 3000, "protocols": 3000, "studies": 1500, "prompts": 2000, "recordings": 2000, "logs": 300}
BATCH = 500
PROGRAM = [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz.reading"]


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("kind", CASES)
def test_no_mutated_file_ends_in_a_traceback(kind, tmp_path):
    total, failures = Counter(), []
    for seed in range(0, CASES[kind], BATCH):
        count = min(BATCH, CASES[kind] - seed)
        command = [*PROGRAM, kind, str(seed), str(count), str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1500)
        if done.returncode:
            failures.append(f"{sorted(tmp_path.iterdir())}: status {done.returncode}: {done.stderr[-2000:]}")
            continue
        found = json.loads(done.stdout.splitlines()[-1])
        failures += found.pop("failures")
        total["slowest"] = max(total["slowest"], found.pop("slowest"))
        total.update(found)
    print(kind, dict(total))
    assert failures == []
    assert min(total["accepted"], total["refused"]) > 0
