"""The `arena-llm testbed` commands."""

import json
import sys
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from arena_llm.status import INTERRUPTED
from arena_llm.version_option import AnimalAI

if TYPE_CHECKING:
    from testbed.check import FileReport

testbed_app = typer.Typer(help="Look after task files.", no_args_is_help=True)


class Format(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"


@testbed_app.callback()
def _group() -> None:
    """Keeps `check` a word of its own while it is the only command."""


@testbed_app.command("check")
def check_command(
    target: Annotated[Path, typer.Argument(help="A task file, or a folder of them with its subfolders.")],
    seed: Annotated[int, typer.Option(help="First of the seeds that every arena is built with.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes; as many as there are cores where left out.")
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="How findings are printed.")] = Format.TEXT,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Only files with warnings or errors, and no notes.")
    ] = False,
    upgrade: Annotated[
        bool, typer.Option("--upgrade", help="First rewrite old keys and object names in place.")
    ] = False,
    svg: Annotated[
        Path | None, typer.Option(help="Folder for a plan of every arena, seen from above.")
    ] = None,
    animal_ai: AnimalAI = "3.1.3",
) -> None:
    """Read, build and settle task files, and say what is wrong; status 1 where there are errors."""
    from arena.processes import cores
    from arena_llm.commands.check_print import as_json, print_report, print_summary
    from testbed.check import Level, Options, check_files, task_files

    console = Console(soft_wrap=True)
    paths = task_files(target)
    every: list[FileReport] = []
    shown: list[FileReport] = []
    work = check_files(target, paths, Options(seed, upgrade, svg, animal_ai), jobs or cores())
    try:
        with closing(work) as reports, _bar(console, output) as bar:
            for report in bar.track(reports, total=len(paths), description="checking"):
                every.append(report)
                told = report.above(Level.WARNING) if quiet else report
                if quiet and not told.findings and not told.changes:
                    continue
                shown.append(told)
                if output is Format.TEXT:
                    print_report(console, told)
    except KeyboardInterrupt:
        print(f"Stopped after {len(every)} of {len(paths)} files.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    if output is Format.JSON:
        print(json.dumps(as_json(shown, every), indent=1))
    else:
        print_summary(console, every)
    if any(report.worst == Level.ERROR for report in every):
        raise typer.Exit(1)


def _bar(console: Console, output: Format) -> Progress:
    """A progress bar; where findings go to a terminal, they are printed above it, on the same console."""
    shared = output is Format.TEXT and console.is_terminal
    beside = console if shared else Console(stderr=True)
    return Progress(console=beside, transient=True, disable=not beside.is_terminal)
