"""Draw a task until it is proven: the oracle passes it, and doing nothing fails it."""

from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from arena import Episode, EvaluationError, Recording, load_text
from arena.errors import ArenaError
from testbed.blueprints import Draw, blueprint, condition_of, text
from testbed.oracle.driver import waiting
from testbed.oracle.solve import solve, solved
from testbed.solutions import Proof

MOST_ATTEMPTS = 12
"""So many draws of one variant are tried. A paradigm that needs more of them is badly made."""

BUDGET = 4_000
"""Steps that the oracle imagines for one draw."""


class Proven(NamedTuple):
    """A file and what proves that it can be passed and failed."""

    task_id: str
    text: str
    proof: Proof


class Order(NamedTuple):
    """A file to be made: which draw, its first attempt, and the id that it gets."""

    draw: Draw
    task_id: str


def prove(order: Order) -> Proven:
    """The first attempt at a draw that is solved.

    Raises EvaluationError where none of the attempts is.
    """
    problems = []
    for attempt in range(order.draw.attempt, order.draw.attempt + MOST_ATTEMPTS):
        draw = order.draw._replace(attempt=attempt)
        made = text(draw)
        proof = _proof(draw, made, order.task_id)
        if isinstance(proof, Proof):
            return Proven(order.task_id, made, proof)
        problems.append(proof)
    name = condition_of(order.draw).name
    raise EvaluationError(
        f"{order.task_id} ({name}): none of {MOST_ATTEMPTS} draws is proven solvable: {'; '.join(problems)}"
    )


def _proof(draw: Draw, made: str, task_id: str) -> Proof | str:
    """The proof of a file, or why there is none."""
    try:
        spec = load_text(made).arenas[0]
        with closing(Episode(spec, task_id=task_id)) as episode:
            blocked = [thing.kind.name for thing in episode.layout.things if thing.blocked]
            if blocked:
                return f"blocked: {', '.join(blocked)}"
            failure = idle(episode)
    except ArenaError as error:
        return str(error)
    if failure.passed:
        return "doing nothing passes"
    pushes = blueprint(draw).pushes
    plan = solve(spec, task_id=task_id, pushes=pushes, budget=BUDGET)
    if not solved(plan.recording):
        return f"the oracle reaches {plan.recording.total_reward:.2f}"
    return Proof(solution=plan.recording, failure=failure)


def idle(episode: Episode) -> Recording:
    """Wait until the time is over."""
    while not episode.done:
        episode.step(waiting(episode))
    return episode.recording()


def write(proven: Proven, folder: Path) -> None:
    """Write a file into a folder, which is made where it is missing; raises EvaluationError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{proven.task_id}.yaml").write_text(proven.text, encoding="utf-8")
    except OSError as error:
        raise EvaluationError(f"{folder}: cannot be written: {error.strerror or error}") from None
