"""Proofs replayed in several processes."""

from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path

from arena.errors import ConfigError
from arena.parallel import Engine, in_order
from testbed import solutions
from testbed.solutions import Proof, Verdict
from testbed.tasks import Task


def verify_all(
    tasks: Sequence[Task], folder: Path, jobs: int, engine: Engine | None = None
) -> Generator[Verdict, None, None]:
    """What came of each task, in their order; `folder` holds the solutions, in files beside the tasks.

    Raises ConfigError where there is none at all, RecordingError where a file of solutions is broken.
    """
    proofs = solutions.read(folder)
    if not proofs:
        raise ConfigError(f"{folder}: no {solutions.FILE} here or below: there is nothing to verify")
    work = [(task, proofs.get(task.id)) for task in tasks]
    with closing(in_order(_verify, work, jobs, engine, _name)) as verdicts:
        yield from verdicts


def _name(work: tuple[Task, Proof | None]) -> str:
    return work[0].id


def _verify(work: tuple[Task, Proof | None]) -> Verdict:
    return solutions.verify(*work)
