"""What the doctor found, as a table and as JSON."""

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena_llm.doctor.checks import Check, State

_STYLES = {State.OK: "green", State.ABSENT: "yellow", State.BROKEN: "bold red"}


def print_checks(console: Console, checks: Sequence[Check]) -> None:
    """A table with a row per check, and what to do as lines that can be copied."""
    table = Table()
    for heading in ("what", "state", "found"):
        table.add_column(heading, overflow="fold")
    for check in checks:
        table.add_row(check.name, Text(check.state, style=_STYLES[check.state]), Text(check.found))
    console.print(table)
    for check in checks:
        if check.remedy:
            console.print(Text(f"{check.name}: {check.remedy}"), soft_wrap=True)
    broken = [check.name for check in checks if check.state is State.BROKEN]
    if broken:
        told = f"arena-llm cannot do its main job here: {', '.join(broken)}."
        console.print(Text(told, style="bold red"), soft_wrap=True)
    else:
        console.print(Text("arena-llm can do its main job here.", style="green"))


def write_checks(checks: Sequence[Check]) -> str:
    """The same as JSON: `ok`, and under `checks` name, state, found and remedy of each."""
    rows: list[dict[str, Any]] = [
        {"name": check.name, "state": str(check.state), "found": check.found, "remedy": check.remedy}
        for check in checks
    ]
    return json.dumps({"ok": can_run(checks), "checks": rows}, indent=1)


def can_run(checks: Sequence[Check]) -> bool:
    """Whether nothing is broken that the main job needs."""
    return all(check.state is not State.BROKEN for check in checks)
