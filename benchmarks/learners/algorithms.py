"""The algorithms of the table and what they learn with."""

from typing import Any

from sb3_contrib import RecurrentPPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

ENVIRONMENT: dict[str, Any] = {
    "observation": "rays",
    "rays_per_side": 10,
    "frame_stack": 2,
    "action_repeat": 3,
}
"""21 rays over 120 degrees, now and at the previous action; an action is three steps of 0.06 s."""

ENVIRONMENTS = 16
"""Arenas that are played at once."""

_ON_POLICY: dict[str, Any] = {"n_steps": 64, "ent_coef": 0.01}

ALGORITHMS: dict[str, tuple[type[BaseAlgorithm], str, dict[str, Any]]] = {
    "PPO": (
        PPO,
        "MlpPolicy",
        _ON_POLICY
        | {
            "n_epochs": 8,
            "batch_size": 256,
            "learning_rate": 5e-4,
            "policy_kwargs": {"net_arch": [128, 128]},
        },
    ),
    "recurrent PPO": (
        RecurrentPPO,
        "MlpLstmPolicy",
        _ON_POLICY
        | {
            "n_epochs": 4,
            "batch_size": 256,
            "learning_rate": 1e-3,
            "policy_kwargs": {
                "net_arch": [128],
                "lstm_hidden_size": 64,
                "shared_lstm": True,
                "enable_critic_lstm": False,
            },
        },
    ),
    "DQN": (
        DQN,
        "MlpPolicy",
        {
            "train_freq": 4,
            "gradient_steps": 8,
            "batch_size": 128,
            "buffer_size": 100_000,
            "learning_starts": 5_000,
            "target_update_interval": 5_000,
            "exploration_fraction": 0.3,
            "learning_rate": 2.5e-4,
            "policy_kwargs": {"net_arch": [128, 128]},
        },
    ),
}
"""Class, policy and hyper-parameters by name. They were chosen on training tasks of level 1 and are the same
for all levels; all else is the library's own."""


def model(name: str, env: VecEnv, seed: int) -> BaseAlgorithm:
    """An algorithm before learning, on the processor."""
    kind, policy, options = ALGORITHMS[name]
    return kind(policy, env, seed=seed, device="cpu", **options)
