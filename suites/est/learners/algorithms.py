"""The algorithms that are trained, and what they learn with.

The paper gives the discount; the other hyper-parameters are the defaults of its public code (mjtsu/IVRE,
`src/baselines/rl_baselines`), which was released with a later version of the paper. Exceptions are marked; in
PPO, advantages and rewards are normalised as stable-baselines3 does it.
"""

from typing import Any, NamedTuple

import numpy as np
from sb3_contrib import RecurrentPPO
from stable_baselines3 import DDPG, PPO, TD3
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.buffers import NStepReplayBuffer
from stable_baselines3.common.noise import NormalActionNoise
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from suites.est.env import ACTIONS
from suites.est.learners.pixels import PictureFeatures
from suites.est.learners.vec_env import EstVecEnv

GAMMA, LEARNING_RATE = 0.99, 3e-4


class Algorithm(NamedTuple):
    """A class of stable-baselines3, its policy and its hyper-parameters.

    `steps` is the default length of training, `episodes` the number of episodes played at a time;
    `last_belief` and `observation` are described in `EstVecEnv`.
    """

    kind: type[OffPolicyAlgorithm | OnPolicyAlgorithm]
    policy: str
    steps: int
    episodes: int
    last_belief: bool
    options: dict[str, Any]
    observation: str = "symbol"


_OFF_POLICY: dict[str, Any] = {
    "buffer_size": 1_000_000,
    "batch_size": 128,
    "tau": 0.005,
    "replay_buffer_class": NStepReplayBuffer,
    "replay_buffer_kwargs": {"n_steps": 10, "gamma": GAMMA},
    "learning_starts": 0,
    # 0.01 updates a step, in rounds of 320 steps.
    "train_freq": 10,
    "gradient_steps": 3,
    "policy_kwargs": {"net_arch": [512, 512, 512]},
}

_FROM_PICTURES = _OFF_POLICY | {
    "buffer_size": 20_000,
    "policy_kwargs": {"net_arch": [512, 512, 512], "features_extractor_class": PictureFeatures},
}

_ON_POLICY: dict[str, Any] = {
    "n_epochs": 3,
    # The public code has 8192; with few steps that would leave a few hundred updates.
    "batch_size": 512,
    "gae_lambda": 0.95,
    "clip_range": 0.2,
    "ent_coef": 0.01,
    "vf_coef": 0.5,
    "max_grad_norm": 0.5,
}

ALGORITHMS = {
    "ddpg": Algorithm(DDPG, "MlpPolicy", 1_000_000, 32, True, _OFF_POLICY),
    "td3": Algorithm(TD3, "MlpPolicy", 1_000_000, 32, True, _OFF_POLICY),
    "ppo": Algorithm(
        *(PPO, "MlpPolicy", 1_000_000, 512, True),
        _ON_POLICY | {"n_steps": 20, "policy_kwargs": {"net_arch": [512, 512, 512], "log_std_init": -0.5}},
    ),
    # The paper has no recurrent PPO; the layers are those of its recurrent DDPG and TD3.
    "recurrent-ppo": Algorithm(
        *(RecurrentPPO, "MlpLstmPolicy", 500_000, 512, False),
        _ON_POLICY
        | {
            "n_steps": 20,
            "policy_kwargs": {
                "net_arch": [512, 512],
                "lstm_hidden_size": 512,
                "shared_lstm": True,
                "enable_critic_lstm": False,
                "log_std_init": -0.5,
            },
        },
    ),
    "ddpg-image": Algorithm(DDPG, "MlpPolicy", 20_000, 32, True, _FROM_PICTURES, "image"),
    "td3-image": Algorithm(TD3, "MlpPolicy", 20_000, 32, True, _FROM_PICTURES, "image"),
}
"""By name. The public code trains for up to 10^8 steps; these lengths take minutes on one core."""


def model(name: str, seed: int) -> BaseAlgorithm:
    """An algorithm before learning, on the processor, with its episodes."""
    kind, policy, _, episodes, last_belief, options, observation = ALGORITHMS[name]
    env: VecEnv = EstVecEnv(episodes, last_belief=last_belief, observation=observation)
    if issubclass(kind, OffPolicyAlgorithm):
        size = ACTIONS.shape
        options = options | {"action_noise": NormalActionNoise(np.zeros(size), np.full(size, 0.1))}
    else:
        env = VecNormalize(env, norm_obs=False, gamma=GAMMA)
    return kind(policy, env, seed=seed, device="cpu", gamma=GAMMA, learning_rate=LEARNING_RATE, **options)
