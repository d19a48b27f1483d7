"""Commands `arena-llm testbed`: check, verify, generate, fetch and browse task files."""

import json
from collections.abc import Sequence
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.errors import ArenaError, ConfigError, EvaluationError
from arena.files import check_output_folder
from arena.processes import cores
from arena_llm import options
from arena_llm.console import line_console, progress_bar, stoppable
from arena_llm.interrupts import work_begins
from testbed import find_tasks, parse_levels
from testbed.check import CODES, FileReport, Level, Options, check_files, task_files
from testbed.originals import NAMES, SOURCES, Name, fetch, is_kept, kept_folder
from testbed.proof.solutions import verify_all
from testbed.tasks import SHIPPED_FOLDER

_STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}


class Format(StrEnum):
    """Format of the findings."""

    TEXT = "text"
    JSON = "json"


def check_command(
    target: Annotated[Path, typer.Argument(help="Task file, or folder with subfolders.")],
    seed: Annotated[int, typer.Option(help="First seed of the arenas.")] = 0,
    jobs: options.Jobs = None,
    output: Annotated[Format, typer.Option("--format", help="Format of the findings.")] = Format.TEXT,
    quiet: Annotated[bool, typer.Option("--quiet", help="Only files with errors or warnings.")] = False,
    upgrade: Annotated[bool, typer.Option("--upgrade", help="Old keys and names rewritten first.")] = False,
    svg: Annotated[Path | None, typer.Option(help="Folder for pictures of the arenas, from above.")] = None,
    animal_ai: options.AnimalAI = "3.1.3",
    lenient: options.Lenient = False,
) -> None:
    """Load, build and settle task files, and report problems; status 1 for errors."""
    console = Console(soft_wrap=True)
    as_text = output is Format.TEXT
    paths = task_files(target)
    check_output_folder(svg)
    reports: list[FileReport] = []
    shown: list[FileReport] = []
    work = check_files(target, paths, Options(seed, upgrade, svg, animal_ai, lenient), jobs or cores())
    with (
        stoppable(lambda: f"Stopped after {len(reports)} of {len(paths)} files."),
        closing(work) as results,
        progress_bar(console if as_text else None) as bar,
    ):
        for report in bar.track(results, total=len(paths), description="checking"):
            reports.append(report)
            kept = report.above(Level.WARNING) if quiet else report
            if quiet and not kept.findings and not kept.changes:
                continue
            shown.append(kept)
            if as_text:
                _print_report(console, kept)
    if as_text:
        _print_summary(console, reports)
    else:
        print(json.dumps(_as_json(shown, reports), indent=1))
    if any(report.worst == Level.ERROR for report in reports):
        raise typer.Exit(1)


def _print_report(console: Console, report: FileReport) -> None:
    """Print a line per change and finding, `file:line: level: text [code]`."""
    for change in report.changes:
        changed = ("changed", "green"), f": {change.old} -> {change.new}"
        console.print(Text.assemble(f"{report.path}:{change.line}: ", *changed))
    for finding in report.findings:
        where = f"{report.path}:{finding.line}: " if finding.line else f"{report.path}: "
        level = (str(finding.level), _STYLES[str(finding.level)])
        console.print(Text.assemble(where, level, f": {finding.text} ", (f"[{finding.code}]", "dim")))
    if not report.findings and not report.changes:
        console.print(Text(f"{report.path}: ok"))


def _print_summary(console: Console, reports: Sequence[FileReport]) -> None:
    """Print a table of findings, the worst first, and a line of totals."""
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


def _counts(reports: Sequence[FileReport]) -> dict[str, dict[str, int]]:
    """Count findings and files by code, in the order of `CODES`."""
    found = [[finding.code for finding in report.findings] for report in reports]
    counts = {
        code: {"findings": sum(codes.count(code) for codes in found), "files": sum(code in c for c in found)}
        for code in CODES
    }
    return {code: count for code, count in counts.items() if count["findings"]}


