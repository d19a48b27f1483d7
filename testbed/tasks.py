"""Tasks and their files."""

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from glob import escape
from itertools import pairwise
from pathlib import Path

from arena import ArenaSpec, ConfigError, load
from arena.files import read_bytes
from arena.packages import rows_of
from arena.taskfile.versions import Version
from testbed.originals import located

CANARY = "arena-llm-battery-canary d410dd3b-2731-4667-93a1-5bfb4491059a"
"""A string that occurs nowhere but in evaluation data. Whoever trains models can leave out documents with it;
a model that can complete it has seen the files."""

LINES = (
    "# Licence: Apache-2.0 (SPDX-License-Identifier: Apache-2.0), part of arena-llm",
    f"# Canary: evaluation data, not to be trained on. {CANARY}",
)
"""The lines, comments in YAML, at the end of a file's header."""

_BYTES = "".join(f"{line}\n" for line in LINES).encode()


def without_notice(content: bytes) -> bytes:
    """Return a file's content without the notice, which is not the task."""
    return content.replace(_BYTES, b"")


_LEVELS = rows_of("testbed", "levels.csv")


def _names(folder: str) -> dict[int, str]:
    return {int(row["level"]): row["name"] for row in _LEVELS if row["folder"] == folder}


LEVELS_FOLDER = Path(__file__).parent / "levels"
"""The shipped battery."""

LEVEL_NAMES = _names("levels")
"""The battery's ten levels (Crosby et al. 2020)."""

LABORATORY_FOLDER = LEVELS_FOLDER.with_name("laboratory")
"""The laboratory's tasks, which are not part of the battery."""

SHIPPED_FOLDER = LEVELS_FOLDER.parent
"""Above both."""

LABORATORY_NAMES = _names("laboratory")
"""The laboratory's levels, each a family of hidden states."""

ALL_NAMES = LEVEL_NAMES | LABORATORY_NAMES

CHILDREN = tuple(name for row in _LEVELS for name in row["children"].split())
"""The 40 original tasks that children did, four per level (`human_data/README.md`)."""

SHORT_FORM = CHILDREN
"""Short form of the shipped battery: 40 tasks, four per level. The ids are the same. They test the same ideas
as those that children did, in other arenas; only a link compares the two (`human_data.linking`)."""

_ID = re.compile(r"(\d{2})-(\d{2})-(\d{2}|\d{4,})")


MOTIONS = ("driving", "pushing", "pushing round walls")
"""Motions that make the experiments of the laboratory's variants, in turn."""


def motion_of(task_id: str) -> str:
    """Return the motion of a laboratory task's experiments. Empty for an id of another form."""
    match = _ID.fullmatch(task_id)
    return MOTIONS[(int(match[3]) - 1) % len(MOTIONS)] if match else ""


@dataclass(frozen=True)
class Task:
    """One arena with a pass mark: `id` is `LL-TT-VV` (level, task, variant).

    If a file's name is not of that form, it is the id, with level 0; further arenas of a file are tasks of
    their own, `id#k`. `sha256` is of the bytes without the notice of licence and canary; `warnings` are
    from loading it.
    """

    id: str
    level: int
    path: Path
    spec: ArenaSpec
    sha256: str
    warnings: tuple[str, ...] = ()

    @cached_property
    def level_name(self) -> str:
        """The level's name, or 'Unlevelled'."""
        return ALL_NAMES.get(self.level, "Unlevelled")


def parse_levels(text: str) -> tuple[int, ...]:
    """Parse levels such as '1-3' or '1,4-6', ascending and without repetition. Raises ConfigError for
    anything else, for descending ranges and for levels outside 1 to 14."""
    if not isinstance(text, str):
        raise ConfigError(f"levels: got {text!r}, expected a text such as '1-3' or '1,4'")
    levels: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", part)
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= low <= high <= len(ALL_NAMES):
            raise ConfigError(
                f"levels: got {text!r}, expected levels between 1 and {len(ALL_NAMES)}, such as 1-3 or 1,4"
            )
        levels.update(range(low, high + 1))
    return tuple(sorted(levels))


