"""stable-baselines3 learns in the arena: alone, in its own processes, and in ours."""

import gymnasium
import numpy as np
import pytest

from arena import ArenaEnv, ConfigError
from testbed.curriculum import Generated
from tests.arena.learning import FILE, same

sb3 = pytest.importorskip(
    "stable_baselines3", reason="stable-baselines3 is missing: pip install 'arena-llm[rl]'"
)
vec_env = pytest.importorskip("stable_baselines3.common.vec_env")

from stable_baselines3.common.evaluation import evaluate_policy  # noqa: E402

from arena.gym.sb3 import ArenaVecEnv  # noqa: E402

OPTIONS = {"config": FILE, "observation": ("rays", "vector")}
QUICK = {"n_steps": 32, "batch_size": 64, "n_epochs": 1, "device": "cpu", "seed": 1}


def maker():
    return gymnasium.make("arena-llm/Arena-v0", **OPTIONS)


@pytest.fixture
def make():
    """Makes vector environments that are closed after the test."""
    made = []

    def new(num_envs=2, **options):
        made.append(ArenaVecEnv(num_envs, **OPTIONS | options))
        return made[-1]

    yield new
    for env in made:
        env.close()


def rollout(envs, count=40):
    """Everything that a vector environment of stable-baselines3 returns."""
    envs.seed(4)
    steps = [(envs.reset(), envs.reset_infos)]
    for actions in np.random.default_rng(0).integers(9, size=(count, envs.num_envs)):
        step = envs.step(actions)
        # Theirs has the key at every step, ours where it is asked for.
        infos = [
            {key: value for key, value in info.items() if key != "TimeLimit.truncated" or ended}
            for info, ended in zip(step[3], step[2], strict=True)
        ]
        steps.append((*step[:3], infos, list(envs.reset_infos)))
    return steps


@pytest.mark.parametrize("most", [None, 6])
def test_it_returns_what_their_own_returns(make, most):
    options = OPTIONS | {"max_episode_steps": most}
    theirs = vec_env.DummyVecEnv([lambda: ArenaEnv(**options)] * 3)
    ours = make(3, **options)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    one, other = rollout(ours), rollout(theirs)
    assert sum(step[2].sum() for step in one[1:]) >= 6
    cuts = [info.get("TimeLimit.truncated") for step in one[1:] for info in step[3]]
    assert (True in cuts) == (most == 6)
    assert same(one, other)


def test_seeds_are_for_one_reset_only(make):
    envs = make(1)
    envs.seed(1)
    one, other = envs.reset(), envs.reset()
    assert not np.array_equal(one["rays"], other["rays"])
    envs.seed(1)
    assert np.array_equal(envs.reset()["rays"], one["rays"])


def test_attributes_and_methods_reach_the_environments(make):
    envs = make(3, render_mode="rgb_array", render_resolution=16)
    envs.reset()
    assert envs.get_attr("render_mode") == ["rgb_array"] * 3
    envs.set_attr("mark", 1)
    envs.set_attr("mark", 5, indices=[1])
    assert envs.get_attr("mark") == [1, 5, 1]
    assert envs.get_attr("mark", indices=1) == [5]
    assert not envs.has_attr("nothing_like_it")
    assert [each.shape for each in envs.env_method("render")] == [(16, 16, 3)] * 3
    assert envs.render().shape == (32, 32, 3)
    assert envs.env_is_wrapped(gymnasium.Wrapper, [0, 2]) == [False, False]


def test_what_cannot_be_is_refused(make):
    with pytest.raises(ConfigError, match="autoreset_mode: not an option here"):
        make(autoreset_mode="DISABLED")
    envs = make()
    with pytest.raises(ConfigError, match="all environments are called"):
        envs.env_method("render", indices=[0])
    envs.set_options([{"task": "0"}, {"task": "7"}])
    with pytest.raises(ConfigError, match=r"set_options: got .*, expected the same for all"):
        envs.reset()
    with pytest.raises(ConfigError, match="or use set_curriculum"):
        envs.set_attr("curriculum", Generated("1"), indices=[0])


def test_all_play_a_named_task_and_then_another_curriculum(make):
    envs = make(2, task_info=True)
    envs.set_options({"task": "7"})
    envs.seed(5)
    envs.reset()
    assert [info["arena"] for info in envs.reset_infos] == ["7", "7"]
    envs.env_method("set_curriculum", Generated("2"))
    envs.reset()
    tasks = [info["arena"] for info in envs.reset_infos]
    assert {task[:2] for task in tasks} == {"02"}
    assert tasks[0] != tasks[1]
    envs.set_curriculum(FILE)
    envs.reset()
    assert [info["arena"] for info in envs.reset_infos] == ["0", "0"]


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("observation", "policy"),
    [("rays", "MlpPolicy"), (("rays", "vector"), "MultiInputPolicy"), ("camera", "CnnPolicy")],
    ids=str,
)
def test_it_learns_from_every_kind_of_observation(make, observation, policy):
    model = sb3.PPO(policy, vec_env.VecMonitor(make(2, observation=observation, resolution=36)), **QUICK)
    before = [each.clone() for each in model.policy.parameters()]
    model.learn(128)
    assert model.num_timesteps == 128
    assert any((one != other).any() for one, other in zip(before, model.policy.parameters(), strict=True))
    assert model.ep_info_buffer[0]["l"] in (9, 16)
    assert len(model.ep_success_buffer) == len(model.ep_info_buffer)


def test_one_environment_learns_without_an_adapter():
    assert sb3.PPO("MultiInputPolicy", maker(), **QUICK).learn(64).num_timesteps == 64


def test_a_policy_is_evaluated(make):
    envs = vec_env.VecMonitor(make(2, config=Generated("1"), observation="vector", max_episode_steps=5))
    rewards, lengths = evaluate_policy(
        sb3.PPO("MlpPolicy", envs, **QUICK), envs, n_eval_episodes=3, return_episode_rewards=True
    )
    assert lengths == [5, 5, 5]
    assert len(rewards) == 3


@pytest.mark.slow
def test_it_learns_in_their_processes():
    envs = vec_env.SubprocVecEnv([maker, maker])
    assert sb3.PPO("MultiInputPolicy", envs, **QUICK).learn(256).num_timesteps == 256
    envs.close()
