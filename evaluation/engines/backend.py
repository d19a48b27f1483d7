"""Backends for episodes: this process, local processes, or Ray workers."""

from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from arena.errors import EvaluationError
from arena.processes import cores, new_pool, shut_down
from evaluation.suite import Environment, EpisodeSetup, Player, Record

Made = TypeVar("Made")
Value = TypeVar("Value")

EPISODES_PER_PROCESS = 8
"""Episodes that outweigh starting a process, which costs about as much."""


class InUse(Generic[Value]):
    """Process-wide value: the default, or the current run's. The default serves any other program, such as
    Inspect AI's command."""

    def __init__(self, usual: Value) -> None:
        self._values = [usual]

    def __call__(self) -> Value:
        """Return the current value."""
        return self._values[-1]

    @contextmanager
    def using(self, value: Value) -> Iterator[None]:
        """Use another value meanwhile."""
        self._values.append(value)
        try:
            yield
        finally:
            self._values.pop()


class Backend:
    """Plays episodes by replies in this process.

    Agents that play by themselves do so in `processes` of their own; with 0 they play here too, one episode
    after another. `remote`: in other processes, so that calls of an episode wait for them.
    """

    remote = False

    def __init__(self, processes: int = 0) -> None:
        self.processes = processes
        self._pool = new_pool(processes) if processes else None

    def open(self, setup: EpisodeSetup) -> Environment:
        """Open an episode that is played by replies."""
        return setup.suite.open(setup)

    def compute(self, environment: Environment, function: Callable[[Any], Made]) -> Made:
        """Call a function of the environment in its own process."""
        return function(environment)

    def play(self, player: Player, setup: EpisodeSetup) -> Record:
        """Let an agent play a whole episode. Raises EvaluationError if a process of the pool was killed."""
        if self._pool is None:
            return player.play(setup)
        try:
            return self._pool.submit(player.play, setup).result()
        except BrokenProcessPool:
            raise EvaluationError("a process that played episodes was killed") from None

    def close(self) -> None:
        """End its processes."""
        if self._pool is not None:
            shut_down(self._pool)


def worthwhile_processes(episodes: int) -> int:
    """Number of processes for an agent that plays `episodes`; 0: this process."""
    worth = min(cores(), episodes // EPISODES_PER_PROCESS)
    return worth if worth > 1 else 0


backend = InUse(Backend())
"""Backend of new episodes."""


async def in_thread(act: Callable[..., Made], *args: Any, wait: bool | None = None) -> Made:
    """Call a playing function. While it waits for a process, other episodes continue.

    What this process plays itself runs on the event loop. `wait` says if it waits for another process; by
    default, the backend does.
    """
    if not (backend().remote if wait is None else wait):
        return act(*args)
    from anyio import to_thread  # of the extra `eval`, which messages alone do not need

    return await to_thread.run_sync(act, *args, abandon_on_cancel=True)


@dataclass
class CurrentEpisode:
    """Current episode of a conversation. It is changed in place, because a tool call runs in a context of its
    own: what is set there is lost."""

    setup: EpisodeSetup
    environment: Environment

    async def compute(self, function: Callable[[Any], Made]) -> Made:
        """Call a function of the episode's environment in its own process; other episodes continue."""
        return await in_thread(backend().compute, self.environment, function)


CURRENT: ContextVar[CurrentEpisode] = ContextVar("current_episode")
"""Episode of the present coroutine, set at the start of a conversation."""
