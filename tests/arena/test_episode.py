import subprocess
import sys

import gymnasium
import numpy as np
import pytest

import arena
from arena import ACTIONS, Recording, RecordingError
from arena.recording import packed
from tests.arena.learning import FILE
from tests.arena.worlds import agent, episode, item

MESSY = [
    item("LightBlock", "20 0 12", "20 1.1 12", "22 0 12", sizes="1 1 1;1 1 1;1 1 1"),
    item("GoodGoalMultiBounce", *["-1 0 -1"] * 3, sizes=";".join(["1 1 1"] * 3)),
    item("Ramp", "10 0 20", sizes="4 2 6"),
    item("UBlock", "30 0 10", sizes="2 1 6"),
]


def roll(run, seed=5, steps=150):
    generator = np.random.default_rng(seed)
    for _ in range(steps):
        if run.done:
            break
        run.step(ACTIONS[generator.integers(9)])
    return run


def fingerprint(run):
    return (run.position, run.velocity, run.total_reward, run.scene().positions.tobytes())


def test_the_same_seed_and_actions_give_the_same_bits():
    first, second = (fingerprint(roll(episode(agent(), *MESSY, seed=3))) for _ in range(2))
    assert first == second
    assert fingerprint(roll(episode(agent(), *MESSY, seed=4))) != first


def test_importing_the_arena_prints_nothing():
    result = subprocess.run(
        [sys.executable, "-c", "import arena"], capture_output=True, text=True, check=True
    )
    assert (result.stdout, result.stderr) == ("", "")


def test_actions_pack_and_unpack():
    actions = [ACTIONS[i] for i in (0, 0, 3, 3, 3, 8, 0)]
    assert packed(actions) == ((0, 2), (3, 3), (8, 1), (0, 1))


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": 1}'])
def test_a_broken_recording_is_one_sentence(tmp_path, text):
    path = tmp_path / "episode.json"
    path.write_text(text)
    with pytest.raises(RecordingError, match="not a recording"):
        Recording.read(path)
    with pytest.raises(RecordingError, match="cannot be read"):
        Recording.read(tmp_path / "absent.json")


def test_the_module_form_of_the_id_works():
    gymnasium.make("arena:arena-llm/Arena-v0", config=FILE, observation=("vector",)).close()


def test_an_arena_that_cannot_be_built_is_named():
    full = item("Wall", "20 0 20", sizes="39.99 10 39.99", rotations="0")
    with pytest.raises(arena.LayoutError, match=r"^test: the agent cannot be placed"):
        episode(full)
