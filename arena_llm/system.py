"""What the machine must have besides Python packages: OpenGL that draws without a screen (EGL).

`python -m arena_llm.system` installs it where it is missing and may be installed, and else says how.
"""

import os
import shutil
import subprocess
import sys

from arena_llm.doctor.ask import ask
from arena_llm.doctor.egl import EGL_PACKAGES, install_command


def drawing_fault() -> str:
    """Why no right picture can be drawn; "" where one can."""
    return str(ask("drawing").get("fault", ""))


def _may_install() -> bool:
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def main() -> int:
    """Make sure that a picture can be drawn; 0 when it can, 1 when the user has to do something."""
    fault = drawing_fault()
    if not fault:
        return 0
    command = " ".join(install_command())
    if not _may_install():
        print(f"{fault}\nNothing may be installed from here. Run:\n  {command}", file=sys.stderr)
        return 1
    print(f"{fault}\nInstalling {' and '.join(EGL_PACKAGES)}.")
    for step in (["apt-get", "update", "--quiet=2"], install_command()):
        if subprocess.run(step, stdout=subprocess.DEVNULL, check=False).returncode != 0:
            print(
                f"{' '.join(step)} failed. Install EGL yourself, for example:\n  {command}", file=sys.stderr
            )
            return 1
    fault = drawing_fault()
    if fault:
        print(f"{fault}\n`arena-llm doctor` says more.", file=sys.stderr)
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