def _as_json(shown: Sequence[FileReport], reports: Sequence[FileReport]) -> dict[str, Any]:
    """Return findings of the shown files, and counts of all files."""
    return {
        "files": [
            {
                "file": str(report.path),
                "changes": [change._asdict() for change in report.changes],
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


Names = Annotated[
    list[str] | None, typer.Argument(metavar="[NAME]...", help="original, llm-aai, or both. Default: both.")
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FOLDER_OR_URL",
        help="Clone, folder, or URL of a .tar.gz with the files. Default: the public repository.",
    ),
]


def fetch_command(names: Names = None, source: From = None) -> None:
    """Fetch the original's 900 task files, and LLM-AAI's, for `--testbed original` and `llm-aai`."""
    for name in names or ():
        if name not in NAMES:
            raise ConfigError(f"got {name!r}, expected {' or '.join(NAMES)}")
    work_begins()
    failed: list[str] = []
    with stoppable("Stopped; an incomplete battery was not kept."):
        for known in NAMES:
            if not names or known in names:
                try:
                    _fetch(known, source)
                except ArenaError as error:
                    failed.append(str(error))
    if failed:
        raise EvaluationError("\n".join(failed))


def _fetch(name: Name, source: str | None) -> None:
    console = line_console()
    if is_kept(name):
        console.print(f"{name}: all 900 files are already in {kept_folder(name)}")
        return
    console.print(f"{name}: fetching from {source or SOURCES[name].repository} ({SOURCES[name].licence})")
    folder = fetch(name, source)
    console.print(f"{name}: 900 files, each with its published SHA-256, in {folder}; use --testbed {name}")


testbed_app = typer.Typer(help="Check, verify, generate, fetch and browse task files.", no_args_is_help=True)
testbed_app.command("check")(check_command)
testbed_app.command("fetch")(fetch_command)


@testbed_app.command("verify")
def verify_command(
    testbed: options.Testbed = None,
    levels: options.Levels = None,
    jobs: options.Jobs = None,
    engine: options.EngineOption = options.EngineName.LOCAL,
    ray_address: options.RayAddress = None,
) -> None:
    """Replay each task's solution, which must pass, and failure, which must fail; else status 1."""
    folder = testbed or SHIPPED_FOLDER
    tasks = find_tasks(parse_levels(levels) if levels else None, testbed)
    console, problems, count = line_console(), 0, 0
    with (
        stoppable(lambda: f"Stopped after {count} of {len(tasks)} tasks."),
        options.open_engine(engine, ray_address, jobs) as opened,
        closing(verify_all(tasks, folder, opened.jobs, opened)) as verdicts,
        progress_bar(console) as bar,
    ):
        for verdict in bar.track(verdicts, total=len(tasks), description="verifying"):
            count += 1
            if verdict.problem:
                problems += 1
                console.print(f"{verdict.task_id}: {verdict.problem}")
    proven = count - problems
    console.print(f"{proven} of {count} tasks are proven: solved by one recording, failed by another.")
    if problems:
        raise typer.Exit(1)


@testbed_app.command("generate")
def generate_command(
    out: Annotated[Path, typer.Option(help="Folder for the files; a second run continues in it.")],
    count: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of tasks, spread over the paradigms. Default: 30, or as many as in the battery.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Random seed of the tasks. Default: 1, or a secret one.")
    ] = None,
    hidden: Annotated[
        bool, typer.Option("--hidden", help="Hidden split: the size of the battery, from a secret seed.")
    ] = False,
    levels: Annotated[str, typer.Option(help="Levels, such as 1-3 or 1,4.")] = "1-10",
    difficulty: Annotated[
        int | None, typer.Option(min=1, max=3, help="Difficulty, 1 to 3. Default: all.")
    ] = None,
    jobs: options.Jobs = None,
    engine: options.EngineOption = options.EngineName.LOCAL,
    ray_address: options.RayAddress = None,
) -> None:
    """Generate new tasks, each proven solvable, with solutions and a table of demands."""
    from testbed.proof.demands import write_table
    from testbed.proof.prove import fresh, hidden_split, make, whole

    check_output_folder(out)
    chosen = parse_levels(levels)
    split = hidden_split(out, seed) if hidden else None
    count = count or (whole(chosen, difficulty) if split else 30)
    orders = fresh(chosen, count, split.seed if split else 1 if seed is None else seed, difficulty)
    made = 0
    stopped = stoppable(lambda: f"Stopped with {made} of {count} tasks in {out}; the same command continues.")
    with stopped, options.open_engine(engine, ray_address, jobs) as opened:
        with closing(make(orders, out, opened.jobs, opened)) as results, progress_bar() as bar:
            for _ in bar.track(results, total=len(orders), description="drawing"):
                made += 1
        table = write_table(out, opened.jobs, opened)
    line_console().print(f"{made} tasks in {out}, all solved; demands: {table}")
    if split:
        line_console().print(
            f"Keep {out} secret, and logs of it too. To publish, SHA-256 of the seed: {split.commitment}"
        )


@testbed_app.command("atlas")
def atlas_command(
    out: Annotated[Path, typer.Option(help="Folder for the page.")] = Path("atlas"),
    testbed: options.Testbed = None,
    levels: options.Levels = None,
) -> None:
    """Write a page of all tasks: from above with the solution's path, from the agent, in words."""
    from testbed.proof.atlas import write_atlas

    folder = testbed or SHIPPED_FOLDER
    tasks = find_tasks(parse_levels(levels) if levels else None, testbed)
    check_output_folder(out)
    with stoppable(f"Stopped; {out} is not complete."), progress_bar() as bar:
        page = write_atlas(tasks, folder, out, lambda entries: bar.track(entries, total=len(tasks)))
    line_console().print(f"Atlas of {len(tasks)} tasks: {page}")
