"""The command `arena-llm testbed fetch`."""

from typing import Annotated

import typer

from arena.errors import ArenaError, ConfigError, EvaluationError
from arena_llm.console import exit_interrupted, line_console
from arena_llm.interrupts import work_begins

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]...", help="original, llm-aai, or both. Default: both."),
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FOLDER_OR_URL",
        help="Clone, folder, or URL of a .tar.gz to take the files from. Default: the public repository.",
    ),
]


def fetch_command(names: Names = None, source: From = None) -> None:
    """Fetch the original's 900 task files, and LLM-AAI's, for `--testbed original` and `llm-aai`."""
    from testbed.originals import NAMES

    for name in names or ():
        if name not in NAMES:
            raise ConfigError(f"got {name!r}, expected {' or '.join(NAMES)}")
    work_begins()
    failed: list[str] = []
    try:
        for known in NAMES:
            if not names or known in names:
                _fetch(known, source, failed)
    except KeyboardInterrupt:
        exit_interrupted("Stopped; of a battery that was not complete, nothing was kept.")
    if failed:
        raise EvaluationError("\n".join(failed))


def _fetch(name: str, source: str | None, failed: list[str]) -> None:
    from testbed.originals import SOURCES, fetch, is_kept, kept_folder

    console = line_console()
    known = next(each for each in SOURCES if each == name)
    if is_kept(known):
        console.print(f"{name}: all 900 files are in {kept_folder(known)} already")
        return
    console.print(f"{name}: fetching from {source or SOURCES[known].repository} ({SOURCES[known].licence})")
    try:
        folder = fetch(known, source)
    except ArenaError as error:
        failed.append(str(error))
        return
    console.print(f"{name}: 900 files, each with its published SHA-256, in {folder}; use --testbed {name}")
