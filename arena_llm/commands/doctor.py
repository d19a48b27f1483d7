"""The command `arena-llm doctor`; it also runs if the rest of arena-llm cannot be imported."""

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from arena_llm.console import wide_console
from arena_llm.doctor import Check, State, run_checks

_STYLES = {State.OK: "green", State.ABSENT: "yellow", State.BROKEN: "bold red"}


def doctor_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Show what is installed, try physics and drawing, and name remedies; status 1 if one fails."""
    checks = list(run_checks())
    broken = [check.name for check in checks if check.state is State.BROKEN]
    if as_json:
        print(json.dumps({"ok": not broken, "checks": [check._asdict() for check in checks]}, indent=1))
    else:
        _print(checks, broken)
    if broken:
        raise typer.Exit(1)


def doctor_alone() -> None:
    """Run only this command; the others cannot be imported."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.callback()(lambda: None)
    app.command("doctor")(doctor_command)
    app()


def _print(checks: Sequence[Check], broken: Sequence[str]) -> None:
    """Print a table with a row per check, and the remedies as lines that can be copied."""
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
    """Each remedy once, with the checks that it is for."""
    found: dict[str, list[str]] = defaultdict(list)
    for check in checks:
        if check.remedy:
            found[check.remedy].append(check.name)
    return found
