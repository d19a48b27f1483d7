"""The `arena-llm doctor` command; it runs also where arena-llm itself does not."""

from typing import Annotated

import typer

from arena_llm.console import wide_console

COLUMNS = 100
"""Width of the table."""


def doctor_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of the table.")] = False,
) -> None:
    """Say what is installed, try physics and a picture, and say what to do; status 1 if one fails."""
    from arena_llm.doctor import examine, print_checks, write_checks
    from arena_llm.doctor.report import can_run

    checks = list(examine())
    if as_json:
        print(write_checks(checks))
    else:
        print_checks(wide_console(COLUMNS), checks)
    if not can_run(checks):
        raise typer.Exit(1)


def doctor_alone() -> None:
    """Run only this command, where the others cannot be imported."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.callback()(lambda: None)
    app.command("doctor")(doctor_command)
    app()
