"""Renew proofs that are no longer reproduced, as after a change of the physics."""

from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path

from arena import Episode, EvaluationError
from arena.files import read_text
from arena.parallel import in_order
from arena.replay import Replay
from testbed.blueprints import Draw
from testbed.oracle.solve import solved
from testbed.proof import solutions
from testbed.proof.prove import solution_of, waited
from testbed.proof.solutions import Proof
from testbed.tasks import Task


def prove_again(tasks: Sequence[Task], folder: Path, jobs: int) -> Generator[str, None, None]:
    """Renew the solution files of a folder; the task files stay. Yields a sentence on each renewed proof.

    Raises EvaluationError if the oracle no longer solves a task; what was done before is written.
    """
    kept = dict(solutions.read(folder))
    with closing(in_order(_renewed, [(task, kept[task.id]) for task in tasks], jobs)) as proofs:
        for task, proof in zip(tasks, proofs, strict=True):
            if proof is None:
                continue
            old, kept[task.id] = kept[task.id].solution, proof
            beside = [kept[other.id] for other in tasks if other.path.parent == task.path.parent]
            solutions.write(beside, task.path.parent / solutions.FILE)
            yield f"{task.id}: {old.steps} steps before, {proof.solution.steps} now"


def _renewed(work: tuple[Task, Proof]) -> Proof | None:
    """A new proof of the same file, None if the old one is still reproduced.

    Its actions stay the same if they still pass; otherwise the oracle finds new ones.
    """
    task, proof = work
    if not solutions.verify(task, proof).problem:
        return None
    with closing(Episode(task.spec, task_id=task.id)) as episode:
        failure = waited(episode)
    with Replay(proof.solution, task.spec) as replay:
        solution = replay.to_end().recording()
    if solved(solution):
        return Proof(solution=solution, failure=failure)
    draw = Draw.of_text(read_text(task.path), str(task.path))
    solution = solution_of(draw, task.spec, task.id)
    if not solved(solution) or failure.passed:
        raise EvaluationError(
            f"{task.path}: the oracle reaches {solution.total_reward:.2f}, doing nothing "
            f"{failure.total_reward:.2f}"
        )
    return Proof(solution=solution, failure=failure)
