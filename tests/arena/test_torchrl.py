"""TorchRL takes the environment: specs, rollouts, and collectors in processes of their own."""

from importlib.util import find_spec

import gymnasium
import pytest

from arena import ArenaEnv, load_text
from arena.gym.parallel_env import ArenaParallelEnv
from arena.gym.vector_env import ArenaVectorEnv
from tests.arena.learning import FILE

# It is looked for, not imported: that takes 6 s, in every process that collects tests.
pytestmark = pytest.mark.skipif(
    find_spec("torchrl") is None, reason="TorchRL is missing: pip install 'arena-llm[torchrl]'"
)

ID = "arena-llm/Arena-v0"
OPTIONS = {"config": FILE, "observation": ("camera", "rays", "vector"), "resolution": 16}


def wrapped(**options):
    from torchrl.envs import GymWrapper

    return GymWrapper(gymnasium.make(ID, **OPTIONS | options))


@pytest.mark.parametrize("action", ["discrete9", "multidiscrete", "continuous"])
def test_the_specs_are_what_is_observed_also_if_it_is_made_by_its_name(action):
    from torchrl.envs import GymEnv, check_env_specs

    for env in (wrapped(action=action), GymEnv(ID, **OPTIONS, action=action)):
        check_env_specs(env)
        env.close()


def test_a_rollout_has_every_sensor_and_ends_with_the_episode():
    import torch

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


def test_several_environments_in_processes_of_gymnasiums_own():
    import torch
    from torchrl.envs import GymEnv

    env = GymEnv(ID, num_envs=2, config=FILE, observation="vector")
    # Random actions pass now and then.
    torch.manual_seed(env.set_seed(3))
    played = env.rollout(40, break_when_any_done=False)
    env.close()
    assert played.batch_size == (2, 40)
    assert played["next", "terminated"].sum() >= 2
    assert not played["next", "passed"].any()


@pytest.mark.parametrize("mode", ["SAME_STEP", "DISABLED"])
def test_our_vector_environment_plays_on_after_an_end(mode):
    import torch
    from torchrl.envs import GymWrapper

    options = {"config": FILE, "observation": ("rays", "vector")}
    env = GymWrapper(ArenaVectorEnv(3, autoreset_mode=mode, **options))
    # No ball is eaten, so that health is gone at the end.
    torch.manual_seed(env.set_seed(1))
    first = env.rollout(40, break_when_any_done=False)
    later = env.rollout(5, break_when_any_done=False)
    env.close()
    assert first["next", "terminated"].sum() >= 6
    for batch in (first, later):
        # What is observed after a step is what the next begins with, but for a reset.
        seen, after = batch["vector"][:, 1:], batch["next", "vector"][:, :-1]
        begun = batch["next", "done"][:, :-1, 0]
        assert (seen == after)[~begun].all()
        assert (seen[begun][:, 0] == 100).all()
    assert (first["next", "vector"][first["next", "terminated"].squeeze(-1)][:, 0] == 0).all()


@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested")
@pytest.mark.parametrize("end", ["any", "all"])
def test_several_agents_play_on_after_an_end(end):
    from torchrl.envs import PettingZooWrapper

    agents = "{name: Agent, positions: [{x: 10, z: 17}]}, {name: Agent, positions: [{x: 30, z: 17}]}"
    goal = "{name: GoodGoal, positions: [{x: 10, z: 20}], sizes: [{x: 1, y: 1, z: 1}]}"
    file = load_text(f"arenas: {{0: {{t: 9, episodeEnd: {end}, items: [{agents}, {goal}]}}}}", version="4")
    env = PettingZooWrapper(ArenaParallelEnv(file, observation="vector", max_episode_steps=12), use_mask=True)
    played = env.rollout(40, break_when_any_done=False)
    env.close()
    assert played["agent", "observation"].shape == (40, 2, 7)
    assert played["next", "done"].sum() >= 3
    assert played["next", "agent", "info", "events"].shape == (40, 2, 12)


@pytest.mark.slow
def test_a_collector_with_two_workers():
    from torchrl.collectors import MultiSyncCollector

    collector = MultiSyncCollector([wrapped, wrapped], policy=None, frames_per_batch=64, total_frames=128)
    batches = [each.clone() for each in collector]
    collector.shutdown()
    assert [each.numel() for each in batches] == [64, 64]
    assert batches[0]["camera"].shape[-3:] == (16, 16, 3)
    assert batches[1]["next", "done"].any()
