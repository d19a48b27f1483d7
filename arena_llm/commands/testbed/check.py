"""The command `arena-llm testbed check`."""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena_llm.console import exit_interrupted, progress_bar
from arena_llm.options import AnimalAI, Jobs, Lenient

if TYPE_CHECKING:
    from testbed.check import FileReport

_STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}


class Format(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"


def check_command(
    target: Annotated[Path, typer.Argument(help="A task file, or a folder of them with its subfolders.")],
    seed: Annotated[int, typer.Option(help="First of the seeds that every arena is built with.")] = 0,
    jobs: Jobs = None,
    output: Annotated[Format, typer.Option("--format", help="How findings are printed.")] = Format.TEXT,
    quiet: Annotated[bool, typer.Option("--quiet", help="Only files with errors or warnings.")] = False,
    upgrade: Annotated[bool, typer.Option("--upgrade", help="First rewrite old keys and names.")] = False,
    svg: Annotated[Path | None, typer.Option(help="Folder for plans of the arenas, from above.")] = None,
    animal_ai: AnimalAI = "3.1.3",
    lenient: Lenient = False,
) -> None:
    """Read, build and settle task files, and report problems; status 1 if there are errors."""
    from arena.files import check_output_folder
    from arena.processes import cores
    from testbed.check import Level, Options, check_files, task_files

    console = Console(soft_wrap=True)
    as_text = output is Format.TEXT
    paths = task_files(target)
    check_output_folder(svg)
    reports: list[FileReport] = []
    shown: list[FileReport] = []
    work = check_files(target, paths, Options(seed, upgrade, svg, animal_ai, lenient), jobs or cores())
    try:
        with closing(work) as results, progress_bar(console if as_text else None) as bar:
            for report in bar.track(results, total=len(paths), description="checking"):
                reports.append(report)
                kept = report.above(Level.WARNING) if quiet else report
                if quiet and not kept.findings and not kept.changes:
                    continue
                shown.append(kept)
                if as_text:
                    _print_report(console, kept)
    except KeyboardInterrupt:
        exit_interrupted(f"Stopped after {len(reports)} of {len(paths)} files.")
    if as_text:
        _print_summary(console, reports)
    else:
        print(json.dumps(_as_json(shown, reports), indent=1))
    if any(report.worst == Level.ERROR for report in reports):
        raise typer.Exit(1)


def _print_report(console: Console, report: "FileReport") -> None:
    """One line for each change and finding, `file:line: level: text [code]`."""
    for change in report.changes:
        changed = ("changed", "green"), f": {change.old} -> {change.new}"
        console.print(Text.assemble(f"{report.path}:{change.line}: ", *changed))
    for finding in report.findings:
        where = f"{report.path}:{finding.line}: " if finding.line else f"{report.path}: "
        level = (str(finding.level), _STYLES[str(finding.level)])
        console.print(Text.assemble(where, level, f": {finding.text} ", (f"[{finding.code}]", "dim")))
    if not report.findings and not report.changes:
        console.print(Text(f"{report.path}: ok"))


def _print_summary(console: Console, reports: "Sequence[FileReport]") -> None:
    """A table of what was found, the worst first, and one line of totals."""
    from testbed.check import CODES, Level

    table = Table("level", "code", "findings", "files", "meaning")
    for code, count in _counts(reports).items():
        level = str(CODES[code].level)
        row = (str(count["findings"]), str(count["files"]), CODES[code].meaning)
        table.add_row(Text(level, style=_STYLES[level]), code, *row)
    if table.row_count:
        console.print(table)
    levels = [finding.level for report in reports for finding in report.findings]
    totals = ", ".join(_plural(levels.count(level), str(level)) for level in sorted(Level)[::-1])
    rewritten = sum(bool(report.changes) for report in reports)
    more = f"; {rewritten} rewritten" if rewritten else ""
    console.print(Text(f"{_plural(len(reports), 'file')}: {totals}{more}"))


def _counts(reports: "Sequence[FileReport]") -> dict[str, dict[str, int]]:
    """For every code that was found, in the order of `CODES`: how often, and in how many files."""
    from testbed.check import CODES

    found = [[finding.code for finding in report.findings] for report in reports]
    counts = {
        code: {"findings": sum(codes.count(code) for codes in found), "files": sum(code in c for c in found)}
        for code in CODES
    }
    return {code: count for code, count in counts.items() if count["findings"]}


def _as_json(shown: "Sequence[FileReport]", reports: "Sequence[FileReport]") -> dict[str, Any]:
    """Findings of the shown files, and the counts of all files."""
    from testbed.check import CODES

    return {
        "files": [
            {
                "file": str(report.path),
                "changes": [asdict(change) for change in report.changes],
                "findings": [
                    {"line": f.line, "level": str(f.level), "code": f.code, "text": f.text}
                    for f in report.findings
                ],
            }
            for report in shown
        ],
        "codes": {
            code: {"level": str(CODES[code].level), **count} for code, count in _counts(reports).items()
        },
        "checked": len(reports),
    }


def _plural(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
