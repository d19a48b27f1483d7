"""Ctrl-C, SIGTERM, and unwritable standard output; its imports are quick."""

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import NoReturn

_status = 128 + signal.SIGINT


def obey_signals() -> None:
    """Let Ctrl-C and SIGTERM raise KeyboardInterrupt, but end the process at once while it imports.

    Packages swallow exceptions that are raised in the middle of their import. Ignored signals stay ignored.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminated)
    sys.unraisablehook = _dropped


def work_begins() -> None:
    """Let Ctrl-C raise KeyboardInterrupt during imports too, from now on, to save work.

    Call this before an event loop runs: asyncio cancels tasks only if Ctrl-C has Python's own handler.
    """
    if signal.getsignal(signal.SIGINT) is _interrupted:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def interrupted_status() -> int:
    """Return the exit status of the received signal, as in shells: 130 or 143."""
    return _status


def print_anything() -> None:
    """Print "?" for characters outside the output's encoding."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # None if closed, and tests replace it
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]


def exit_unwritten(error: OSError) -> NoReturn:
    """Exit with status 1, as standard output cannot be written; silently if its reader is gone."""
    if not isinstance(error, BrokenPipeError):
        print(f"arena-llm: standard output cannot be written: {error.strerror}", file=sys.stderr)
    # Python would write the rest at its end, and fail again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(1)


def _interrupted(number: int, frame: FrameType | None) -> None:
    if _importing(frame):
        with suppress(Exception):
            sys.stdout.flush()
        os.write(2, b"arena-llm: stopped\n")
        os._exit(_status)
    raise KeyboardInterrupt


def _dropped(what: "sys.UnraisableHookArgs") -> None:
    """Send a signal again that arrived while Python freed an object, where exceptions are dropped."""
    if what.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(what)
    else:
        threading.Timer(0.05, signal.raise_signal, [signal.SIGINT]).start()


def _terminated(number: int, frame: FrameType | None) -> None:
    global _status
    _status = 128 + signal.SIGTERM
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        _interrupted(number, frame)
    signal.raise_signal(signal.SIGINT)


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False
