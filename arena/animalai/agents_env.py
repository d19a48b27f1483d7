"""Arenas of any number of agents, as `AnimalAIEnvironment` plays them."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.animalai.base_env import Floats, Ints, ObservationSpec
from arena.gym.env import ArenaEnv
from arena.gym.sensors import Observation


class AgentsEnv(ArenaEnv):
    """`ArenaEnv` for several agents: `reset_all` and `step_all` have an observation for each of them."""

    most_agents = math.inf

    @property
    def teams(self) -> tuple[int, ...]:
        """Team of each agent, in the order of their items."""
        return tuple(agent.team for agent in self.episode.layout.agents)

    def reset_all(self, seed: int | None = None) -> list[Observation]:
        """`reset`; returns the agents' observations."""
        self.begin(seed)
        return self._observe_all(first=True)

    def step_all(self, actions: Sequence[Ints]) -> tuple[list[Observation], list[float], bool, bool]:
        """Take an action of each agent: observations, rewards, and whether the episode is over or was cut."""
        if len(actions) == 1:
            observation, reward, terminated, truncated, _ = self.step(actions[0])
            return [observation], [reward], terminated, truncated
        episode, taken = self.episode, [self.read_action(action) for action in actions]
        rewards = np.zeros(len(taken))
        for _ in range(self.action_repeat):
            if not episode.done:
                rewards += [result.reward for result in episode.step_all(taken)]
        if self._log is not None:
            self._log.decide()
        if episode.done:
            self._over = True
            self._report_end()
        return self._observe_all(), rewards.tolist(), episode.done, False

    def _observe_all(self, **options: Any) -> list[Observation]:
        numbers = range(len(self.episode.agents))
        return [self.sensors.observe(self.episode, number, **options) for number in numbers]


def batch(observations: Sequence[Any], specs: Sequence[ObservationSpec], grayscale: bool) -> list[Floats]:
    """Observations of n agents in the original's format: for each specification an array (n, ...)."""
    sensed = ([_sensed(each[spec.name], spec, grayscale) for each in observations] for spec in specs)
    # One agent's is not copied: it may be a large picture.
    return [rows[0][None] if len(rows) == 1 else np.array(rows) for rows in sensed]


def _sensed(values: Any, spec: ObservationSpec, grayscale: bool) -> Floats:
    if spec.name != "camera":
        return np.asarray(values, np.float32)
    camera: Floats = values.astype(np.float32) / np.float32(255)
    camera = camera.mean(axis=2, keepdims=True) if grayscale else camera
    return np.ascontiguousarray(camera.transpose(2, 0, 1)) if camera.shape != spec.shape else camera
