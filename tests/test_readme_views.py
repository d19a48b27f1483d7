"""The README's section on views and channels works as it is printed."""

import re
from pathlib import Path

from PIL import Image

from arena.channels import CLASSES

ROOT = Path(__file__).parents[1]


def test_the_example_of_views_and_channels_runs(tmp_path, monkeypatch, capsys):
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("### Views and channels")[1]
    program = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert program is not None
    task = ROOT / "testbed" / "levels" / "01_food_retrieval" / "01-01-01.yaml"
    (tmp_path / "task.yaml").write_bytes(task.read_bytes())
    monkeypatch.chdir(tmp_path)
    exec(program[1], {})
    for name in ("behind", "bird", "plan"):
        assert Image.open(tmp_path / f"{name}.png").size == (512, 512)
    metres, ahead, name, instance = re.split(r" (m ahead:) (\S+) ", capsys.readouterr().out)
    assert 0 < float(metres) < 60
    assert ahead == "m ahead:"
    assert name in CLASSES
    assert int(instance) >= -5
