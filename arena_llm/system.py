"""What may be needed besides Python packages, installed if it is missing and may be, or told how.

`python -m arena_llm.system browser` is about the browser that the report is tested in, `... database` about
the PostgreSQL server that people's data are tested on, `... java` about Java for ScienceWorld. Alone it
compiles the kernel and draws a picture, so that no later command waits for that.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from arena_llm.doctor import ask, install_command

BROWSER_PACKAGES = ("chromium",)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""Commands of browsers that the tests can open a report in, the first that is found."""

JAVA_PACKAGES = ("default-jre-headless",)

DATABASE_PACKAGES = ("postgresql",)
SERVER_PLACES = ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin", "opt/homebrew/opt/postgresql*/bin")
"""Where systems keep PostgreSQL's server programs that do not put them into PATH."""


def _compile() -> int:
    """Compile the kernel and try it; 0 if arenas can be played and drawn."""
    print("Compiling the physics and the renderer, once.", flush=True)
    faults = [fault for probe in ("physics", "drawing") if (fault := str(ask(probe).get("fault", "")))]
    if faults:
        print("\n".join([*faults, "`arena-llm doctor` says more."]), file=sys.stderr)
    return 1 if faults else 0


def browser() -> str | None:
    """The path of a Chromium or Chrome, None where there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def server_program(name: str) -> str | None:
    """The path of a program of PostgreSQL's server, such as initdb; None where there is none."""
    found = [str(path) for place in SERVER_PLACES for path in Path("/").glob(f"{place}/{name}")]
    return max(found, default=None) or shutil.which(name)


def _database_fault() -> str:
    absent = [name for name in ("initdb", "pg_ctl") if server_program(name) is None]
    return f"No PostgreSQL server was found ({' and '.join(absent)})." if absent else ""


def _ensure(packages: Sequence[str], fault_now: Callable[[], str]) -> int:
    """Install Debian packages where there is a fault; 0 when there is none in the end, else 1."""
    fault = fault_now()
    if not fault:
        return 0
    command = " ".join(install_command(packages))
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        print(f"{fault}\nNothing may be installed from here. Run:\n  {command}", file=sys.stderr)
        return 1
    print(f"{fault}\nInstalling {' and '.join(packages)}.")
    for step in (["apt-get", "update", "--quiet=2"], install_command(packages)):
        if subprocess.run(step, stdout=subprocess.DEVNULL, check=False).returncode != 0:
            print(f"{' '.join(step)} failed. Install it yourself, for example:\n  {command}", file=sys.stderr)
            return 1
    fault = fault_now()
    if fault:
        print(f"{fault}\n`arena-llm doctor` says more.", file=sys.stderr)
    return 1 if fault else 0


def main() -> int:
    """Make sure that arenas can be drawn, or that there is what is named; 1 when the user has to act."""
    if sys.argv[1:] == ["browser"]:
        return _ensure(BROWSER_PACKAGES, lambda: "" if browser() else "No browser was found.")
    if sys.argv[1:] == ["database"]:
        return _ensure(DATABASE_PACKAGES, _database_fault)
    if sys.argv[1:] == ["java"]:
        return _ensure(JAVA_PACKAGES, lambda: "" if shutil.which("java") else "No Java was found.")
    return _compile()


if __name__ == "__main__":
    sys.exit(main())
