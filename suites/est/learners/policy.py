"""A trained policy as an agent."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3.common.base_class import BaseAlgorithm

from suites.est.agents import Answer, Maker
from suites.est.hypotheses import OBJECTS, Bools
from suites.est.learners.algorithms import ALGORITHMS, Algorithm
from suites.est.learners.vec_env import FIRST_BELIEF, HEIGHT, WIDTH, actions_of, with_belief
from suites.est.picture import Table
from suites.est.things import appearances
from suites.est.world import Preset


class PolicyAgent:
    """Takes the policy's best actions, or with `sampled` those that it draws. It observes what `EstVecEnv`
    gives in training; `rng` draws what the objects of its pictures look like."""

    def __init__(
        self,
        model: BaseAlgorithm,
        algorithm: Algorithm,
        episodes: int,
        rng: np.random.Generator,
        *,
        sampled: bool,
    ) -> None:
        self._model, self._algorithm, self._sampled = model, algorithm, sampled
        self._table: Table | None = None
        if algorithm.observation == "image":
            self._table = Table(WIDTH, HEIGHT)
            self._things = [appearances(rng) for _ in range(episodes)]
        self._beliefs = np.full((episodes, OBJECTS), FIRST_BELIEF)
        self._state: Any = None
        self._starts = np.ones(episodes, np.bool_)

    def act(self, panels: Bools, lights: Bools) -> Answer:
        """Answer to what is seen now."""
        seen = self._seen(panels, lights)
        observations = with_belief(seen, self._beliefs) if self._algorithm.last_belief else seen
        given, self._state = self._model.predict(
            observations, self._state, self._starts, deterministic=not self._sampled
        )
        self._starts = np.zeros_like(self._starts)
        actions = actions_of(given)
        self._beliefs = actions[:, :OBJECTS].astype(np.float64)
        return Answer(self._beliefs, actions[:, OBJECTS:] > 0.5)

    def _seen(self, panels: Bools, lights: Bools) -> npt.NDArray[Any]:
        if self._table is None:
            return np.column_stack([panels, lights]).astype(np.float32)
        shown = zip(self._things, panels.tolist(), lights.tolist(), strict=True)
        return np.stack([self._table.picture(*each) for each in shown])


def load_policy(name: str, path: Path, *, sampled: bool = False) -> Maker:
    """Makes agents of a policy file that an algorithm of this name wrote.

    Sampled actions depend on the seed of the agent's generator. Loading unpickles: read only files that you
    trust.
    """
    model = ALGORITHMS[name].kind.load(path, device="cpu")

    def make(preset: Preset, episodes: int, rng: np.random.Generator) -> PolicyAgent:
        if sampled:
            torch.manual_seed(int(rng.integers(2**31)))
        return PolicyAgent(model, ALGORITHMS[name], episodes, rng, sampled=sampled)

    return make
