"""Prove shipped tasks again whose recordings no longer hold, as after a change of the physics."""

from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path

from arena import Episode, Recording
from arena.errors import EvaluationError
from arena.parallel import in_order
from arena.replay import Replay
from testbed import solutions
from testbed.blueprints import Draw, blueprint
from testbed.oracle.solve import solve, solved
from testbed.proof.prove import BUDGET, idle
from testbed.solutions import Proof
from testbed.tasks import Task


def prove_again(tasks: Sequence[Task], folder: Path, jobs: int) -> Generator[str, None, None]:
    """Renew the solution files of a folder; the task files stay. Yields a sentence on each that was renewed.

    Raises EvaluationError where the oracle does not solve a task any more; what was done before is written.
    """
    kept = dict(solutions.read(folder))
    with closing(in_order(_checked, [(task, kept[task.id]) for task in tasks], jobs)) as checked:
        broken = [task for task, verdict in zip(tasks, checked, strict=True) if verdict]
    with closing(in_order(_again, [(task, kept[task.id]) for task in broken], jobs)) as proofs:
        for task, proof in zip(broken, proofs, strict=True):
            old, kept[task.id] = kept[task.id].solution, proof
            beside = [kept[other.id] for other in tasks if other.path.parent == task.path.parent]
            solutions.write(beside, task.path.parent / solutions.FILE)
            yield f"{task.id}: {old.steps} steps before, {proof.solution.steps} now"


def _checked(work: tuple[Task, Proof]) -> str:
    return solutions.verify(*work).problem


def _again(work: tuple[Task, Proof]) -> Proof:
    """A proof of the same file: the same actions where they still pass, else what the oracle finds."""
    task, proof = work
    with closing(Episode(task.spec, task_id=task.id)) as episode:
        failure = idle(episode)
    replayed = _replayed(task, proof.solution)
    if solved(replayed):
        return Proof(solution=replayed, failure=failure)
    draw = Draw.of_text(task.path.read_text(encoding="utf-8"), str(task.path))
    pushes = blueprint(draw).pushes
    plan = solve(task.spec, task_id=task.id, pushes=pushes, budget=BUDGET)
    if not solved(plan.recording) or failure.passed:
        raise EvaluationError(
            f"{task.path}: the oracle reaches {plan.recording.total_reward:.2f}, doing nothing "
            f"{failure.total_reward:.2f}"
        )
    return Proof(solution=plan.recording, failure=failure)


def _replayed(task: Task, recording: Recording) -> Recording:
    with Replay(recording, task.spec) as replay:
        return replay.to_end().recording()
