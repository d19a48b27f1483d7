"""The worker process: takes steps first, and draws in the time that is left."""

import signal
from contextlib import suppress
from multiprocessing.connection import Connection

from arena import IDLE, ArenaSpec, Episode
from arena.errors import ArenaError
from people.play.worker_episode import KeyEpisode, WorkerEpisode
from people.play.worker_protocol import (
    Close,
    Draw,
    Failed,
    Open,
    Ready,
    Reply,
    Request,
    Step,
    Stop,
)
from render import Renderer
from render.image import SMALLEST


def work(pipe: Connection, scripts: bool) -> None:
    """Serve requests until the other end of the pipe is closed, also by the death of its process.

    Whatever is slow the first time, such as a step, a picture or importing what `scripts` needs, is done
    at the start and not in the middle of an episode.
    """
    # Ctrl-C in a terminal reaches every process of the group; the server decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if scripts:
        import people.play.script_episode  # noqa: F401
    # The first step compiles the core, or loads its machine code.
    with Episode(ArenaSpec(time_limit=0, items=()), task_id="first step") as first:
        first.step(IDLE)
    # If drawing does not work, opening an episode reports it.
    with suppress(ArenaError):
        Renderer(SMALLEST, SMALLEST)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        pipe.send(Ready())
        Worker(pipe).run()


class Worker:
    """Several episodes, each with its own renderer, because a renderer caches the shadows of one arena."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._episodes: dict[int, WorkerEpisode] = {}
        self._to_draw: dict[int, Draw] = {}

    def run(self) -> None:
        """Serve forever; raises EOFError when the pipe is closed."""
        while True:
            while not self._to_draw or self._pipe.poll():
                self._serve(self._pipe.recv())
            self._answer(self._to_draw.pop(next(iter(self._to_draw))))

    def _serve(self, request: Request) -> None:
        match request:
            case Draw():
                # A newer request keeps the position in the queue of the one that it replaces.
                self._to_draw[request.episode] = request
            case Close():
                self._to_draw.pop(request.episode, None)
                if (episode := self._episodes.pop(request.episode, None)) is not None:
                    episode.close()
            case _:
                self._answer(request)

    def _answer(self, request: Open | Step | Reply | Stop | Draw) -> None:
        number = request.episode
        try:
            if isinstance(request, Open):
                self._episodes[number] = _created(request)
                self._pipe.send(self._episodes[number].opened())
            elif not isinstance(request, Draw):
                self._pipe.send(self._episodes[number].answer(request))
            elif isinstance(episode := self._episodes.get(number), KeyEpisode):
                self._pipe.send(episode.drawn(request))
        except ArenaError as error:
            self._pipe.send(Failed(number, str(error)))


def _created(request: Open) -> WorkerEpisode:
    if request.mode == "keys":
        return KeyEpisode(request)
    from people.play.script_episode import ScriptEpisode

    return ScriptEpisode(request)
