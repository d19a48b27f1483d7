import contextlib
import os
import signal
import time
from importlib.util import find_spec

import numpy as np
import pytest

from arena import load
from arena.errors import ArenaError
from tests.arena.learning import SHORT

# They are looked for, not imported: that takes 9 s, in every process that collects tests.
pytestmark = pytest.mark.skipif(
    None in map(find_spec, ("ray", "torch", "psutil")),
    reason="Ray, PyTorch or psutil is not installed: pip install 'arena-llm[rllib]' psutil",
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "arena.yaml"
    path.write_text(SHORT)
    return path


@pytest.mark.e2e
def test_what_is_sent_is_the_file_and_not_its_path(file):
    from arena.gym.rllib import ppo

    given = ppo(file, env_runners=0).env_config["config"]
    assert given == load(file)
    file.unlink()
    with pytest.raises(ArenaError, match=r"arena\.yaml"):
        ppo(file)


def test_a_version_is_for_files_and_for_what_is_read_already(file):
    from arena.gym.rllib import arena_env, ppo

    given = ppo(file, env_runners=0, version="4").env_config
    assert given["config"] == load(file, "4")
    arena_env(given).reset(seed=1)
    with pytest.raises(ArenaError, match=r"was read as version .3\.1\.3., the environment has version='4'"):
        arena_env(ppo(load(file), env_runners=0, version="4").env_config).reset(seed=1)


def test_parts_of_an_observation_are_laid_end_to_end(file):
    from arena.gym.rllib import WITHOUT_PICTURES, arena_env

    with arena_env({"config": load(file), **WITHOUT_PICTURES}) as env:
        observation, _ = env.reset(seed=1)
        assert observation.shape == env.observation_space.shape == (14 * 5 + 7,)
        assert observation in env.observation_space


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("ignore")
def test_training_goes_on_without_an_env_runner_that_was_killed(file):
    import ray

    from arena.gym.rllib import ppo

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(
        "local",
        num_cpus=3,
        num_gpus=0,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="error",
        object_store_memory=100 * 2**20,
        _node_ip_address="127.0.0.1",
    )
    config = ppo(file, env_runners=2).training(
        train_batch_size_per_learner=60, minibatch_size=30, num_epochs=1
    )
    algorithm = config.build_algo()
    try:
        first = algorithm.train()["env_runners"]
        assert first["num_env_steps_sampled_lifetime"] >= 60
        lost = runners()[0].pid
        os.kill(lost, signal.SIGKILL)
        after, last = (algorithm.train()["env_runners"] for _ in range(2))
        counts = [each["num_env_steps_sampled_lifetime"] for each in (first, after, last)]
        assert counts == sorted(set(counts))
        deadline = time.monotonic() + 200
        healthy = algorithm.env_runner_group.num_healthy_remote_workers
        # The mean is NaN after an iteration in which no episode ended.
        while healthy() < 2 or len(runners()) < 2 or np.isnan(last["episode_return_mean"]):
            assert time.monotonic() < deadline
            last = algorithm.train()["env_runners"]
        assert lost not in {each.pid for each in runners()}
        assert last["episode_return_mean"] < 0
    finally:
        algorithm.stop()
        ray.shutdown()


def runners():
    import psutil

    below = psutil.Process().children(recursive=True)
    with contextlib.suppress(psutil.Error):
        return [each for each in below if "EnvRunner" in " ".join(each.cmdline())]
    return []
