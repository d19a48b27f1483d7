"""What the paradigms of level 10 share."""

from testbed.blueprints.blueprint import Blueprint, Object, Shove
from testbed.blueprints.placement import Frame

LIMIT = 500
"""The level's time limit: pushing takes time. The reward of 1 stays above the pass mark of 0 to its end."""


def task_on(
    frame: Frame,
    goal: str,
    solution: str,
    capacities: tuple[str, ...],
    local: list[Object],
    shoves: list[Shove],
) -> Blueprint:
    """A task of this level from an arrangement in a frame."""
    return frame.placed(
        Blueprint(goal, capacities, solution, tuple(local), time_limit=LIMIT, shoves=tuple(shoves))
    )
