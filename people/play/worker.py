"""The worker process: takes steps first, and draws in the time that is left."""

import signal
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from arena import IDLE, ArenaSpec, Episode
from arena.errors import ArenaError
from people.play.worker_episode import WorkerEpisode
from people.play.worker_protocol import Request
from render import Renderer
from render.image import SMALLEST


def work(pipe: Connection) -> None:
    """Serve requests until the other end of the pipe is closed, also by the death of its process.

    Whatever is slow the first time, such as a step or a picture, is done at the start and not in the middle
    of an episode.
    """
    # Ctrl-C in a terminal reaches every process of the group; the server decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The first step compiles the core, or loads its machine code.
    with Episode(ArenaSpec(time_limit=0, items=()), task_id="first step") as first:
        first.step(IDLE)
    # If drawing does not work, opening an episode reports it.
    with suppress(ArenaError):
        Renderer(SMALLEST, SMALLEST)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        pipe.send(None)
        Worker(pipe).run()


class Worker:
    """Several episodes, each with its own renderer, because a renderer caches the shadows of one arena."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._episodes: dict[int, WorkerEpisode] = {}
        self._to_draw: dict[int, tuple[Any, ...]] = {}

    def run(self) -> None:
        """Serve forever; raises EOFError when the pipe is closed."""
        while True:
            while not self._to_draw or self._pipe.poll():
                self._serve(*self._pipe.recv())
            number = next(iter(self._to_draw))
            self._answer(number, "draw", *self._to_draw.pop(number))

    def _serve(self, number: int, request: Request, *arguments: Any) -> None:
        match request:
            case "draw":
                # A newer request keeps the position in the queue of the one that it replaces.
                self._to_draw[number] = arguments
            case "close":
                self._to_draw.pop(number, None)
                if (episode := self._episodes.pop(number, None)) is not None:
                    episode.close()
            case _:
                self._answer(number, request, *arguments)

    def _answer(self, number: int, request: Request, *arguments: Any) -> None:
        try:
            if request == "open":
                self._episodes[number] = WorkerEpisode(*arguments)
                self._pipe.send((number, self._episodes[number].opened()))
            elif request != "draw" or number in self._episodes:
                self._pipe.send((number, getattr(self._episodes[number], request)(*arguments)))
        except ArenaError as error:
            self._pipe.send((number, str(error)))
