"""The one OpenGL context of a process, used by one thread at a time."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec

import moderngl

from arena.errors import RenderError

DEVICE = "ARENA_LLM_GPU"
"""Environment variable that selects the device: its index in EGL's list of devices, from 0."""

EGL_HINT = "install an EGL library, on Debian: apt-get install libegl1 libgl1-mesa-dri"

THREADS = "LP_NUM_THREADS"
"""Environment variable with which Mesa draws without a graphics processor: the number of its threads."""

_SMALL_PX = 128 * 128
"""Pixels up to which Mesa draws faster without threads: waking them takes longer than what they save."""

_MOST_DEVICES = 16
"""Number of devices tried by default: this user may not be allowed to open the first one."""


@contextmanager
def drawing(pixels: int | None = None) -> Iterator[moderngl.Context]:
    """The process's context, without a window: EGL on Linux, the platform's own elsewhere.

    Inside, it is current in this thread, and other threads that draw wait; a call may be nested in another.
    The first call creates it, for pictures of a number of `pixels`: unless `LP_NUM_THREADS` is set, Mesa
    draws small ones without threads of its own. Raises RenderError in a process that was forked after
    drawing, and, naming what to install, if no context can be created.
    """
    with _turn:
        home = _home(pixels)
        if home.process != os.getpid():
            raise RenderError(
                f"process {os.getpid()} was forked from process {home.process} after that had drawn, and "
                "OpenGL cannot be shared: start processes that draw with 'spawn' or 'forkserver' "
                "(multiprocessing.get_context('spawn')), or fork before drawing anything"
            )
        home.depth += 1
        try:
            if home.depth == 1:
                home.context.__enter__()  # type: ignore[no-untyped-call]
            yield home.context
        finally:
            home.depth -= 1
            if home.depth == 0:
                # Current nowhere, it can be used by any thread, also after this one ended; this takes 1 us.
                home.context.__exit__(None, None, None)  # type: ignore[no-untyped-call]


def gl_context() -> moderngl.Context:
    """The context of the process; call this and use it only inside `drawing`."""
    return _home().context


def drawn_by() -> str:
    """The graphics card or software that draws in this process, and its version; raises as `drawing`."""
    with drawing() as context:
        info = context.info
    return f"{info['GL_RENDERER']}, {info['GL_VERSION']}"


def _new_turn() -> None:
    """A forked process inherits the lock, but not the thread that may hold it."""
    global _turn
    _turn = threading.RLock()


_turn = threading.RLock()
"""Held by the thread that draws; OpenGL's state is that of the process."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_turn)


class _Home:
    """The context, the only process in which it may be used, and how deeply calls of `drawing` are nested."""

    def __init__(self, pixels: int | None) -> None:
        with _threads_for(pixels):
            self.context = _created()
        # GPU objects that Python has freed are released by `context.gc()`, in a thread that draws.
        self.context.gc_mode = "context_gc"
        self.process, self.depth = os.getpid(), 0


_only: _Home | None = None


def _home(pixels: int | None = None) -> _Home:
    global _only
    if _only is None:
        _only = _Home(pixels)
    return _only


@contextmanager
def _threads_for(pixels: int | None) -> Iterator[None]:
    """Let Mesa, which reads the number of its threads when the context is created, have as many as fit."""
    if THREADS in os.environ:
        yield
        return
    cores = len(os.sched_getaffinity(0)) if sys.platform.startswith("linux") else os.cpu_count() or 1
    small = pixels is not None and pixels <= _SMALL_PX
    # One more than cores: a core that drew the commands is still awake when the threads are given theirs.
    os.environ[THREADS] = "0" if small else str(cores + 1)
    try:
        yield
    finally:
        del os.environ[THREADS]


def _created() -> moderngl.Context:
    if not sys.platform.startswith("linux"):
        return _made({})
    _load_triton()
    chosen = _chosen_device()
    errors = []
    for device in range(_MOST_DEVICES) if chosen is None else [chosen]:
        try:
            return _made({"backend": "egl", "device_index": device})
        except RenderError as error:
            errors.append(error)
    raise errors[0]


def _load_triton() -> None:
    """Load Triton, if installed, before Mesa.

    PyTorch's CUDA builds bring it, with its own LLVM. Loaded after Mesa's, as PyTorch does when an optimizer
    is created, it crashes the process with a segmentation fault (Triton 3.9, Mesa with LLVM 15).
    """
    if find_spec("triton") is not None:
        with suppress(ImportError):
            import_module("triton")


def _chosen_device() -> int | None:
    text = os.environ.get(DEVICE, "").strip()
    if text and not (text.isascii() and text.isdecimal()):
        raise RenderError(f"{DEVICE}: got {text!r}, expected the number of an EGL device, 0 or more")
    return int(text) if text else None


def _made(settings: dict[str, str | int]) -> moderngl.Context:
    try:
        return moderngl.create_context(standalone=True, require=330, **settings)  # type: ignore[arg-type]
    except Exception as error:  # moderngl raises a bare Exception if the library or a driver is missing
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        another = settings.get("device_index") and "requested device index" in reason
        hint = f"choose another with {DEVICE}" if another else EGL_HINT
        raise RenderError(f"no picture can be drawn without a screen ({reason}); {hint}") from None
