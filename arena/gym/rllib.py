"""The environment for RLlib: its name there, and a PPO that learns on the processes of a Ray cluster."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium

from arena.errors import ConfigError
from arena.taskfile.load import load
from arena.taskfile.versions import Version

NAME = "arena-llm/Arena-v0"
"""What RLlib calls the environment once `register` was called; the same as Gymnasium."""

WITHOUT_PICTURES: Mapping[str, Any] = {"observation": ("rays", "vector")}
"""Options of the environment that `ppo` takes where it is given none."""


def register() -> str:
    """Make the environment known to RLlib, on every machine of the cluster, and return its name.

    Raises ConfigError where Ray's RLlib is not installed.
    """
    _rllib()
    from ray.tune import register_env

    register_env(NAME, arena_env)
    return NAME


def arena_env(options: Mapping[str, Any]) -> gymnasium.Env[Any, Any]:
    """The environment of an `env_config`: the options of `gymnasium.make`, `config` among them.

    Observations of several parts are laid end to end in one float32 vector, which RLlib's standard networks
    take; one that is a single array already, as one picture is, stays as it is.
    """
    import arena  # registers the environment

    env = gymnasium.make(NAME, **options)
    assert arena is not None
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

    `config` is what the environment takes: task files, which are read here and sent, so that other machines
    need not have them, or a curriculum; `version` is that of Animal-AI, as for the environment. `env_runners`
    are processes anywhere in the cluster, each with `envs_per_runner` environments. One that dies is started
    again, and the iteration goes on with the others meanwhile. `options` are the environment's,
    `WITHOUT_PICTURES` where left out. What learns is the choice of the caller: the result is RLlib's own
    object, and `.training(...)` changes it.

    Raises ConfigError where RLlib is not installed, and for a broken task file.
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
    """A task file, or each of several, as its content in the place of its path; anything else as it is.

    `version` is that of Animal-AI.
    """
    if isinstance(config, str | Path):
        return load(config, version)
    if isinstance(config, Sequence):
        return [sent(each, version) for each in config]
    return config


def _rllib() -> Any:
    try:
        from ray.rllib import algorithms
        from ray.rllib.algorithms import ppo  # noqa: F401  (makes `algorithms.ppo` known)
    except ImportError as error:
        raise ConfigError(f"RLlib is not installed ({error}): pip install 'arena-llm[rllib]'") from None
    return algorithms
