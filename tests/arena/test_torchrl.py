"""TorchRL takes the environment: specs, rollouts, and collectors in processes of their own."""

import gymnasium
import pytest

from arena import ArenaEnv
from tests.arena.learning import FILE

pytest.importorskip("torchrl", reason="TorchRL is missing: pip install 'arena-llm[torchrl]'")

import torch
from torchrl.envs import GymEnv, GymWrapper, check_env_specs

ID = "arena-llm/Arena-v0"
OPTIONS = {"config": FILE, "observation": ("camera", "rays", "vector"), "resolution": 16}


def wrapped(**options):
    return GymWrapper(gymnasium.make(ID, **OPTIONS | options))


@pytest.mark.parametrize("action", ["discrete9", "multidiscrete", "continuous"])
def test_the_specs_are_what_is_observed(action):
    env = wrapped(action=action)
    check_env_specs(env)
    env.close()


def test_it_is_made_by_its_name():
    env = GymEnv(ID, **OPTIONS)
    check_env_specs(env)
    env.close()


def test_a_rollout_has_every_sensor_and_ends_with_the_episode():
    env = wrapped()
    played = env.rollout(50)
    length = len(played)
    assert length in (9, 16)
    assert played["camera"].shape == (length, 16, 16, 3)
    assert played["camera"].dtype == torch.uint8
    assert played["rays"].shape == (length, 70)
    assert played["next", "vector"].shape == (length, 7)
    assert played["next", "terminated"].flatten().tolist() == [False] * (length - 1) + [True]
    assert not played["next", "truncated"].any()
    env.close()


def test_a_rollout_is_what_the_environment_plays_alone():
    env, alone = wrapped(observation=("vector",)), ArenaEnv(FILE, observation="vector")
    env.set_seed(3)
    # It resets once with the seed, and once more to begin.
    played = env.rollout(5)
    alone.reset(seed=3)
    alone.reset()
    for chosen, seen, reward in zip(
        played["action"], played["next", "vector"], played["next", "reward"], strict=True
    ):
        expected, alone_reward, *_ = alone.step(int(chosen.argmax()))
        assert (seen.numpy() == expected).all()
        assert reward.item() == pytest.approx(alone_reward)
    env.close()


@pytest.mark.slow
def test_a_collector_with_two_workers():
    from torchrl.collectors import MultiSyncCollector

    collector = MultiSyncCollector([wrapped, wrapped], policy=None, frames_per_batch=64, total_frames=128)
    batches = [each.clone() for each in collector]
    collector.shutdown()
    assert [each.numel() for each in batches] == [64, 64]
    assert batches[0]["camera"].shape[-3:] == (16, 16, 3)
    assert batches[1]["next", "done"].any()
