"""The examples run as their texts say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CLEANRL = ROOT / "examples" / "cleanrl_style_ppo.py"
LINE = r"steps (\d+) reward (\S+) passed (\S+) steps/s \d+"


def run(*words, folder):
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(CLEANRL), *words], cwd=folder, env=env, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [match.groups() for match in re.finditer(LINE, done.stdout)]


def test_the_single_file_ppo_trains_and_saves(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    words = [
        "--total-steps",
        "96",
        "--num-envs",
        "3",
        "--num-steps",
        "16",
        "--workers",
        "1",
        "--save",
        "agent.pt",
    ]
    lines = run(*words, folder=tmp_path)
    assert [int(steps) for steps, *_ in lines] == [48, 96]
    assert (tmp_path / "agent.pt").stat().st_size > 10_000


@pytest.mark.slow
def test_it_learns_from_pictures_and_the_same_seed_gives_the_same_lines(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    words = ["--total-steps", "1024", "--num-envs", "4", "--num-steps", "64", "--observation", "camera"]
    one, other = (run(*words, folder=tmp_path) for _ in range(2))
    assert one == other
    assert len(one) == 4
