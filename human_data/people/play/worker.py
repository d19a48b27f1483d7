"""The process that owns episodes: it takes steps first, and draws in the time that is left."""

import os
import signal
from contextlib import suppress
from multiprocessing.connection import Connection

from arena.errors import ArenaError
from human_data.people.play.live import Live, LiveKeys
from human_data.people.play.wire import Close, Draw, Failed, Open, Reply, Request, Step, Stop
from render import Renderer
from render.image import SMALLEST


def work(pipe: Connection, scripts: bool) -> None:
    """Serve requests until the other end of the pipe is closed, also by the death of its process.

    What takes long the first time, such as opening OpenGL, is done at once, not in the middle of somebody's
    episode; so is importing what `scripts` needs.
    """
    # Ctrl-C in a terminal reaches every process of the group; the server decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Mesa's own threads only get in the way of the other workers.
    os.environ.setdefault("LP_NUM_THREADS", "0")
    if scripts:
        import human_data.people.play.live_scripts  # noqa: F401
    # What is wrong is told to whoever opens an episode.
    with suppress(ArenaError):
        Renderer(SMALLEST, SMALLEST)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        Worker(pipe).run()


class Worker:
    """Several episodes, each with a renderer of its own: a renderer keeps the shadows of one arena."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._games: dict[int, Live] = {}
        self._wanted: dict[int, Draw] = {}

    def run(self) -> None:
        """Serve for ever; raises EOFError when the pipe is closed."""
        while True:
            while not self._wanted or self._pipe.poll():
                self._serve(self._pipe.recv())
            self._draw(self._wanted.pop(next(iter(self._wanted))))

    def _serve(self, request: Request) -> None:
        match request:
            case Draw():
                # A newer request keeps the place in the row of the one that it replaces.
                self._wanted[request.game] = request
            case Close():
                self._wanted.pop(request.game, None)
                if (live := self._games.pop(request.game, None)) is not None:
                    live.close()
            case _:
                self._answer(request)

    def _answer(self, request: Open | Step | Reply | Stop) -> None:
        try:
            if isinstance(request, Open):
                self._games[request.game] = live = _made(request)
                self._pipe.send(live.opened())
            else:
                self._pipe.send(self._games[request.game].answer(request))
        except ArenaError as error:
            self._pipe.send(Failed(request.game, str(error)))

    def _draw(self, request: Draw) -> None:
        live = self._games.get(request.game)
        if isinstance(live, LiveKeys):
            try:
                self._pipe.send(live.drawn(request))
            except ArenaError as error:
                self._pipe.send(Failed(request.game, str(error)))


def _made(request: Open) -> Live:
    if request.mode == "keys":
        return LiveKeys(request)
    from human_data.people.play.live_scripts import LiveScripts

    return LiveScripts(request)
