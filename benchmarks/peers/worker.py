"""A contender in its own process, which works on request."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from arena import ArenaError, EvaluationError
from arena.closing import Closing
from benchmarks.peers.contenders import Contender, Timed, Work

PATIENCE_S = 300.0
"""A contender that does not answer within this time is given up."""

_GONE = "its process ended without an answer, as a broken driver makes it"


class Absent(EvaluationError):
    """A contender cannot do its work; the message is the reason."""


class Order(NamedTuple):
    """What to do, with pictures of which side, how many times; 0 times asks for `about()`."""

    work: Work
    side: int
    times: int


class Worker(Closing):
    """A running contender; a context manager that ends its process."""

    def __init__(self, contender: Contender, seed: int) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._pipe, theirs = spawn.Pipe()
        self._process = spawn.Process(target=serve, args=(theirs, contender, seed), daemon=True)
        self._process.start()
        theirs.close()

    def about(self) -> dict[str, str]:
        """Versions of the contender; raises Absent if it cannot run."""
        found: dict[str, str] = self._ask(Order(Work.FRAMES, 0, 0))
        return found

    def seconds(self, work: Work, side: int, count: int) -> float:
        """How long the work took; raises Absent if it cannot be done."""
        return float(self._ask(Order(work, side, count)))

    def _ask(self, order: Order) -> Any:
        try:
            self._pipe.send(order)
            if not self._pipe.poll(PATIENCE_S):
                raise Absent(f"it did not answer within {PATIENCE_S:g} s")
            answer, reason = self._pipe.recv()
        except (EOFError, OSError):
            raise Absent(_GONE) from None
        if reason is not None:
            raise Absent(reason)
        return answer

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


def serve(pipe: Connection, contender: Contender, seed: int) -> None:
    """Answer orders until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Peers print to the terminal.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    workplace = _Workplace(contender, seed)
    while True:
        try:
            order = pipe.recv()
        except EOFError:
            return
        pipe.send(_answer(lambda order=order: workplace.do(order), contender.install))  # type: ignore[misc]


class _Workplace:
    """Carries out orders; opens what each kind of order needs once."""

    def __init__(self, contender: Contender, seed: int) -> None:
        self._contender, self._seed = contender, seed
        self._open: dict[tuple[Work, int], Timed] = {}

    def do(self, order: Order) -> Any:
        module = import_module(self._contender.module)
        if not order.times:
            return module.about()
        key = order.work, order.side
        if key not in self._open:
            self._open[key] = module.opened(order.work, order.side, self._seed, **self._contender.options)
        return self._open[key](order.times)


def _answer(work: Callable[[], Any], install: str) -> tuple[Any, str | None]:
    """The work's result, or why it cannot be done, for any exception of a peer."""
    try:
        return work(), None
    except ModuleNotFoundError as error:
        return None, f"{error.name} is not installed; {install}"
    except ArenaError as error:
        return None, str(error)
    except Exception as error:
        return None, f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
