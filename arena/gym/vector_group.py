"""The environments that one process steps, and how they are reset."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from arena.action import ACTIONS
from arena.cameras import BatchRenderer
from arena.errors import ArenaError
from arena.gym.env import ArenaEnv
from arena.gym.info import Info
from arena.gym.sensors import RenderedView
from arena.gym.vector_memory import SharedArrays
from arena.gym.vector_quiet import QuietSteps


class EnvGroup:
    """Environments `first`, `first` + 1, ... of a vector environment, stepped one after another.

    Observations, rewards and ends are written into the shared arrays; infos are returned.
    """

    def __init__(
        self,
        envs: Sequence[ArenaEnv],
        memory: SharedArrays,
        mode: AutoresetMode,
        *,
        first: int = 0,
        worker: int = 0,
        batch: BatchRenderer | None = None,
    ) -> None:
        """`batch` renders the views of all of them in one call; without it each renders its own."""
        self.envs = tuple(envs)
        self.memory, self._mode, self._batch = memory, mode, batch
        self._first, self._worker = first, worker
        self._quiet, self._own = QuietSteps(self.envs), slice(first, first + len(self.envs))
        self._rows = memory.named(self.envs[0].sensors.quiet_names, self._own)

    def reset(
        self, seeds: Sequence[int | None], options: Info | None, chosen: Sequence[bool]
    ) -> list[Info | None]:
        """Reset the chosen environments; the info of the others is None."""
        self._quiet.release_all()
        memory = self.memory
        infos: list[Info | None] = [None] * len(self.envs)
        begun = [number for number in range(len(self.envs)) if chosen[number]]
        for number in begun:
            row = self._mark_busy(number)
            infos[number] = self._begin(number, seeds[number], options)
            memory.rewards[row], memory.terminated[row], memory.truncated[row] = 0.0, False, False
        self._observe(begun, begun)
        return infos

    def step(self, actions: npt.NDArray[np.int64]) -> list[Info]:
        """Take an action in each environment, an index into `arena.ACTIONS`; those that are over are reset as
        the mode requires."""
        memory = self.memory
        over = memory.terminated[self._own] | memory.truncated[self._own]
        quiet = self._quiet.step(actions)
        infos: list[Info] = self._quiet.infos()
        memory.rewards[self._own], memory.terminated[self._own] = self._quiet.rewards, False
        memory.truncated[self._own] = False
        others, begun = np.flatnonzero(~quiet).tolist(), []
        for number in others:
            row, env = self._mark_busy(number), self.envs[number]
            if self._mode is AutoresetMode.NEXT_STEP and over[number]:
                infos[number] = self._begin(number)
                begun.append(number)
                memory.rewards[row] = 0.0
            else:
                reward, terminated, truncated, infos[number] = env.advance(ACTIONS[actions[number]])
                memory.rewards[row], memory.terminated[row], memory.truncated[row] = (
                    reward,
                    terminated,
                    truncated,
                )
        if len(others) < len(self.envs):
            self._quiet.observe(quiet, self._rows)
        self._observe(others, begun)
        if self._mode is AutoresetMode.SAME_STEP:
            self._reset_ended(infos)
        for number in others:
            self._quiet.hold(number)
        return infos

    def _reset_ended(self, infos: list[Info]) -> None:
        """Reset the environments that are over, and keep their last observation and info."""
        over = [number for number in range(len(self.envs)) if self._is_over(self._first + number)]
        for number in over:
            row = self._mark_busy(number)
            last = {"final_obs": self.memory.row(row), "final_info": infos[number]}
            infos[number] = last | self._begin(number)
        self._observe(over, over)

    def _begin(self, number: int, seed: int | None = None, options: Info | None = None) -> Info:
        env = self.envs[number]
        info = env.begin(seed, options)
        self.memory.tasks[self._first + number] = env.episode.task_id.encode(errors="replace")
        return info

    def _is_over(self, row: int) -> bool:
        return bool(self.memory.terminated[row] or self.memory.truncated[row])

    def _mark_busy(self, number: int) -> int:
        """The environment's row, which is stored so that it can be named if this process dies."""
        row = self.memory.playing[self._worker] = self._first + number
        return row

    def _observe(self, numbers: Sequence[int], begun: Sequence[int]) -> None:
        """Write the observations of some environments; for those in `begun` it is an episode's first."""
        views = self._views(numbers)
        for number in numbers:
            row = self._mark_busy(number)
            observation = self.envs[number].observe(first=number in begun, view=views.get(number))
            self.memory.put(row, observation)

    def _views(self, numbers: Sequence[int]) -> dict[int, RenderedView]:
        """The views of some environments, rendered in one call; empty without a batch renderer."""
        if self._batch is None or not numbers:
            return {}
        scenes = {number: self.envs[number].episode.scene() for number in numbers}
        dark = replace(next(iter(scenes.values())), lights_on=False)
        # Each keeps its position, for which the renderer caches shadows; a dark scene is not rendered.
        frames = self._batch.frames([scenes.get(number, dark) for number in range(len(self.envs))])
        return {number: RenderedView(scene, frames[number]) for number, scene in scenes.items()}

    def call(self, name: str, arguments: Sequence[Any], options: Info) -> list[Any]:
        """Results of a method, or values of an attribute, for each environment."""
        self._quiet.release_all()
        found = []
        for number, env in enumerate(self.envs):
            self._mark_busy(number)
            value = env.get_wrapper_attr(name)
            found.append(value(*arguments, **options) if callable(value) else value)
        return found

    def set_attr(self, name: str, values: Sequence[Any]) -> None:
        """Set an attribute of each environment."""
        self._quiet.release_all()
        for env, value in zip(self.envs, values, strict=True):
            env.set_wrapper_attr(name, value)

    def close(self) -> None:
        """Close the environments."""
        for env in self.envs:
            env.close()


@contextmanager
def naming_environment(memory: SharedArrays, worker: int) -> Iterator[None]:
    """Add the environment's number to its errors."""
    try:
        yield
    except ArenaError as error:
        raise type(error)(f"environment {memory.playing[worker]}: {error}") from None
    except Exception as error:
        error.add_note(f"in environment {memory.playing[worker]}")
        raise
