"""The README's programs run as they are printed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAMS = re.findall(
    r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)


def test_one_environment_and_many_are_shown():
    assert [re.search(r"gymnasium\.(\w+)\(", program)[1] for program in PROGRAMS] == ["make", "make_vec"]


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_the_program_runs(program, tmp_path):
    task = ROOT / "testbed" / "levels" / "01_food_retrieval" / "01-01-01.yaml"
    (tmp_path / "task.yaml").write_bytes(task.read_bytes())
    (tmp_path / "program.py").write_text(program)
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
