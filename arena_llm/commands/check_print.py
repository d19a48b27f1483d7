"""What `arena-llm testbed check` prints: findings line by line, a table of counts, or JSON."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from testbed.check import CODES, FileReport, Level

_STYLES = {Level.ERROR: "bold red", Level.WARNING: "yellow", Level.NOTE: "cyan"}


class Count(NamedTuple):
    """How often a code was found, and in how many files."""

    findings: int
    files: int


def print_report(console: Console, report: FileReport) -> None:
    """One line for each change and finding, `file:line: level: text [code]`."""
    for change in report.changes:
        console.print(
            Text.assemble(
                f"{report.path}:{change.line}: ", ("changed", "green"), f": {change.old} -> {change.new}"
            )
        )
    for finding in report.findings:
        where = f"{report.path}:{finding.line}: " if finding.line else f"{report.path}: "
        level = (str(finding.level), _STYLES[finding.level])
        console.print(Text.assemble(where, level, f": {finding.text} ", (f"[{finding.code}]", "dim")))
    if not report.findings and not report.changes:
        console.print(Text(f"{report.path}: ok"))


def print_summary(console: Console, reports: Sequence[FileReport]) -> None:
    """A table of what was found, the worst first, and one line of totals."""
    table = Table("level", "code", "findings", "files", "meaning")
    for code, count in counts(reports).items():
        level = CODES[code].level
        row = (str(count.findings), str(count.files), CODES[code].meaning)
        table.add_row(Text(str(level), style=_STYLES[level]), code, *row)
    if table.row_count:
        console.print(table)
    totals = {
        level: sum(f.level is level for r in reports for f in r.findings) for level in sorted(Level)[::-1]
    }
    told = ", ".join(_plural(number, str(level)) for level, number in totals.items())
    changed = sum(bool(report.changes) for report in reports)
    console.print(
        Text(f"{_plural(len(reports), 'file')}: {told}" + (f"; {changed} rewritten" if changed else ""))
    )


def counts(reports: Sequence[FileReport]) -> dict[str, Count]:
    """Findings and files of every code that was found, in the order of `CODES`."""
    found = [[finding.code for finding in report.findings] for report in reports]
    every = {
        code: Count(sum(codes.count(code) for codes in found), sum(code in codes for codes in found))
        for code in CODES
    }
    return {code: count for code, count in every.items() if count.findings}


def as_json(shown: Sequence[FileReport], every: Sequence[FileReport]) -> dict[str, Any]:
    """Findings of the shown files, and the counts of all, as plain values."""
    return {
        "files": [
            {
                "file": str(report.path),
                "changes": [
                    {"line": change.line, "old": change.old, "new": change.new} for change in report.changes
                ],
                "findings": [
                    {"line": f.line, "level": str(f.level), "code": f.code, "text": f.text}
                    for f in report.findings
                ],
            }
            for report in shown
        ],
        "codes": {
            code: {"level": str(CODES[code].level), **count._asdict()}
            for code, count in counts(every).items()
        },
        "checked": len(every),
    }


def _plural(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
