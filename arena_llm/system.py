"""What the machine must have besides Python packages: a library that draws without a screen (EGL).

`python -m arena_llm.system` installs it where it is missing and may be installed, and else says how.
"""

import ctypes.util
import os
import shutil
import subprocess
import sys

EGL_PACKAGES = ("libegl1", "libgl1-mesa-dri")
"""Debian packages of EGL and its software renderer."""


def has_egl() -> bool:
    """Whether an EGL library is found; only Linux needs one, other systems bring their own OpenGL."""
    return not sys.platform.startswith("linux") or ctypes.util.find_library("EGL") is not None


def install_command() -> list[str]:
    """The command that installs EGL on Debian and its relatives."""
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    return [*sudo, "apt-get", "install", "--yes", *EGL_PACKAGES]


def _may_install() -> bool:
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def main() -> int:
    """Make sure that EGL is there; 0 when it is, 1 when the user has to install it."""
    if has_egl():
        return 0
    command = " ".join(install_command())
    if not _may_install():
        print(
            f"No EGL library was found, and it may not be installed from here. Run:\n  {command}",
            file=sys.stderr,
        )
        return 1
    print(f"No EGL library was found; installing {' and '.join(EGL_PACKAGES)}.")
    for step in (["apt-get", "update", "--quiet=2"], install_command()):
        if subprocess.run(step, stdout=subprocess.DEVNULL, check=False).returncode != 0:
            print(
                f"{' '.join(step)} failed. Install EGL yourself, for example:\n  {command}", file=sys.stderr
            )
            return 1
    return 0 if has_egl() else 1


if __name__ == "__main__":
    sys.exit(main())
