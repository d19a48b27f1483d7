"""A trained policy as an agent."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm

from suites.est.agents import Answer, Maker
from suites.est.hypotheses import OBJECTS, Bools
from suites.est.learners.algorithms import ALGORITHMS
from suites.est.learners.vec_env import FIRST_BELIEF, actions_of
from suites.est.world import Preset


class PolicyAgent:
    """Takes the policy's best actions, or with `sampled` those that it draws. It observes what `EstVecEnv`
    gives in training."""

    def __init__(self, model: BaseAlgorithm, episodes: int, *, last_belief: bool, sampled: bool) -> None:
        self._model, self._last_belief, self._sampled = model, last_belief, sampled
        self._beliefs = np.full((episodes, OBJECTS), FIRST_BELIEF)
        self._state: Any = None
        self._starts = np.ones(episodes, np.bool_)

    def act(self, panels: Bools, lights: Bools) -> Answer:
        """Answer to what is seen now."""
        seen = [panels, lights, self._beliefs] if self._last_belief else [panels, lights]
        observations = np.column_stack(seen).astype(np.float32)
        given, self._state = self._model.predict(
            observations, self._state, self._starts, deterministic=not self._sampled
        )
        self._starts = np.zeros_like(self._starts)
        actions = actions_of(given)
        self._beliefs = actions[:, :OBJECTS].astype(np.float64)
        return Answer(self._beliefs, actions[:, OBJECTS:] > 0.5)


def load_policy(name: str, path: Path, *, sampled: bool = False) -> Maker:
    """Makes agents of a policy file that an algorithm of this name wrote.

    Sampled actions depend on the seed of the agent's generator. Loading unpickles: read only files that you
    trust.
    """
    model = ALGORITHMS[name].kind.load(path, device="cpu")

    def make(preset: Preset, episodes: int, rng: np.random.Generator) -> PolicyAgent:
        if sampled:
            torch.manual_seed(int(rng.integers(2**31)))
        return PolicyAgent(model, episodes, last_belief=ALGORITHMS[name].last_belief, sampled=sampled)

    return make
