"""Check task files: text, spelling, places, physics, rewards."""

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from arena.errors import ArenaError, ConfigError, DuplicateKeyError, EvaluationError
from arena.files import read_text
from arena.processes import in_order
from arena.taskfile.load import Located, load_located
from arena.taskfile.versions import Version
from testbed.check.build import build, build_findings, growth_findings, watch
from testbed.check.finding import Finding, Level
from testbed.check.reach import reach_findings
from testbed.check.text import Change, arena_findings, item_findings, spelling_findings, upgrade_file
from testbed.tasks import task_id


class Options(NamedTuple):
    """Options of a check. They are the first seed, rewriting of old spellings in place, the folder for floor
    plans, the version of Animal-AI that the files are for, and whether unknown objects are ignored."""

    seed: int = 0
    upgrade: bool = False
    svg: Path | None = None
    version: str = Version.V3
    lenient: bool = False


class FileReport(NamedTuple):
    """Findings in a file, in line order, and rewritten spellings."""

    path: Path
    findings: tuple[Finding, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def worst(self) -> Level | None:
        """Level of the worst finding; None without any."""
        return max((finding.level for finding in self.findings), default=None)

    def above(self, level: Level) -> "FileReport":
        """Return the report without findings below a level."""
        return self._replace(findings=tuple(f for f in self.findings if f.level >= level))


def check_file(path: Path, options: Options, plan: Path | None = None) -> FileReport:
    """Check one file. It never raises: every problem becomes a finding. `plan` is the SVG file that the arena
    is drawn to; further arenas of the file get `#k` in their name."""
    findings: list[Finding] = []
    changes: tuple[Change, ...] = ()
    try:
        if options.upgrade:
            load_located(read_text(path), str(path), options.version, lenient=options.lenient)
            try:
                changes = upgrade_file(path, options.version, options.lenient)
            except ConfigError as error:
                findings += _from_error(error, path, "not-upgraded")
        located = load_located(read_text(path), str(path), options.version, lenient=options.lenient)
    except ConfigError as error:
        code = "duplicate-key" if isinstance(error, DuplicateKeyError) else "unreadable"
        return FileReport(path, tuple(_from_error(error, path, code)))
    findings += [Finding.at(*remark) for remark in located.remarks]
    findings += spelling_findings(located)
    for number, arena_id in enumerate(located.file.arenas):
        findings += _arena(located, arena_id, task_id(path, number), options.seed, plan)
    return FileReport(path, tuple(sorted(findings, key=lambda finding: finding.line or 0)), changes)


def _arena(located: Located, arena_id: int, name: str, seed: int, plan: Path | None) -> Iterator[Finding]:
    yield from arena_findings(located, arena_id)
    yield from item_findings(located, arena_id)
    built = build(located, arena_id, name, seed)
    yield from build_findings(built)
    yield from growth_findings(built)
    if built.layout is None:
        return
    moved, resting = watch(built, built.layout)
    yield from moved
    yield from reach_findings(built, resting)
    if plan is not None:
        from testbed.floor_plan import floor_plan, write_svg

        write_svg(floor_plan(built.layout, name), plan.with_name(f"{name}.svg"))


def _from_error(error: ConfigError, path: Path, code: str) -> Iterator[Finding]:
    """Yield an error's problems, one per line of its text. Each line begins with its line number."""
    for problem in str(error).splitlines():
        text = problem.removeprefix(f"{path}")
        numbered = re.match(r":(\d+): ", text)
        if numbered:
            yield Finding(code, text[numbered.end() :], int(numbered[1]))
        else:
            yield Finding(code, text.removeprefix(": "))


def task_files(target: Path) -> tuple[Path, ...]:
    """Return the file, or all YAML files of a folder, sorted. Subfolders are included; sorted by path. Raises
    ConfigError if there is none."""
    if target.exists() and not target.is_dir():
        return (target,)
    if not target.is_dir():
        raise ConfigError(f"{target}: no such file or folder")
    found = sorted(path for path in target.rglob("*") if path.suffix in (".yaml", ".yml") and path.is_file())
    if not found:
        raise ConfigError(f"{target}: no task files (*.yaml) in this folder")
    return tuple(found)


def check_files(
    target: Path, paths: Sequence[Path], options: Options, jobs: int = 1
) -> Generator[FileReport, None, None]:
    """Check files of `target` in `jobs` processes. Reports come in the order of `paths`. Closing the iterator
    stops the work after the files already begun. Raises ArenaError if a process dies."""
    work = [(path, options, _plan(target, path, options.svg)) for path in paths]
    done = 0
    try:
        with closing(in_order(_check, work, min(jobs, len(paths)))) as reports:
            for report in reports:
                yield report
                done += 1
    except EvaluationError:
        raise ArenaError(
            f"{paths[done]}: the process that checked this file, or one near it, died; "
            "find the file with --jobs 1, and watch memory use"
        ) from None


def _check(work: tuple[Path, Options, Path | None]) -> FileReport:
    return check_file(*work)


def _plan(target: Path, path: Path, folder: Path | None) -> Path | None:
    """Return the file of a task's floor plan. The folders below `target` are kept."""
    if folder is None:
        return None
    inside = path.relative_to(target) if target.is_dir() else Path(path.name)
    return folder / inside.with_suffix(".svg")
