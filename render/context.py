"""The one OpenGL context of a process."""

import os
import sys
import threading
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec

import moderngl

from arena.errors import RenderError

DEVICE = "ARENA_LLM_GPU"
"""The environment variable that chooses the device: a number of EGL's list of devices, from 0."""

EGL_HINT = "install an EGL library, on Debian: apt-get install libegl1 libgl1-mesa-dri"

_MOST_DEVICES = 16
"""How many devices are tried where none is chosen: the first may be one that this user may not open."""


def gl_context() -> moderngl.Context:
    """A context without a window: EGL on Linux, the platform's own elsewhere; current in this thread now.

    It belongs to the process and the thread that first asked for it. Raises RenderError in any other, and,
    with what to install, where none can be made.
    """
    home = _home()
    if home.process != os.getpid():
        raise RenderError(
            f"process {os.getpid()} was forked from process {home.process}, which had drawn before, and "
            "OpenGL cannot be shared: start processes that draw by 'spawn' or 'forkserver' "
            "(multiprocessing.get_context('spawn')), or draw in none before they are forked"
        )
    if not hasattr(home.thread, "here"):
        raise RenderError(
            f"thread {threading.current_thread().name!r}: OpenGL belongs to thread {home.name!r}, which drew "
            "first: make and use renderers in one thread, or in processes of their own"
        )
    # A window, or another library, may have made a context of its own the current one; 0.4 us.
    home.context.__enter__()  # type: ignore[no-untyped-call]
    return home.context


def drawn_by() -> str:
    """What draws in this process, such as a graphics card, and its version; raises as `gl_context` does."""
    info = gl_context().info
    return f"{info['GL_RENDERER']}, {info['GL_VERSION']}"


class _Home:
    """The context, and the only process and thread in which it may be used."""

    def __init__(self) -> None:
        self.context = _created()
        # What Python frees is freed on the GPU by `context.gc()`, in the thread that draws.
        self.context.gc_mode = "context_gc"
        self.process, self.name = os.getpid(), threading.current_thread().name
        # Not the thread's number, which another thread may get when this one has ended.
        self.thread = threading.local()
        self.thread.here = True


@cache
def _home() -> _Home:
    return _Home()


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
    """Load Triton, if it is there, before Mesa.

    It comes with PyTorch's CUDA builds and has an LLVM of its own. Loaded after Mesa's, as PyTorch does when
    an optimizer is made, it ends the process by a segmentation fault (Triton 3.9, Mesa with LLVM 15).
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
    except Exception as error:  # moderngl raises bare Exception where the library or a driver is missing
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        another = settings.get("device_index") and "requested device index" in reason
        hint = f"choose another by {DEVICE}" if another else EGL_HINT
        raise RenderError(f"no picture can be drawn without a screen ({reason}); {hint}") from None
