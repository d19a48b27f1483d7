"""Verified solutions: a passing and a failing recording of every task."""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ValidationError

from arena import ConfigError, Outcome, Recording, RecordingError
from arena.files import read_text, write_file
from arena.processes import Engine, in_order
from arena.replay import Replay
from testbed.tasks import Task

FILE = "solutions.jsonl"
"""Solution file of a level: one pair per line, sorted by task. It lies next to the tasks."""


class Proof(BaseModel, frozen=True, extra="forbid"):
    """Evidence that a task can be passed and failed: two recordings."""

    solution: Recording
    failure: Recording

    @property
    def task_id(self) -> str:
        """The task that both are of."""
        return self.solution.task_id


class Verdict(NamedTuple):
    """Replay result of a task's recordings. `problem` is empty if both are reproduced."""

    task_id: str
    problem: str


def write(proofs: Iterable[Proof], path: Path) -> None:
    """Write proofs to a file, sorted by task."""
    lines = [proof.model_dump_json() + "\n" for proof in sorted(proofs, key=lambda proof: proof.task_id)]
    write_file(path, "".join(lines))


def read(folder: Path) -> Mapping[str, Proof]:
    """Read the proofs of a folder and its subfolders, by task. Raises RecordingError if a file is broken."""
    return {proof.task_id: proof for path in sorted(folder.rglob(FILE)) for proof in _read(path)}


def _read(path: Path) -> Iterator[Proof]:
    try:
        lines = read_text(path).splitlines()
    except ConfigError as error:
        raise RecordingError(str(error)) from None
    for number, line in enumerate(lines, start=1):
        try:
            yield Proof.model_validate_json(line)
        except ValidationError as error:
            what = error.errors()[0]["msg"]
            raise RecordingError(f"{path}:{number}: not a solution: {what}") from None


def verify_all(
    tasks: Sequence[Task], folder: Path, jobs: int, engine: Engine | None = None
) -> Generator[Verdict, None, None]:
    """Verify tasks in several processes, in their order. Their solutions are in `folder` and its subfolders.
    Raises ConfigError if there is none at all, RecordingError if a file of solutions is broken."""
    proofs = read(folder)
    if not proofs:
        raise ConfigError(f"{folder}: no {FILE} here or below: there is nothing to verify")
    work = [(task, proofs.get(task.id)) for task in tasks]
    with closing(in_order(_verify, work, jobs, engine, lambda item: item[0].id)) as verdicts:
        yield from verdicts


def _verify(work: tuple[Task, Proof | None]) -> Verdict:
    return verify(*work)


def verify(task: Task, proof: Proof | None) -> Verdict:
    """Replay both recordings of a task in its present arena."""
    if proof is None:
        return Verdict(task.id, "there is no solution")
    for recording, passes in ((proof.solution, True), (proof.failure, False)):
        name = "solution" if passes else "failure"
        problem = _replay(task, recording, passes)
        if problem:
            return Verdict(task.id, f"{name}: {problem}")
    return Verdict(task.id, "")


def _replay(task: Task, recording: Recording, passes: bool) -> str:
    """Return a recording's problem. Empty if it is replayed to the same end."""
    if not recording.is_of(task.spec):
        return "it was made in a different arena from the task's"
    with Replay(recording, task.spec) as replay:
        episode = replay.to_end()
        if episode.steps < recording.steps:
            return f"the episode ended after {episode.steps} of {recording.steps} steps"
        if episode.outcome in (None, Outcome.STOPPED):
            return f"the episode went on after the last of {recording.steps} steps"
        if episode.total_reward != recording.total_reward:
            return f"total reward {episode.total_reward!r}, expected {recording.total_reward!r}"
        if episode.passed is not passes:
            return f"it {'passes' if episode.passed else 'fails'} with {episode.total_reward:.3f}"
    return ""
