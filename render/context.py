"""The one OpenGL context of a process."""

import sys
from functools import cache

import moderngl

from arena.errors import RenderError

EGL_HINT = "install an EGL library, on Debian: apt-get install libegl1 libgl1-mesa-dri"


@cache
def gl_context() -> moderngl.Context:
    """A context without a window: EGL on Linux, the platform's own elsewhere.

    Raises RenderError, with what to install, where none can be made.
    """
    try:
        if sys.platform.startswith("linux"):
            context = moderngl.create_context(standalone=True, require=330, backend="egl")  # type: ignore[arg-type]
        else:
            context = moderngl.create_context(standalone=True, require=330)
    except Exception as error:  # moderngl raises bare Exception where the library or a driver is missing
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise RenderError(f"no picture can be drawn without a screen ({reason}); {EGL_HINT}") from None
    # What Python frees is freed on the GPU by `context.gc()`, in the thread that draws.
    context.gc_mode = "context_gc"
    return context
