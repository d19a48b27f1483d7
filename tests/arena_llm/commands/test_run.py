"""`arena-llm run` as a user meets it."""

import json

import pytest

from render import decode
from tests.arena.worlds import agent, arena_text, item


@pytest.fixture
def scripts(tmp_path):
    path = tmp_path / "scripts.txt"
    path.write_text("Think('ahead'); Go(9);\n\nTurn(-30); Turn(30);\nGo(30);\n")
    return path


THINGS = (agent("18 0 6"), item("GoodGoal", "18 0 24", sizes="1 1 1"))
AHEAD = arena_text(*THINGS)


def test_scripts_are_played_and_printed_line_by_line(scripts, tmp_path, command):
    (tmp_path / "ahead.yaml").write_text(AHEAD)
    frames = tmp_path / "frames"
    result = command("run", tmp_path / "ahead.yaml", "--scripts", scripts, "--frames", frames).succeeded()
    turns = [json.loads(line) for line in result.splitlines()]
    assert [turn["turn"] for turn in turns] == [1, 2, 3]
    assert [turn["steps"] for turn in turns[:2]] == [9, 10]
    assert (turns[-1]["done"], turns[-1]["outcome"]) == (True, "goal")
    drawn = {f"obs-{turn['turn']}.{turn['steps']}.png" for turn in turns}
    assert {path.name for path in frames.iterdir()} == drawn | {f"obs-0.{k}.png" for k in range(3)}
    assert decode((frames / "obs-1.9.png").read_bytes()).shape == (512, 512, 3)


def test_a_lenient_run_ignores_unknown_objects_with_a_warning(scripts, tmp_path, command):
    task, recording = tmp_path / "spoon.yaml", tmp_path / "episode.json"
    task.write_text(arena_text(*THINGS, item("Spoon")))
    refused = command("run", task, "--scripts", scripts)
    assert (refused.returncode, "unknown object 'Spoon'" in refused.stderr) == (1, True)
    played = command("run", task, "--scripts", scripts, "--lenient", "--recording", recording)
    assert played.stderr == f"warning: {task}:1: arenas.0.items[2].name: unknown object 'Spoon', ignored\n"
    assert command("replay", recording, "--task", task).returncode == played.returncode == 0


def test_without_initial_steps_the_first_script_starts_the_clock(scripts, command):
    lines = command("run", "01-01-01", "--scripts", scripts, "--initial", "none").stdout.splitlines()
    assert json.loads(lines[0])["health"] == pytest.approx(100 - 9 * 0.24, abs=0.01)


def test_the_same_seed_prints_the_same_lines(scripts, command):
    outputs = {command("run", "01-04-01", "--scripts", scripts, "--seed", 3).stdout for _ in range(2)}
    assert len(outputs) == 1
