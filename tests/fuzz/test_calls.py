"""Wrong calls of all commands end with status 0, 1 or 2, in words, and within seconds."""

import json
import subprocess
import sys

import pytest

CASES, BATCH = 400, 100


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_no_wrong_call_ends_in_a_traceback(tmp_path):
    failures = []
    for seed in range(CASES // BATCH):
        folder = tmp_path / str(seed)
        folder.mkdir()
        command = [sys.executable, "-m", "tests.fuzz.calling", str(seed), str(BATCH), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout.splitlines()[-1])
        failures += found.pop("failures")
        print(found)
    assert failures == []
