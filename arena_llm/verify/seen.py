"""Episodes verified by workers that may be on other machines: the files must be seen there too."""

import platform
from contextlib import chdir, nullcontext
from dataclasses import dataclass
from pathlib import Path

from arena.errors import EvaluationError
from arena_llm.verify.episode import verify
from arena_llm.verify.found import Source
from arena_llm.verify.options import Options
from arena_llm.verify.report import Checked


@dataclass(frozen=True, slots=True)
class Seen:
    """A source with the files and folders of its verification that are there where the command was given.

    They are absolute. `folder` is the one that the command was given in.
    """

    source: Source
    files: tuple[Path, ...]
    folder: Path

    def __str__(self) -> str:
        return " ".join(str(part) for part in (self.source.path, self.source.sample) if part)


def with_files(source: Source, options: Options) -> Seen:
    """A source with the files that it needs: logs are too large to be sent with each of their episodes."""
    named = (source.path, options.testbed, options.task, source.run.folder if source.run else None)
    paths = (Path(each) for each in named if each is not None)
    return Seen(source, tuple(path.absolute() for path in paths if path.exists()), Path.cwd())


def verify_seen(seen: Seen, options: Options) -> tuple[Checked, ...]:
    """As `verify`; raises EvaluationError where this machine does not see the files."""
    for path in seen.files:
        if not path.exists():
            raise EvaluationError(
                f"{path}: is not on {platform.node()}; `verify --engine ray` needs logs and task files at "
                "the same place on every machine, as on a shared disk"
            )
    # A worker's own folder is another one, and what is found is told of the paths that were given.
    with chdir(seen.folder) if seen.folder.is_dir() else nullcontext():
        return verify(seen.source, options)
