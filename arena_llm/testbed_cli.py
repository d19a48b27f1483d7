"""The `arena-llm testbed` commands."""

import json
import os
from collections.abc import Iterator
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress

if TYPE_CHECKING:
    from testbed.check import FileReport, Options

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
) -> None:
    """Read, build and settle task files, and say what is wrong; status 1 where there are errors."""
    from arena_llm.check_print import as_json, print_report, print_summary
    from testbed.check import Level, Options

    console = Console(soft_wrap=True)
    shown: list[FileReport] = []
    every: list[FileReport] = []
    # Where findings go to a terminal, they are printed above the bar, on the same console.
    beside = console if output is Format.TEXT and console.is_terminal else Console(stderr=True)
    with Progress(console=beside, transient=True, disable=not beside.is_terminal) as progress:
        for report in _checked(progress, target, Options(seed, upgrade, svg), jobs or _cores()):
            every.append(report)
            if quiet and (report.worst is None or report.worst < Level.WARNING) and not report.changes:
                continue
            shown.append(report)
            if output is Format.TEXT:
                print_report(console, report, quiet)
    if output is Format.JSON:
        print(json.dumps(as_json(shown, every), indent=1))
    else:
        print_summary(console, every)
    if any(report.worst == Level.ERROR for report in every):
        raise typer.Exit(1)


def _checked(progress: Progress, target: Path, options: "Options", jobs: int) -> Iterator["FileReport"]:
    """Reports in file order, with the bar moved along; closing it early stops the work."""
    from testbed.check import check_files, task_files

    paths = task_files(target)
    bar = progress.add_task("checking", total=len(paths))
    with closing(check_files(target, paths, options, jobs)) as reports:
        for report in reports:
            progress.advance(bar)
            yield report


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
