"""The memory that the processes of a vector environment share: one block, one row per environment."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from arena.gym.sensors import Observation

_ALIGNED = 64
"""Alignment of the arrays in bytes: a line of the processor's cache."""

_TASK_BYTES = 128
"""Maximum length of a task's id, which is only used in messages; a longer one is cut."""

ONLY = ""
"""Key of an observation that is a single array."""


class SharedArrays:
    """The arrays of all environments.

    `observations` (num_envs, ...) by the sensor's name; `rewards` float64, `terminated` and `truncated` bool,
    all (num_envs,). `tasks` (num_envs,): the id of each environment's task, UTF-8. `playing` int64
    (workers,): number of the environment that each worker steps now.
    """

    def __init__(
        self, space: spaces.Space[Any], num_envs: int, workers: int, new_block: Callable[[int], Any]
    ) -> None:
        """`new_block` returns zeroed memory of a given number of bytes, or that of another process."""
        boxes: dict[str, Any] = dict(space.spaces) if isinstance(space, spaces.Dict) else {ONLY: space}
        self._is_dict = isinstance(space, spaces.Dict)
        shapes: dict[str, tuple[tuple[int, ...], Any]] = {
            f"observation {name}": ((num_envs, *box.shape), box.dtype) for name, box in boxes.items()
        }
        shapes |= {
            "rewards": ((num_envs,), np.float64),
            "terminated": ((num_envs,), np.bool_),
            "truncated": ((num_envs,), np.bool_),
            "tasks": ((num_envs,), np.dtype(f"S{_TASK_BYTES}")),
            "playing": ((max(workers, 1),), np.int64),
        }
        sizes = [_rounded(int(np.prod(shape)) * np.dtype(kind).itemsize) for shape, kind in shapes.values()]
        self.block = new_block(sum(sizes))
        arrays: dict[str, npt.NDArray[Any]] = {}
        start = 0
        for (name, (shape, kind)), size in zip(shapes.items(), sizes, strict=True):
            arrays[name] = np.frombuffer(self.block, kind, int(np.prod(shape)), start).reshape(shape)
            start += size
        self.observations = {name: arrays[f"observation {name}"] for name in boxes}
        self.rewards, self.tasks, self.playing = arrays["rewards"], arrays["tasks"], arrays["playing"]
        self.terminated, self.truncated = arrays["terminated"], arrays["truncated"]

    def named(self, names: Sequence[str], own: slice) -> dict[str, npt.NDArray[Any]]:
        """The rows of some environments in the observations of some sensors, by their names."""
        return {name: self.observations[name if self._is_dict else ONLY][own] for name in names}

    def put(self, row: int, observation: Observation) -> None:
        """Write the observation of one environment."""
        if isinstance(observation, dict):
            for name, array in self.observations.items():
                array[row] = observation[name]
        else:
            self.observations[ONLY][row] = observation

    def row(self, row: int) -> Observation:
        """A copy of the observation of one environment."""
        if not self._is_dict:
            only: Observation = self.observations[ONLY][row].copy()
            return only
        return {name: array[row].copy() for name, array in self.observations.items()}

    def batch(self, copy: bool) -> Observation:
        """The observations of all environments, in the shape of the batched space."""
        if not self._is_dict:
            array = self.observations[ONLY]
            return array.copy() if copy else array
        return {name: array.copy() if copy else array for name, array in self.observations.items()}


def _rounded(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED
