"""Command `arena-llm doctor`; it also runs if the rest of arena-llm cannot be imported.

Its checks of Python, packages, physics and drawing import nothing that may be missing or broken.
"""

import json
import platform
import re
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Annotated, Any, NamedTuple

import typer
from rich.table import Table
from rich.text import Text

from arena_llm.console import wide_console

TIMEOUT_S = 600.0
"""A probe takes two seconds, a minute where it compiles first; one that takes this long hangs."""


def ask(probe: str) -> dict[str, Any]:
    """Run the probe `drawing`, `names` or `physics`; its findings have a `fault`, or ""."""
    return answer([sys.executable, "-m", "arena_llm.doctor_probe", probe])


def answer(command: Sequence[str], timeout_s: float = TIMEOUT_S) -> dict[str, Any]:
    """Read a command's last line as JSON; a crash or timeout is its `fault`."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, errors="replace")
    except subprocess.TimeoutExpired:
        return {"fault": f"no answer within {timeout_s:g} s"}
    except OSError as error:
        return {"fault": f"Python could not be started ({error.strerror or error})"}
    if ran.returncode < 0:
        return {"fault": f"the process was ended by a signal: {signal.strsignal(-ran.returncode)}"}
    try:
        found: dict[str, Any] = json.loads(ran.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        last = (ran.stderr.strip().splitlines() or [f"exit status {ran.returncode}"])[-1]
        return {"fault": last}
    return found


PYTHONS = ((3, 11), (3, 14))
"""The first supported Python, and the first one too new (`pyproject.toml`)."""

_REINSTALL = "pip install --force-reinstall numba llvmlite numpy"

LISTED = ("numpy", "numba", "gymnasium")
"""Required packages with a row of their own."""


class State(StrEnum):
    """State of a check. If one is BROKEN, no arena can be played or drawn."""

    OK = "ok"
    SHARED = "shared"
    ABSENT = "absent"
    BROKEN = "broken"


class Check(NamedTuple):
    """One check: what was found, and a remedy ("" if none is needed)."""

    name: str
    state: State
    found: str
    remedy: str = ""


def run_checks() -> Iterator[Check]:
    """Run all checks, in the order of the table; takes a few seconds."""
    yield python_check(sys.version_info[:2])
    yield from _packages()
    with ThreadPoolExecutor() as pool:
        names, physics, drawing = pool.map(ask, ("names", "physics", "drawing"))
    yield names_check(names)
    yield probed("physics", physics, "60 steps, run twice: the same bits")
    drawn = "84 x 84, drawn twice: the same bytes as on every machine"
    yield probed("picture", drawing, drawn, unimported="repair the packages first")
    yield from _extras()


def python_check(found: tuple[int, int]) -> Check:
    """Check that this Python is supported."""
    first, beyond = PYTHONS
    name = f"{platform.python_version()} ({sys.executable})"
    if first <= found < beyond:
        return Check("Python", State.OK, name)
    remedy = f"use Python {first[0]}.{first[1]} to {beyond[0]}.{beyond[1] - 1}: make PYTHON=python3.11"
    return Check("Python", State.BROKEN, name, remedy)


def probed(name: str, found: dict[str, Any], well: str, unimported: str = _REINSTALL) -> Check:
    """Check a probe's findings. `well` describes success, `unimported` the remedy for a failed import."""
    if fault := found.get("fault", ""):
        return Check(name, State.BROKEN, fault, unimported if found.get("import") else _REINSTALL)
    return Check(name, State.OK, well)


def names_check(found: dict[str, Any]) -> Check:
    """Check that our package names import arena-llm's files only."""
    remedy = "pip install --force-reinstall --no-deps arena-llm"
    check = probed("package names", found, "all files are as installed")
    if found.get("fault"):
        return check if found.get("import") else check._replace(remedy=remedy)
    if others := found.get("shared"):
        return Check(check.name, State.SHARED, others, f"after uninstalling one of these: {remedy}")
    return check


def _packages() -> Iterator[Check]:
    for name in ("arena-llm", *LISTED):
        found = _version(name)
        remedy = "make setup" if name == "arena-llm" else f"pip install {name}"
        absent = Check(name, State.BROKEN, "not installed", remedy)
        yield absent if found is None else Check(name, State.OK, found)
    others = [name for name, extra in _requirements() if extra is None and name not in LISTED]
    missing = [name for name in others if _version(name) is None]
    if missing:
        found = f"missing: {', '.join(missing)}"
        yield Check("other packages", State.BROKEN, found, f"pip install {' '.join(missing)}")
    else:
        yield Check("other packages", State.OK, f"all {len(others)} installed")


def _extras() -> Iterator[Check]:
    """Check each package that only some features need."""
    seen: set[str] = set()
    for name, extra in _requirements():
        if extra is None or extra in ("dev", "test") or name in ("arena-llm", *seen):
            continue
        seen.add(name)
        found = _version(name)
        if found is None:
            yield Check(f"{name} (optional)", State.ABSENT, "-", f"pip install 'arena-llm[{extra}]'")
        else:
            yield Check(f"{name} (optional)", State.OK, found)


def _requirements() -> list[tuple[str, str | None]]:
    """List the packages that arena-llm requires, with their extra."""
    try:
        lines = requires("arena-llm") or []
    except PackageNotFoundError:
        return []
    return [requirement(line) for line in lines]


def requirement(line: str) -> tuple[str, str | None]:
    """Parse package and extra of a line such as `pettingzoo>=1.24; extra == "multi"`."""
    name = re.match(r"[A-Za-z0-9._-]+", line)
    extra = re.search(r"""extra\s*==\s*["']([^"']+)["']""", line)
    return (name[0].lower() if name else line), extra[1] if extra else None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


_STYLES = {State.OK: "green", State.SHARED: "yellow", State.ABSENT: "yellow", State.BROKEN: "bold red"}


def doctor_command(
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of a table.")] = False,
) -> None:
    """Show what is installed, test physics and drawing, suggest remedies; status 1 if one fails."""
    checks = list(run_checks())
    broken = [check.name for check in checks if check.state is State.BROKEN]
    if as_json:
        print(json.dumps({"ok": not broken, "checks": [check._asdict() for check in checks]}, indent=1))
    else:
        _print(checks, broken)
    if broken:
        raise typer.Exit(1)


def doctor_alone() -> None:
    """Run this command only, if the others cannot be imported."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.callback()(lambda: None)
    app.command("doctor")(doctor_command)
    app()


def _print(checks: Sequence[Check], broken: Sequence[str]) -> None:
    """Print a table of checks, and remedies to copy."""
    table = Table()
    for heading in ("check", "state", "found"):
        table.add_column(heading, overflow="fold")
    for check in checks:
        table.add_row(check.name, Text(check.state, style=_STYLES[check.state]), Text(check.found))
    console = wide_console(100)
    console.print(table)
    for remedy, names in _remedies(checks).items():
        console.print(Text(f"{', '.join(names)}: {remedy}"), soft_wrap=True)
    verdict = Text("Arenas can be played and drawn here.", style="green")
    if broken:
        verdict = Text(f"Arenas cannot be played and drawn here: {', '.join(broken)}.", style="bold red")
    console.print(verdict, soft_wrap=True)


def _remedies(checks: Sequence[Check]) -> dict[str, list[str]]:
    """Yield each remedy once, with its checks."""
    found: dict[str, list[str]] = defaultdict(list)
    for check in checks:
        if check.remedy:
            found[check.remedy].append(check.name)
    return found
