"""What the machine must have besides Python packages: a library that draws without a screen (EGL).

`python -m arena_llm.system` installs it where it is missing and may be installed, and else says how;
`python -m arena_llm.system browser` does so with the browser that the report is tested in.
"""

import ctypes.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence

EGL_PACKAGES = ("libegl1", "libgl1-mesa-dri")
"""Debian packages of EGL and its software renderer."""

BROWSER_PACKAGES = ("chromium",)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""Commands of browsers that the tests can open a report in, the first that is found."""


def has_egl() -> bool:
    """Whether an EGL library is found; only Linux needs one, other systems bring their own OpenGL."""
    return not sys.platform.startswith("linux") or ctypes.util.find_library("EGL") is not None


def browser() -> str | None:
    """The path of a Chromium or Chrome, None where there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def install_command(packages: Sequence[str] = EGL_PACKAGES) -> list[str]:
    """The command that installs packages, EGL where none are named, on Debian and its relatives."""
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    return [*sudo, "apt-get", "install", "--yes", *packages]


def _may_install() -> bool:
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def _ensure(what: str, packages: Sequence[str], is_there: Callable[[], bool]) -> int:
    if is_there():
        return 0
    command = " ".join(install_command(packages))
    if not _may_install():
        print(
            f"No {what} was found, and it may not be installed from here. Run:\n  {command}", file=sys.stderr
        )
        return 1
    print(f"No {what} was found; installing {' and '.join(packages)}.")
    for step in (["apt-get", "update", "--quiet=2"], install_command(packages)):
        if subprocess.run(step, stdout=subprocess.DEVNULL, check=False).returncode != 0:
            print(f"{' '.join(step)} failed. Install it yourself, for example:\n  {command}", file=sys.stderr)
            return 1
    return 0 if is_there() else 1


def main() -> int:
    """Make sure that EGL, or the browser, is there; 0 when it is, 1 when the user has to install it."""
    if sys.argv[1:] == ["browser"]:
        return _ensure("browser", BROWSER_PACKAGES, lambda: browser() is not None)
    return _ensure("EGL library", EGL_PACKAGES, has_egl)


if __name__ == "__main__":
    sys.exit(main())
