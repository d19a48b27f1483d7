"""The environments that one process steps, and the memory that the processes of all share."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from arena.action import ACTIONS
from arena.cameras import BatchRenderer
from arena.errors import ArenaError
from arena.gym.env import ArenaEnv
from arena.gym.info import Info
from arena.gym.sensors import RenderedView
from arena.gym.vector_quiet import QuietSteps

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
        forms: dict[str, Any] = {"rewards": np.float64, "terminated": np.bool_, "truncated": np.bool_}
        forms |= {"tasks": f"S{_TASK_BYTES}", "playing": np.int64}
        forms |= {f"observation {name}": (box.dtype, box.shape) for name, box in boxes.items()}
        kinds = {name: np.dtype(form) for name, form in forms.items()}
        self.blocks = {name: new_block(name, num_envs * kind.itemsize) for name, kind in kinds.items()}
        arrays: dict[str, npt.NDArray[Any]] = {
            name: np.frombuffer(self.blocks[name], kind)[rows] for name, kind in kinds.items()
        }
        self.observations = {name: arrays[f"observation {name}"] for name in boxes}
        self.rewards, self.tasks, self.playing = arrays["rewards"], arrays["tasks"], arrays["playing"]
        self.terminated, self.truncated = arrays["terminated"], arrays["truncated"]


class EnvGroup:
    """Environments `first`, `first` + 1, ... of a vector environment, stepped one after another.

    Observations, rewards and ends are written into the arrays' rows, which are theirs; infos are returned.
    """

    def __init__(
        self,
        envs: Sequence[ArenaEnv],
        memory: SharedArrays,
        mode: AutoresetMode,
        *,
        first: int = 0,
        batch: BatchRenderer | None = None,
    ) -> None:
        """`batch` renders the views of all of them in one call; without it each renders its own."""
        self.envs = tuple(envs)
        self.memory, self._mode, self._batch = memory, mode, batch
        self._first = memory.playing[0] = first
        self._quiet = QuietSteps(self.envs)

    def run(self, name: str, each: Iterable[Sequence[Any]] = (), *common: Any) -> list[Any]:
        """Call a method with arguments for `each` environment and `common` ones; errors have the number of
        the environment."""
        try:
            return list(getattr(self, name)(*each, *common))
        except ArenaError as error:
            raise type(error)(f"environment {self.memory.playing[0]}: {error}") from None
        except Exception as error:
            error.add_note(f"in environment {self.memory.playing[0]}")
            raise

    def reset(
        self, seeds: Sequence[int | None], chosen: Sequence[bool], options: Info | None
    ) -> list[Info | None]:
        """Reset the chosen environments; the info of the others is None."""
        self._quiet.release_all()
        memory = self.memory
        infos: list[Info | None] = [None] * len(self.envs)
        begun = np.flatnonzero(chosen).tolist()
        for number in self._each(begun):
            infos[number] = self._begin(number, seeds[number], options)
            memory.rewards[number], memory.terminated[number], memory.truncated[number] = 0.0, False, False
        self._observe(begun, begun)
        return infos

    def step(self, actions: npt.NDArray[np.int64]) -> list[Info]:
        """Take an action in each environment, an index into `arena.ACTIONS`; those that are over are reset as
        the mode requires."""
        memory = self.memory
        over = memory.terminated | memory.truncated
        quiet = self._quiet.step(actions)
        infos: list[Info] = self._quiet.infos()
        memory.rewards[:], memory.terminated[:], memory.truncated[:] = self._quiet.rewards, False, False
        others, begun = np.flatnonzero(~quiet).tolist(), []
        for number in self._each(others):
            if self._mode is AutoresetMode.NEXT_STEP and over[number]:
                infos[number] = self._begin(number)
                begun.append(number)
                memory.rewards[number] = 0.0
            else:
                taken = self.envs[number].advance(ACTIONS[actions[number]])
                memory.rewards[number], memory.terminated[number], memory.truncated[number] = taken[:3]
                infos[number] = taken[3]
        if len(others) < len(self.envs):
            self._quiet.observe(quiet, memory.observations)
        self._observe(others, begun)
        if self._mode is AutoresetMode.SAME_STEP:
            self._reset_ended(infos)
        for number in others:
            self._quiet.hold(number)
        return infos

    def _reset_ended(self, infos: list[Info]) -> None:
        """Reset the environments that are over, and keep their last observation and info."""
        over = np.flatnonzero(self.memory.terminated | self.memory.truncated).tolist()
        for number in self._each(over):
            last = {name: array[number].copy() for name, array in self.memory.observations.items()}
            final = {"final_obs": self.envs[number].sensors.shaped(last), "final_info": infos[number]}
            infos[number] = final | self._begin(number)
        self._observe(over, over)

    def _begin(self, number: int, seed: int | None = None, options: Info | None = None) -> Info:
        env = self.envs[number]
        info = env.begin(seed, options)
        self.memory.tasks[number] = env.episode.task_id.encode(errors="replace")
        return info

    def _each(self, numbers: Iterable[int]) -> Iterator[int]:
        """The numbers one by one; the current one is stored so that errors can name the environment, also if
        this process dies."""
        for number in numbers:
            self.memory.playing[0] = self._first + number
            yield number

    def _observe(self, numbers: Sequence[int], begun: Sequence[int]) -> None:
        """Write the observations of some environments; for those in `begun` it is an episode's first."""
        views = self._views(numbers)
        for number in self._each(numbers):
            env = self.envs[number]
            seen = env.sensors.named(env.episode, first=number in begun, view=views.get(number))
            for name, array in seen.items():
                self.memory.observations[name][number] = array

    def _views(self, numbers: Sequence[int]) -> dict[int, RenderedView]:
        """The views of some environments, rendered in one call; empty without a batch renderer."""
        if self._batch is None or not numbers:
            return {}
        scenes = {number: self.envs[number].episode.scene() for number in numbers}
        dark = replace(next(iter(scenes.values())), lights_on=False)
        # Each keeps its position, for which the renderer caches shadows; a dark scene is not rendered.
        frames = self._batch.frames([scenes.get(number, dark) for number in range(len(self.envs))])
        return {number: RenderedView(scene, frames[number]) for number, scene in scenes.items()}

    def call(self, arguments: Sequence[Sequence[Any]], name: str, options: Info) -> list[Any]:
        """Results of a method, or values of an attribute, for each environment."""
        self._quiet.release_all()
        found = []
        for number in self._each(range(len(self.envs))):
            value = self.envs[number].get_wrapper_attr(name)
            found.append(value(*arguments[number], **options) if callable(value) else value)
        return found

    def close(self) -> None:
        """Close the environments."""
        for env in self.envs:
            env.close()
