"""The worker processes as the server sees them, and episodes in them that outlive them."""

import asyncio
import itertools
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context

from arena.errors import EvaluationError
from arena.rules import SAFETY_STEPS
from human_data.people.play.wire import (
    Answer,
    Close,
    Draw,
    Drawn,
    Failed,
    Mode,
    Open,
    Opened,
    Replied,
    Reply,
    Request,
    Step,
    Stepped,
    Stop,
)
from human_data.people.play.worker import work
from testbed import Task

HANGS_S = 20.0
"""A worker silent for so long counts as dead; to rebuild an episode of 20,000 steps takes 7 s."""

MOST_DEATHS = 3
"""An episode that saw so many workers die without a step in between is given up."""

OnDrawn = Callable[[Drawn], None]


class WorkerLost(EvaluationError):
    """A worker process died before it had answered."""


class EpisodeFailed(EvaluationError):
    """An episode cannot be built, drawn or go on; the message says why."""


class WorkerProcess:
    """One worker and its pipe; started at once, by `spawn`, as an OpenGL context cannot be forked."""

    def __init__(self, scripts: bool) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, scripts), daemon=True)
        self.process.start()
        theirs.close()
        self.games: dict[int, OnDrawn] = {}
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self.lost = False
        asyncio.get_running_loop().add_reader(self._pipe.fileno(), self._read)

    async def ask(self, request: Open | Step | Reply | Stop) -> Answer:
        """Send a request and wait for its answer. Raises WorkerLost, and EpisodeFailed with the reason."""
        future = asyncio.get_running_loop().create_future()
        self._waiting[request.game] = future
        self.tell(request)
        try:
            return await asyncio.wait_for(future, HANGS_S)
        except TimeoutError:
            self._lose()
            raise WorkerLost("a worker process hung") from None
        finally:
            self._waiting.pop(request.game, None)

    def tell(self, request: Request) -> None:
        """Send a request that has no answer of its own. Raises WorkerLost."""
        if self.lost:
            raise WorkerLost("a worker process has died")
        try:
            self._pipe.send(request)
        except OSError:
            self._lose()
            raise WorkerLost("a worker process has died") from None

    def close(self) -> None:
        """End the process."""
        self._lose()
        self.process.join(timeout=5)

    def _read(self) -> None:
        try:
            while not self.lost and self._pipe.poll():
                self._take(self._pipe.recv())
        except (EOFError, OSError):
            self._lose()

    def _take(self, message: Answer | Drawn) -> None:
        if isinstance(message, Drawn):
            if message.game in self.games:
                self.games[message.game](message)
        elif (future := self._waiting.get(message.game)) is not None and not future.done():
            if isinstance(message, Failed):
                future.set_exception(EpisodeFailed(message.reason))
            else:
                future.set_result(message)

    def _lose(self) -> None:
        if self.lost:
            return
        self.lost = True
        asyncio.get_running_loop().remove_reader(self._pipe.fileno())
        self._pipe.close()
        self.process.kill()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(WorkerLost("a worker process died"))


class Workers:
    """So many worker processes; one that died is replaced when it is next needed."""

    def __init__(self, count: int, *, scripts: bool = False) -> None:
        self._count, self._scripts = count, scripts
        self._processes: list[WorkerProcess] = []
        self._numbers = itertools.count(1)

    def start(self) -> None:
        """Start the processes; they are ready some seconds later, and requests wait for that."""
        self._processes = [WorkerProcess(self._scripts) for _ in range(self._count)]

    def close(self) -> None:
        """End all processes."""
        for process in self._processes:
            process.close()

    @property
    def processes(self) -> tuple[WorkerProcess, ...]:
        """Those that there are now."""
        return tuple(self._processes)

    def least_busy(self) -> WorkerProcess:
        """The process with the fewest episodes."""
        for place, process in enumerate(self._processes):
            if process.lost:
                self._processes[place] = WorkerProcess(self._scripts)
        return min(self._processes, key=lambda process: len(process.games))

    def number(self) -> int:
        """A number for an episode that no other has."""
        return next(self._numbers)


class RemoteEpisode:
    """An episode in a worker; where that dies, it is built again in another from what was done so far.

    All methods raise EpisodeFailed where the episode cannot be played. One request at a time.
    """

    def __init__(
        self,
        workers: Workers,
        task: Task,
        seed: int,
        trial: int,
        mode: Mode,
        drawn: OnDrawn,
        most_steps: int = SAFETY_STEPS,
    ) -> None:
        self._workers, self._drawn = workers, drawn
        self._game = workers.number()
        self._start = Open(self._game, task, seed, trial, mode, most_steps=most_steps)
        self._actions: list[int] = []
        self._scripts: list[str] = []
        self._process: WorkerProcess | None = None
        self._deaths = 0

    async def open(self, actions: tuple[int, ...] = (), scripts: tuple[str, ...] = ()) -> Opened:
        """Build the episode, and take earlier actions, or scripts, again."""
        self._actions, self._scripts = list(actions), list(scripts)
        while True:
            try:
                return await self._open()
            except WorkerLost:
                self._count_death()

    async def step(self, actions: tuple[int, ...]) -> Stepped:
        """Take actions (indices into `arena.ACTIONS`) until the episode is over."""
        answer = await self._ask(Step(self._game, actions))
        assert isinstance(answer, Stepped)
        self._actions += (*actions[: answer.taken], *(0,) * answer.idle)
        self._deaths = 0
        return answer

    async def reply(self, text: str) -> Replied:
        """Play a script."""
        answer = await self._ask(Reply(self._game, text))
        assert isinstance(answer, Replied)
        self._scripts.append(text)
        return answer

    async def stop(self) -> Stepped:
        """End the episode from outside."""
        answer = await self._ask(Stop(self._game))
        assert isinstance(answer, Stepped)
        return answer

    def draw(self, request: Draw) -> None:
        """Ask for a picture; it comes to `drawn`, or never where the worker dies."""
        if self._process is not None and not self._process.lost:
            with suppress(WorkerLost):
                self._process.tell(request._replace(game=self._game))

    def close(self) -> None:
        """Forget the episode."""
        if self._process is not None:
            self._process.games.pop(self._game, None)
            with suppress(WorkerLost):
                self._process.tell(Close(self._game))

    async def _ask(self, request: Step | Reply | Stop) -> Answer:
        while True:
            try:
                if self._process is None or self._process.lost:
                    await self._open()
                assert self._process is not None
                return await self._process.ask(request)
            except WorkerLost:
                self._count_death()

    async def _open(self) -> Opened:
        self._process = self._workers.least_busy()
        self._process.games[self._game] = self._drawn
        past = self._start._replace(actions=tuple(self._actions), scripts=tuple(self._scripts))
        answer = await self._process.ask(past)
        assert isinstance(answer, Opened)
        return answer

    def _count_death(self) -> None:
        self._deaths += 1
        if self._deaths >= MOST_DEATHS:
            raise EpisodeFailed(
                f"{self._start.task.id}: {self._deaths} worker processes died while they played it; "
                "`arena-llm doctor` tries physics and pictures"
            )
