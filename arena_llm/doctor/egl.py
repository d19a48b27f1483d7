"""EGL, which draws without a screen on Linux."""

import ctypes.util
import os
import sys
from collections.abc import Sequence

EGL_PACKAGES = ("libegl1", "libgl1-mesa-dri")
"""Debian packages of EGL and its software renderer."""


def has_egl() -> bool:
    """Whether an EGL library is found; other systems than Linux bring their own OpenGL."""
    return not sys.platform.startswith("linux") or ctypes.util.find_library("EGL") is not None


def install_command(packages: Sequence[str] = EGL_PACKAGES) -> list[str]:
    """The command that installs packages (default: EGL) on Debian and its relatives."""
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    return [*sudo, "apt-get", "install", "--yes", *packages]
