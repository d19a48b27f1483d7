"""pyrender itself, imported on first use, and the one OpenGL context that it draws with."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from arena.errors import RenderError

HINT = "install EGL and OpenGL libraries, on Debian: apt-get install libegl1 libgl1 libgl1-mesa-dri"
"""Debian packages that PyOpenGL needs."""


@cache
def pyrender() -> Any:
    """The package. Raises RenderError if it is not installed or cannot be loaded."""
    if sys.platform.startswith("linux"):
        # PyOpenGL reads this once, when it is imported; pyrender whenever it creates a context.
        os.environ.setdefault("PYOPENGL_PLATFORM", "egl")
    try:
        import pyrender as package

        if os.environ.get("PYOPENGL_PLATFORM") == "egl":
            # If PyOpenGL was imported before, for a screen, this switches it to EGL.
            import pyrender.platforms.egl
    except ModuleNotFoundError as error:
        raise RenderError(
            f"the renderer 'pyrender' needs the package {error.name}: pip install 'arena-llm[pyrender]'"
        ) from None
    except Exception as error:  # what PyOpenGL raises without a library depends on the platform
        raise RenderError(f"pyrender cannot be loaded ({error}); {HINT}") from None
    return package


@contextmanager
def drawing() -> Iterator[Any]:
    """pyrender's renderer, for one thread at a time; afterwards the former context is current again, or none.

    pyrender would leave its own context current, which no other thread could use then.
    """
    with _turn:
        pyrender()
        before = _current()
        try:
            yield _offscreen()
        finally:
            _restore(before)


def _restore(before: tuple[Any, Any, Any, Any] | None) -> None:
    """Make a former context current; without one, none is."""
    if (after := _current()) is None:
        return
    from OpenGL import EGL

    none = (EGL.EGL_NO_SURFACE, EGL.EGL_NO_SURFACE, EGL.EGL_NO_CONTEXT)
    EGL.eglMakeCurrent(*(before or (after[0], *none)))


_turn = threading.RLock()


@cache
def _offscreen() -> Any:
    """One for all sizes, never closed: closing it would end EGL for all users of the display."""
    try:
        return pyrender().OffscreenRenderer(1, 1)
    except Exception as error:  # EGL's failures have no common type
        reason = str(error) or type(error).__name__
        raise RenderError(f"pyrender cannot draw without a screen ({reason}); {HINT}") from None


def _current() -> tuple[Any, Any, Any, Any] | None:
    """EGL's display, surfaces for drawing and reading, and context; None if no context is current."""
    if os.environ.get("PYOPENGL_PLATFORM") != "egl":
        return None
    from OpenGL import EGL

    context = EGL.eglGetCurrentContext()
    if not context:
        return None
    surfaces = (EGL.eglGetCurrentSurface(EGL.EGL_DRAW), EGL.eglGetCurrentSurface(EGL.EGL_READ))
    return (EGL.eglGetCurrentDisplay(), *surfaces, context)
