"""Command `arena-llm report`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import EvaluationError
from arena.files import check_output_folder
from arena_llm.console import line_console, progress_bar, stoppable
from arena_llm.options import named_path
from evaluation.log.files import find_logs, is_of_probes

if TYPE_CHECKING:
    from evaluation.log.run import RunLog
    from report.build import WrittenReport


def report_command(
    logs: Annotated[
        list[str], typer.Argument(help="Logs (.eval) or folders of them; NAME=FILE renames the agent.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("report"),
    title: Annotated[str | None, typer.Option(help="Report's heading. Default: the agents' names.")] = None,
    frames: Annotated[bool, typer.Option("--frames/--no-frames", help="Pictures of the episodes.")] = True,
) -> None:
    """Write a folder of pages from logs: figures, tables, and every episode."""
    check_output_folder(out)
    found = _logs(logs)

    from evaluation.log.run import open_logs

    opened = open_logs(found)
    console = line_console()
    for log in opened:
        if not log.complete:
            console.print(f"{log.path.name}: partial, {log.finished} of {log.planned} trials have a score")
    with stoppable(f"Stopped. The next report to {out} replaces what was written."):
        page = report_logs(opened, out, title, frames).page
    console.print(f"Report: {page}")


def _logs(texts: Sequence[str]) -> list[tuple[str | None, Path]]:
    named: list[tuple[str | None, Path]] = []
    for name, path in ((name, Path(path)) for name, path in map(named_path, texts)):
        found = find_logs([path])
        if path.is_dir():
            found = _without_probes(path, found)
        if name and len(found) > 1:
            raise EvaluationError(f"{path}: holds {len(found)} logs, but {name!r} can name only one")
        named += [(name, log) for log in found]
    return list(dict.fromkeys(named))


def _without_probes(folder: Path, found: Sequence[Path]) -> list[Path]:
    """List a folder's logs without those of `arena-llm probe`."""
    probes = [path for path in found if is_of_probes(path)]
    if len(probes) == len(found):
        raise EvaluationError(f"{folder}: holds perception probes only, no log of arena-llm eval")
    for path in probes:
        print(f"{path.name}: perception probes, left out", file=sys.stderr)
    return [path for path in found if path not in probes]


def report_logs(logs: "Sequence[RunLog]", out: Path, title: str | None, frames: bool) -> "WrittenReport":
    """Write the report of logs, and show its progress. Raises RenderError if pictures cannot be drawn."""
    from report.build import write_log_report

    with progress_bar() as progress:
        bar = progress.add_task("episodes", total=sum(log.planned for log in logs))
        return write_log_report(logs, out, title=title, frames=frames, advance=lambda: progress.advance(bar))
