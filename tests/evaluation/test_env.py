"""Suites as Gymnasium environments of texts."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import arena  # noqa: F401  (registers the environments)
from arena.errors import ConfigError
from evaluation.env import BoxingEnv, DiscoveryWorldEnv

SLOW = pytest.param("arena-llm/DiscoveryWorld-v0", marks=pytest.mark.slow)


def played(env, seed, reply_of):
    """What an episode shows, its rewards, and its last info."""
    shown, info = env.reset(seed=seed)
    texts, rewards, over = [shown], [], False
    rng = np.random.default_rng(seed)
    while not over:
        shown, reward, over, _, info = env.step(reply_of(rng, info))
        texts.append(shown)
        rewards.append(reward)
    return texts, rewards, info


@pytest.mark.parametrize("name", ["arena-llm/Boxing-v0", SLOW])
def test_gymnasium_finds_no_fault(name):
    env = gymnasium.make(name)
    check_env(env.unwrapped, skip_render_check=True)
    first, info = env.reset(seed=1)
    assert env.reset(seed=1)[1] == info
    assert env.unwrapped._rules in first
    env.close()


def test_an_agent_acts_by_listed_actions_until_the_end():
    env = DiscoveryWorldEnv(valid_actions=True, steps=12, tasks=["unit"], render_mode="ansi")
    random = lambda rng, info: str(rng.choice(info["valid_actions"]))  # noqa: E731
    texts, rewards, info = played(env, 3, random)
    assert played(DiscoveryWorldEnv(valid_actions=True, steps=12, tasks=["unit"]), 3, random)[0] == texts
    assert len(rewards) == info["steps"] == 12
    assert sum(rewards) == pytest.approx(info["total_reward"])
    assert (info["failed_actions"] < 6, info["unusable_replies"]) == (True, 0)
    assert env.render() == texts[-1]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step("move(east)")


def test_an_episode_without_rewards_is_worth_its_score():
    env = BoxingEnv("test", experiments=1, questions=1)
    _, rewards, info = played(env, 1, lambda rng, info: "")
    assert rewards == [*[0.0] * (len(rewards) - 1), info["score"]]
    assert (info["passed"], "valid_actions" in info) == (False, False)
    assert env.reset(options={"task": "dugongs-prediction-7"})[1]["task_id"] == "dugongs-prediction-7"


@pytest.mark.parametrize(
    ("options", "named"),
    [({"split": "dev"}, "split"), ({"experiments": "many"}, "experiments"), ({"novices": 1}, "novices")],
)
def test_wrong_options_are_named(options, named):
    with pytest.raises(ConfigError, match=named):
        BoxingEnv(**options)


def test_wrong_tasks_and_actions_are_named():
    env = BoxingEnv(experiments=1)
    for options in ({"task": "dugongs-9"}, {"tasks": "x"}):
        with pytest.raises(ConfigError, match="task"):
            env.reset(options=options)
    env.reset()
    with pytest.raises(ConfigError, match="expected a text"):
        env.step("a" * 20_000)
    with pytest.raises(ConfigError, match="choose text"):
        DiscoveryWorldEnv(observation="image")