def find_tasks(
    levels: tuple[int, ...] | None = None,
    folder: Path | None = None,
    version: str = Version.V3,
    *,
    lenient: bool = False,
    chance: str = "own",
) -> tuple[Task, ...]:
    """Return all tasks of the given levels, sorted by id.

    Default: all levels, of the shipped tasks the battery. `folder` and its subfolders are searched for *.yaml
    files (default: the shipped battery); `original` and `llm-aai` name the files that `arena-llm testbed
    fetch` keeps. `version`, `lenient` and `chance` are as for `arena.load`. Raises ConfigError if the folder
    or a level has no tasks, or a file is broken.
    """
    paths = find_paths(levels, folder)
    tasks = tuple(
        task for path in paths for task in read_tasks(path, version, lenient=lenient, chance=chance)
    )
    for one, other in pairwise(tasks):
        if one.id == other.id:
            raise ConfigError(f"two files are named {one.id}: {one.path} and {other.path}; rename one")
    return tasks


def find_paths(levels: tuple[int, ...] | None = None, folder: Path | None = None) -> tuple[Path, ...]:
    """The task files of the given levels (default: all), sorted by name. See `find_tasks`. Raises ConfigError
    if the folder or a level has no tasks."""
    root = SHIPPED_FOLDER if folder is None else located(folder)
    if not root.is_dir():
        raise ConfigError(f"{root}: no such folder of task files")
    paths = sorted((p for p in root.rglob("*.yaml") if p.is_file()), key=lambda path: (path.stem, path))
    if folder is None and levels is None:
        paths = [path for path in paths if level_of(path) in LEVEL_NAMES]
    if not paths:
        raise ConfigError(f"{root}: no task files (*.yaml) in this folder")
    present = sorted({level_of(path) for path in paths})
    for level in levels or ():
        if level not in present:
            raise ConfigError(
                f"{root}: no tasks of level {level}; there are levels {', '.join(map(str, present))}"
            )
    return tuple(path for path in paths if levels is None or level_of(path) in levels)


def files_version(folder: Path | None = None) -> str:
    """Return the version of the battery, or of a task file folder.

    It changes whenever a task changes: the first twelve digits of the SHA-256 of lines `NAME SHA256` of all
    files, sorted by name. Raises ConfigError if there are none.
    """
    listed = "".join(f"{path.name} {file_sha256(path)}\n" for path in find_paths(None, folder))
    return hashlib.sha256(listed.encode()).hexdigest()[:12]


def task_named(
    name: str,
    folder: Path | None = None,
    version: str = Version.V3,
    *,
    lenient: bool = False,
    chance: str = "own",
) -> Task:
    """Return a task by battery id or file path. Raises ConfigError if there is none."""
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        return read_tasks(path, version, lenient=lenient, chance=chance)[0]
    found = files_named(path.name, folder)
    if not found or path.name != name:
        where = "" if folder is None else f" in {folder}"
        raise ConfigError(
            f"no task {name!r}{where}: expected a file's path ending in .yaml, or an id such as 01-01-01"
        )
    return read_tasks(found[0], version, lenient=lenient, chance=chance)[0]


def files_named(stem: str, folder: Path | None = None) -> tuple[Path, ...]:
    """Return task files by name without suffix, unread. See `find_tasks`."""
    root = SHIPPED_FOLDER if folder is None else located(folder)
    return tuple(sorted(path for path in root.rglob(f"{escape(stem)}.yaml") if path.is_file()))


def task_id(path: Path, number: int) -> str:
    """The id of a file's arena; `number` counts the arenas from 0."""
    return path.stem if number == 0 else f"{path.stem}#{number}"


def level_of(path: Path) -> int:
    """Return the level in a file's name, 0 if there is none."""
    match = _ID.fullmatch(path.stem)
    return int(match[1]) if match else 0


def read_tasks(
    path: Path, version: str = Version.V3, *, lenient: bool = False, chance: str = "own"
) -> tuple[Task, ...]:
    """Every arena of a file that begins an episode as a task. Raises ConfigError if the file is broken."""
    file = load(path, version, lenient=lenient, chance=chance)
    return tuple(
        Task(task_id(path, k), level_of(path), path, spec, file_sha256(path), file.warnings)
        for k, (number, spec) in enumerate(file.arenas.items())
        if number in file.starts
    )


def file_sha256(path: Path) -> str:
    """SHA-256 of a task file without its notice of licence and canary."""
    # Version 0.2 had no notice, and its logs and resumed runs name the same tasks.
    return hashlib.sha256(without_notice(read_bytes(path))).hexdigest()
