"""Server's side of worker processes, and episodes that survive their death."""

import asyncio
import itertools
import threading
from contextlib import suppress
from multiprocessing import get_context
from typing import Any, Protocol

from arena.errors import EvaluationError
from people.play.worker import work
from people.play.worker_protocol import STOPPED, Drawn, Open, Played, Request, View

TIMEOUT_S = 20.0
"""A worker that is silent for so long counts as dead. Rebuilding an episode of 20,000 steps takes 7 s."""

START_S = 60.0
"""Starting a worker takes some seconds, and longer on a busy computer."""

MAX_DEATHS = 3
"""Maximum worker deaths of an episode without an answer in between."""


class WorkerLost(EvaluationError):
    """A worker process died before it had answered."""


class EpisodeFailed(EvaluationError):
    """An episode cannot be built, drawn or continued; the message says why."""


class EpisodeListener(Protocol):
    """Receiver of a worker's messages, which must not wait."""

    def drawn(self, drawn: Drawn) -> None:
        """An image is ready."""

    def lost(self) -> None:
        """The worker has died; images that were requested never come."""

    def failed(self, reason: str) -> None:
        """The episode cannot continue."""


class WorkerProcess:
    """One worker and its pipe. It is started by `spawn` because threads do not survive a fork."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.episodes: dict[int, RemoteEpisode] = {}
        self._waiting: dict[int, asyncio.Future[Played]] = {}
        self.lost = False
        self.ready = asyncio.Event()
        """Set when the process can build episodes, or is lost."""
        self._loop = asyncio.get_running_loop()
        # Windows has no event loop that watches a pipe.
        threading.Thread(target=self._listen, name="worker-pipe", daemon=True).start()

    async def ask(self, number: int, request: Request, *arguments: Any) -> Played:
        """Send a request about an episode, and wait for the answer. Raises WorkerLost or EpisodeFailed."""
        future = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        self.send(number, request, *arguments)
        try:
            return await asyncio.wait_for(future, TIMEOUT_S if self.ready.is_set() else START_S)
        except TimeoutError:
            self._lose()
            raise WorkerLost("a worker process hung") from None
        finally:
            self._waiting.pop(number, None)

    def send(self, number: int, request: Request, *arguments: Any) -> None:
        """Send a request about an episode without waiting for an answer. Raises WorkerLost."""
        if not self.lost:
            try:
                self._pipe.send((number, request, *arguments))
                return
            except OSError:
                self._lose()
        raise WorkerLost("a worker process died")

    def close(self) -> None:
        """End the process."""
        self._lose()
        self.process.join(timeout=5)

    def _listen(self) -> None:
        """Pass messages to the event loop until the worker or loop ends."""
        with suppress(RuntimeError), self._pipe:
            try:
                while not self.lost:
                    self._loop.call_soon_threadsafe(self._receive, self._pipe.recv())
            except (EOFError, OSError):
                self._loop.call_soon_threadsafe(self._lose)

    def _receive(self, message: tuple[int, Played | Drawn | str] | None) -> None:
        if self.lost or message is None:
            self.ready.set()
            return
        number, answer = message
        if isinstance(answer, Drawn):
            if number in self.episodes:
                self.episodes[number].drawn(answer)
        elif (future := self._waiting.get(number)) is not None and not future.done():
            if isinstance(answer, str):
                future.set_exception(EpisodeFailed(answer))
            else:
                future.set_result(answer)
        elif isinstance(answer, str) and number in self.episodes:
            self.episodes[number].listener.failed(answer)

    def _lose(self) -> None:
        if self.lost:
            return
        self.lost = True
        self.ready.set()
        self.process.kill()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(WorkerLost("a worker process died"))
        for episode in tuple(self.episodes.values()):
            episode.listener.lost()


class WorkerPool:
    """A fixed number of worker processes. One that died is replaced when it is next needed."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.processes: list[WorkerProcess] = []
        self.numbers = itertools.count(1)
        """Numbers of episodes, one after another."""

    def start(self) -> None:
        """Start the processes. They are ready some seconds later, and requests wait for that."""
        self.processes = [WorkerProcess() for _ in range(self._count)]

    async def ready(self) -> None:
        """Wait until all processes are ready, for `START_S` at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(START_S):
                await asyncio.gather(*(process.ready.wait() for process in self.processes))

    def close(self) -> None:
        """End all processes."""
        for process in self.processes:
            process.close()

    def least_busy(self) -> WorkerProcess:
        """Return the process with the fewest episodes."""
        for place, process in enumerate(self.processes):
            if process.lost:
                self.processes[place] = WorkerProcess()
        return min(self.processes, key=lambda process: len(process.episodes))


class RemoteEpisode:
    """An episode in a worker. If that dies, the episode is rebuilt in another from its past. All methods
    raise EpisodeFailed if the episode cannot be played. One request at a time; others wait."""

    def __init__(self, workers: WorkerPool, start: Open, listener: EpisodeListener) -> None:
        self._workers, self.listener = workers, listener
        self._lock = asyncio.Lock()
        self._number = next(workers.numbers)
        self._past = start
        self._process: WorkerProcess | None = None
        self._deaths = 0

    async def open(self) -> Played:
        """Build the episode and replay its past."""
        async with self._lock:
            return await self._built()

    async def rebuild(self) -> None:
        """Build the episode again if its worker has died."""
        async with self._lock:
            if self._process is None or self._process.lost:
                self._count_death()
                await self._built()

    async def step(self, actions: tuple[int, ...]) -> Played:
        """Take actions (indices into `arena.ACTIONS`) until the episode is over."""
        return await self._ask("step", actions)

    async def stop(self, ended_by: str = STOPPED) -> Played:
        """End the episode early."""
        return await self._ask("stop", ended_by)

    def draw(self, due: float, view: View, size: int, quality: int) -> None:
        """Request an image; it never comes if the worker dies."""
        if self._process is not None and not self._process.lost:
            with suppress(WorkerLost):
                self._process.send(self._number, "draw", due, view, size, quality)

    def drawn(self, drawn: Drawn) -> None:
        """Pass an image on."""
        self._deaths = 0
        self.listener.drawn(drawn)

    def close(self) -> None:
        """Discard the episode."""
        if self._process is not None:
            self._process.episodes.pop(self._number, None)
            with suppress(WorkerLost):
                self._process.send(self._number, "close")

    async def _ask(self, request: Request, *arguments: Any) -> Played:
        async with self._lock:
            answer = await self._answer(request, *arguments)
            self._past = self._past._replace(actions=self._past.actions + answer.actions)
            self._deaths = 0
            return answer

    async def _answer(self, request: Request, *arguments: Any) -> Played:
        while True:
            if self._process is None or self._process.lost:
                await self._built()
            assert self._process is not None
            try:
                return await self._process.ask(self._number, request, *arguments)
            except WorkerLost:
                self._count_death()

    async def _built(self) -> Played:
        while True:
            self._process = self._workers.least_busy()
            self._process.episodes[self._number] = self
            try:
                return await self._process.ask(self._number, "open", self._past)
            except WorkerLost:
                self._count_death()

    def _count_death(self) -> None:
        self._deaths += 1
        if self._deaths >= MAX_DEATHS:
            raise EpisodeFailed(
                f"{self._past.task.id}: {self._deaths} worker processes died while playing it; "
                "`arena-llm doctor` checks physics and drawing"
            )
