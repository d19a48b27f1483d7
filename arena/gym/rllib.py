"""The environment for RLlib, and a PPO configuration whose environments run on a Ray cluster."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium

from arena.errors import ConfigError
from arena.gym.curriculum import read_file
from arena.taskfile.versions import Version

NAME = "arena-llm/Arena-v0"
"""Name of the environment in RLlib after `register`; the same as in Gymnasium."""

WITHOUT_PICTURES: Mapping[str, Any] = {"observation": ("rays", "vector")}
"""Default options of the environment in `ppo`."""


def register() -> str:
    """Register the environment with RLlib on every machine of the cluster; return its name.

    Raises ConfigError if Ray's RLlib is not installed.
    """
    _rllib()
    from ray.tune import register_env

    register_env(NAME, arena_env)
    return NAME


def arena_env(options: Mapping[str, Any]) -> gymnasium.Env[Any, Any]:
    """The environment of an `env_config`, which holds the options of `gymnasium.make`, `config` included.

    A dictionary of observations is flattened into one float32 vector for RLlib's standard networks; a single
    array, such as one picture, is not changed.
    """
    env = gymnasium.make(NAME, **options)
    if isinstance(env.observation_space, gymnasium.spaces.Dict):
        return gymnasium.wrappers.FlattenObservation(env)
    return env


def ppo(
    config: Any,
    *,
    env_runners: int = 2,
    envs_per_runner: int = 1,
    version: str | None = None,
    **options: Any,
) -> Any:
    """RLlib's `PPOConfig` for an arena; `.build_algo().train()` is one iteration.

    `config` is that of the environment: task files, which are read here and sent, so that other machines do
    not need them, or a curriculum; `version` is the version of Animal-AI. `env_runners` is the number of
    processes, anywhere in the cluster, each with `envs_per_runner` environments. One that dies is restarted
    while the iteration continues with the others. `options` are those of the environment, by default
    `WITHOUT_PICTURES`. The result is RLlib's own object; change the training with `.training(...)`.

    Raises ConfigError if RLlib is not installed, or for an invalid task file.
    """
    algorithms = _rllib()
    chosen = {"config": sent(config, version or Version.V3), "version": version}
    return (
        algorithms.ppo.PPOConfig()
        .environment(register(), env_config=chosen | dict(options or WITHOUT_PICTURES))
        .env_runners(num_env_runners=env_runners, num_envs_per_env_runner=envs_per_runner)
        .fault_tolerance(restart_failed_env_runners=True, delay_between_env_runner_restarts_s=1.0)
        .training(gamma=0.995)
    )


def sent(config: Any, version: str) -> Any:
    """`config` with the paths of task files replaced by their contents, read as `version` of Animal-AI."""
    if isinstance(config, str | Path):
        return read_file(config, version)
    if isinstance(config, Sequence):
        return [sent(each, version) for each in config]
    return config


def _rllib() -> Any:
    try:
        from ray.rllib import algorithms
        from ray.rllib.algorithms import ppo  # noqa: F401  (loads `algorithms.ppo`)
    except ImportError as error:
        raise ConfigError(f"RLlib is not installed ({error}): pip install 'arena-llm[rllib]'") from None
    return algorithms
