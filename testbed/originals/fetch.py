"""Fetch a published battery into the user's data folder."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import EvaluationError
from arena.files import read_bytes, write_file
from testbed.originals.archive import MOST_TASK_BYTES, task_files_at
from testbed.originals.batteries import SOURCES, Name, digests, kept_folder


def is_kept(name: Name) -> bool:
    """Whether all files of a battery are in the user's data folder, each with its published digest."""
    folder = kept_folder(name)
    try:
        return all(
            _sha256(read_bytes(folder / f"{task_id}.yaml", MOST_TASK_BYTES)) == digest
            for task_id, digest in digests(name).items()
        )
    except OSError:
        return False


def fetch(name: Name, source: str | None = None) -> Path:
    """Fetch a battery from its repository, or from another `source`, and return the folder that keeps it.

    `source` is a folder, such as a clone, or the URL of a .tar.gz. A file is taken only if its SHA-256 is the
    published one, and the folder appears complete or not at all. Raises ConfigError for a `source` that is
    neither, EvaluationError if the download fails, files are missing or differ, or the disk refuses.
    """
    place = source if source is not None else SOURCES[name].archive
    wanted = digests(name)
    found: dict[str, bytes] = {}
    others: set[str] = set()
    for task_id, content in task_files_at(place):
        if _sha256(content) == wanted.get(task_id):
            found[task_id] = content
        else:
            others.add(task_id)
        if len(found) == len(wanted):
            break
    _refuse_incomplete(name, place, wanted.keys() - found.keys(), others)
    folder = kept_folder(name)
    with _replaced(folder) as new:
        for task_id, content in found.items():
            write_file(new / f"{task_id}.yaml", content)
    return folder


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _refuse_incomplete(name: Name, place: str, missing: set[str], others: set[str]) -> None:
    if not missing:
        return
    count, first = len(digests(name)), min(missing)
    differ = missing & others
    what = (
        f"{len(differ)} of {count} task files differ from the published ones (the first: {min(differ)}, "
        f"expected SHA-256 {digests(name)[min(differ)]})"
        if differ
        else f"{len(missing)} of {count} task files are missing (the first: {first})"
    )
    raise EvaluationError(f"{place}: {what}; nothing was kept. The battery {name} is {_origin(name)}")


def _origin(name: Name) -> str:
    source = SOURCES[name]
    return f"{source.folder} of {source.repository}"


@contextmanager
def _replaced(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder`, which takes its place when the block succeeds."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as beside:
            new, old = Path(beside, "new"), Path(beside, "old")
            new.mkdir()
            yield new
            if folder.exists():
                folder.rename(old)
            new.rename(folder)
    except OSError as error:
        reason = error.strerror or os.strerror(error.errno or 0)
        raise EvaluationError(f"{folder}: cannot be written ({reason})") from None
