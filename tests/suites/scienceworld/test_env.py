"""The Gymnasium environment of texts."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import arena  # noqa: F401  (registers the environments)
from arena.errors import ConfigError
from suites.scienceworld.env import ScienceWorldEnv
from tests.suites.setups import needs_java

pytestmark = [needs_java, pytest.mark.e2e]

ID = "arena-llm/ScienceWorld-v0"


def test_an_agent_can_choose_among_valid_actions_until_the_end():
    env = gymnasium.make(ID, task="4-2", valid_actions=True, max_steps=40)
    check_env(env.unwrapped, skip_render_check=True)
    rng, (_, info) = np.random.default_rng(1), env.reset(seed=3, options={"task": "4-2-0121"})
    assert (info["task_id"], info["score"], info["is_success"]) == ("4-2-0121", 0, False)
    total, ended = 0.0, False
    while not ended:
        observation, reward, terminated, truncated, info = env.step(str(rng.choice(info["valid_actions"])))
        total, ended = total + reward, terminated or truncated
    assert total == pytest.approx(info["score"])
    assert observation in env.observation_space
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step("wait1")
    assert "valid_actions" not in gymnasium.make(ID, task="4-2").reset(seed=3)[1]
    env.close()


def test_the_seed_gives_the_variations():
    env = ScienceWorldEnv(split="dev")
    first = [env.reset(seed=5)[1]["task_id"], *(env.reset()[1]["task_id"] for _ in range(3))]
    assert [env.reset(seed=5)[1]["task_id"], *(env.reset()[1]["task_id"] for _ in range(3))] == first
    assert len(set(first)) == 4
    assert env.render() is None
    env.close()


def test_processes_play_at_the_same_time():
    apart = {"vectorization_mode": "async", "vector_kwargs": {"shared_memory": False}}
    envs = gymnasium.make_vec(ID, 2, **apart, task="7-1", valid_actions=True)
    _, infos = envs.reset(seed=1)
    actions = [valid[0] for valid in infos["valid_actions"]]
    observations, rewards, *_ = envs.step(actions)
    assert rewards.shape == (2,)
    assert all(observations["observation"])
    envs.close()


def test_wrong_resets_and_actions_are_said():
    env = ScienceWorldEnv("4-2")
    for options in ({"task": "4-2-9999"}, {"seed": 1}):
        with pytest.raises(ConfigError, match="expected"):
            env.reset(options=options)
    env.reset(seed=1)
    for action in ("x" * 201, "ö", 3):
        with pytest.raises(ConfigError, match="expected a text of at most 200"):
            env.step(action)
    env.close()
