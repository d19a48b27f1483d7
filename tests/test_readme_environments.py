"""The README's programs with environments run as they are printed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("heading", ["## The arena in Python", "### Many arenas at once"])
def test_the_program_runs(heading, tmp_path):
    section = (ROOT / "README.md").read_text(encoding="utf-8").split(f"\n{heading}\n")[1]
    program = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert program is not None
    task = ROOT / "testbed" / "levels" / "01_food_retrieval" / "01-01-01.yaml"
    (tmp_path / "task.yaml").write_bytes(task.read_bytes())
    (tmp_path / "program.py").write_text(program[1])
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
