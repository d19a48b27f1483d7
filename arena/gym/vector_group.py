"""The environments that one process plays, and how they begin again."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from arena.cameras import BatchRenderer
from arena.errors import ArenaError
from arena.gym.env import ArenaEnv
from arena.gym.sensors import Drawn
from arena.gym.vector_memory import Memory

Info = dict[str, Any]


class Group:
    """Environments `first`, `first` + 1, ... of a vector environment, played one after another.

    What they observe, their rewards and ends are written into the memory's rows; their infos are returned.
    """

    def __init__(
        self,
        envs: Sequence[ArenaEnv],
        memory: Memory,
        mode: AutoresetMode,
        *,
        first: int = 0,
        worker: int = 0,
        batch: BatchRenderer | None = None,
    ) -> None:
        """`batch` draws what all of them see; without one, each draws by itself."""
        self.envs = tuple(envs)
        self.memory, self._mode, self._batch = memory, mode, batch
        self._first, self._worker = first, worker

    def reset(
        self, seeds: Sequence[int | None], options: Info | None, chosen: Sequence[bool]
    ) -> list[Info | None]:
        """Start the next task in the chosen environments; no info of the others."""
        memory = self.memory
        infos: list[Info | None] = [None] * len(self.envs)
        begun = [number for number in range(len(self.envs)) if chosen[number]]
        for number in begun:
            row = self._busy_with(number)
            infos[number] = self.envs[number].begin(seeds[number], options)
            memory.rewards[row], memory.terminated[row], memory.truncated[row] = 0.0, False, False
        self._observe(begun, begun)
        return infos

    def step(self, actions: npt.NDArray[Any]) -> list[Info]:
        """Play an action in each environment; what is over begins again as the mode says."""
        memory, infos, begun = self.memory, [], []
        for number, env in enumerate(self.envs):
            row = self._busy_with(number)
            if self._mode is AutoresetMode.NEXT_STEP and self._is_over(row):
                infos.append(env.begin(None))
                begun.append(number)
                reward, terminated, truncated = 0.0, False, False
            else:
                reward, terminated, truncated, info = env.advance(actions[number])
                infos.append(info)
            memory.rewards[row], memory.terminated[row], memory.truncated[row] = reward, terminated, truncated
        self._observe(range(len(self.envs)), begun)
        if self._mode is AutoresetMode.SAME_STEP:
            self._begin_again(infos)
        return infos

    def _begin_again(self, infos: list[Info]) -> None:
        """Start the next task where one is over, and keep its last observation and info."""
        over = [number for number in range(len(self.envs)) if self._is_over(self._first + number)]
        for number in over:
            row = self._busy_with(number)
            last = {"final_obs": self.memory.row(row), "final_info": infos[number]}
            infos[number] = last | self.envs[number].begin(None)
        self._observe(over, over)

    def _is_over(self, row: int) -> bool:
        return bool(self.memory.terminated[row] or self.memory.truncated[row])

    def _busy_with(self, number: int) -> int:
        """The environment's row; noted, so that it can be named if this process dies in it."""
        row = self.memory.playing[self._worker] = self._first + number
        return row

    def _observe(self, numbers: Sequence[int], begun: Sequence[int]) -> None:
        """Write what some environments observe; those that have `begun` observe for the first time."""
        drawn = self._drawn(numbers)
        for number in numbers:
            row = self._busy_with(number)
            seen = self.envs[number].observe(first=number in begun, drawn=drawn.get(number))
            self.memory.put(row, seen)

    def _drawn(self, numbers: Sequence[int]) -> dict[int, Drawn]:
        """The views of some environments, drawn at once where something can do so."""
        if self._batch is None or not numbers:
            return {}
        scenes = {number: self.envs[number].episode.scene() for number in numbers}
        dark = replace(next(iter(scenes.values())), lights_on=False)
        # Each keeps its place, for which the renderer remembers shadows; in the dark nothing is drawn.
        places = [scenes.get(number, dark) for number in range(len(self.envs))]
        frames = self._batch.frames(places)
        return {number: Drawn(scene, frames[number]) for number, scene in scenes.items()}

    def call(self, name: str, arguments: Sequence[Any], options: Info) -> list[Any]:
        """A method's results or an attribute's values, one of each environment."""
        found = []
        for number, env in enumerate(self.envs):
            self._busy_with(number)
            value = env.get_wrapper_attr(name)
            found.append(value(*arguments, **options) if callable(value) else value)
        return found

    def set_attr(self, name: str, values: Sequence[Any]) -> None:
        """Set an attribute of each environment."""
        for env, value in zip(self.envs, values, strict=True):
            env.set_wrapper_attr(name, value)

    def close(self) -> None:
        """Free what the environments hold."""
        for env in self.envs:
            env.close()


def new_envs(count: int, options: Info) -> list[ArenaEnv]:
    """So many environments with the same options; files are read once."""
    return [ArenaEnv(**options) for _ in range(count)]


@contextmanager
def naming(memory: Memory, worker: int) -> Iterator[None]:
    """Errors of an environment say which one it is."""
    try:
        yield
    except ArenaError as error:
        raise type(error)(f"environment {memory.playing[worker]}: {error}") from None
    except Exception as error:
        error.add_note(f"in environment {memory.playing[worker]}")
        raise
