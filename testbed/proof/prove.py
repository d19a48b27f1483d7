"""Draw a task until it is proven: the oracle passes it, and waiting fails it."""

from contextlib import closing
from typing import NamedTuple

from arena import ArenaSpec, Episode, EvaluationError, Recording, load_text
from arena.errors import ArenaError
from testbed.blueprints import Draw, blueprint, condition_of, text
from testbed.oracle.driver import waiting
from testbed.oracle.solve import solve, solved
from testbed.proof.solutions import Proof

MAX_ATTEMPTS = 12
"""Maximum number of draws of one variant. A paradigm that needs more is badly designed."""

BUDGET = 4_000
"""Maximum number of steps that the oracle imagines for one draw."""


class Proven(NamedTuple):
    """A file and the proof that it can be passed and failed."""

    task_id: str
    text: str
    proof: Proof


class Order(NamedTuple):
    """A file to be made: its draw, with the first attempt, and its id."""

    draw: Draw
    task_id: str


def prove(order: Order) -> Proven:
    """The first attempt at a draw that is solved.

    Raises EvaluationError if none of the attempts is.
    """
    problems = []
    for attempt in range(order.draw.attempt, order.draw.attempt + MAX_ATTEMPTS):
        draw = order.draw._replace(attempt=attempt)
        made = text(draw)
        proof = _proof(draw, made, order.task_id)
        if isinstance(proof, Proof):
            return Proven(order.task_id, made, proof)
        problems.append(proof)
    name = condition_of(order.draw).name
    raise EvaluationError(
        f"{order.task_id} ({name}): none of {MAX_ATTEMPTS} draws is proven solvable: {'; '.join(problems)}"
    )


def _proof(draw: Draw, made: str, task_id: str) -> Proof | str:
    """The proof of a file, or why there is none."""
    try:
        spec = load_text(made).arenas[0]
        with closing(Episode(spec, task_id=task_id)) as episode:
            blocked = [thing.kind.name for thing in episode.layout.things if thing.blocked]
            if blocked:
                return f"blocked: {', '.join(blocked)}"
            failure = waited(episode)
    except ArenaError as error:
        return str(error)
    if failure.passed:
        return "doing nothing passes"
    solution = solution_of(draw, spec, task_id)
    if not solved(solution):
        return f"the oracle reaches {solution.total_reward:.2f}"
    return Proof(solution=solution, failure=failure)


def waited(episode: Episode) -> Recording:
    """The recording of an episode in which the agent waits until the time is over."""
    while not episode.done:
        episode.step(waiting(episode))
    return episode.recording()


def solution_of(draw: Draw, spec: ArenaSpec, task_id: str) -> Recording:
    """The best recording that the oracle finds, with the pushes of the draw's blueprint."""
    return solve(spec, task_id=task_id, pushes=blueprint(draw).pushes, budget=BUDGET).recording
