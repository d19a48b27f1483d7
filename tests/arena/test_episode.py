import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import arena
from arena import ACTIONS, Episode, Recording, RecordingError, load_text
from arena.gym.env import OUTCOMES
from arena.recording import packed
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


def test_the_bits_are_the_same_in_another_process():
    program = (
        "from tests.arena.test_episode import *\n"
        "print(repr(fingerprint(roll(episode(agent(), *MESSY, seed=3)))))"
    )
    outputs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].strip() == repr(fingerprint(roll(episode(agent(), *MESSY, seed=3))))


def test_importing_the_arena_prints_nothing():
    result = subprocess.run(
        [sys.executable, "-c", "import arena"], capture_output=True, text=True, check=True
    )
    assert (result.stdout, result.stderr) == ("", "")


def test_a_recording_replays_to_the_same_end(tmp_path):
    run = roll(episode(agent(), *MESSY, seed=3))
    path = tmp_path / "episode.json"
    path.write_text(run.recording().model_dump_json())
    kept = Recording.read(path)
    again = Episode(run.spec, task_id=kept.task_id, seed=kept.seed, trial=kept.trial)
    for action in kept.unpacked():
        again.step(action)
    assert again.recording() == kept
    assert fingerprint(again) == fingerprint(run)


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


TWO_ARENAS = load_text(
    "arenas: {0: {t: 5, pass_mark: 0, items: [{name: Agent, positions: [{x: 10, z: 10}]}]},"
    " 7: {t: 9, pass_mark: 0, items: [{name: Agent, positions: [{x: 30, z: 30}]}]}}"
)


def test_the_environment_passes_the_checker():
    env = gymnasium.make("arena-llm/Arena-v0", config=TWO_ARENAS, observation=("vector",))
    check_env(env.unwrapped, skip_render_check=True)


def test_the_module_form_of_the_id_works():
    gymnasium.make("arena:arena-llm/Arena-v0", config=TWO_ARENAS, observation=("vector",)).close()


def test_the_ith_reset_gives_the_ith_arena():
    env = gymnasium.make("arena-llm/Arena-v0", config=TWO_ARENAS, observation=("vector",), task_info=True)
    ids = [env.reset(seed=1)[1]["arena"]] + [env.reset()[1]["arena"] for _ in range(3)]
    assert ids == ["0", "7", "0", "7"]
    assert env.reset(seed=1)[1]["arena"] == "0"


def test_an_environment_runs_to_its_end_and_says_why():
    env = gymnasium.make("arena-llm/Arena-v0", config=TWO_ARENAS, observation=("vector",))
    env.reset(seed=1)
    ended = False
    while not ended:
        _, _, ended, truncated, info = env.step(0)
        assert not truncated
    assert (OUTCOMES[info["outcome"]], info["passed"]) == ("health gone", False)


def test_observations_share_no_memory():
    env = gymnasium.make("arena-llm/Arena-v0", config=TWO_ARENAS, observation=("vector",))
    first, _ = env.reset(seed=1)
    kept = {key: value.copy() for key, value in first.items()}
    env.step(3)
    assert all((first[key] == kept[key]).all() for key in first)


def test_a_wrong_option_is_refused():
    with pytest.raises(arena.ConfigError, match="render_mode"):
        gymnasium.make("arena-llm/Arena-v0", config=TWO_ARENAS, render_mode="ansi")


def test_an_arena_that_cannot_be_built_is_named():
    full = item("Wall", "20 0 20", sizes="39.99 10 39.99", rotations="0")
    with pytest.raises(arena.LayoutError, match=r"^test: the agent cannot be placed"):
        episode(full)
