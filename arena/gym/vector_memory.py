"""The memory that the processes of a vector environment share: arrays with a row for each environment."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

_TASK_BYTES = 128
"""Maximum length of a task's id, which is only used in messages; a longer one is cut."""


class SharedArrays:
    """The arrays of all environments, or of the `rows` of some.

    `observations` (n, ...) by the sensor's name; `rewards` float64, `terminated` and `truncated` bool, all
    (n,). `tasks` (n,): the id of each environment's task, UTF-8. `playing` int64 (n,): in the first row of
    each process, number of the environment that it steps now.
    """

    def __init__(
        self,
        boxes: Mapping[str, spaces.Box],
        num_envs: int,
        new_block: Callable[[str, int], Any],
        rows: slice = slice(None),
    ) -> None:
        """`new_block` returns the zeroed memory of an array, by its name and its number of bytes, or that of
        another process."""
        kinds: dict[str, np.dtype[Any]] = {
            "rewards": np.dtype(np.float64),
            "terminated": np.dtype(np.bool_),
            "truncated": np.dtype(np.bool_),
            "tasks": np.dtype(f"S{_TASK_BYTES}"),
            "playing": np.dtype(np.int64),
        }
        kinds |= {f"observation {name}": np.dtype((box.dtype, box.shape)) for name, box in boxes.items()}
        self.blocks = {name: new_block(name, num_envs * kind.itemsize) for name, kind in kinds.items()}
        arrays: dict[str, npt.NDArray[Any]] = {
            name: np.frombuffer(self.blocks[name], kind)[rows] for name, kind in kinds.items()
        }
        self.observations = {name: arrays[f"observation {name}"] for name in boxes}
        self.rewards, self.tasks, self.playing = arrays["rewards"], arrays["tasks"], arrays["playing"]
        self.terminated, self.truncated = arrays["terminated"], arrays["truncated"]
