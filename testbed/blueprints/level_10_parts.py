"""What the paradigms of level 10 share."""

from testbed.blueprints.blueprint import Blueprint, Object, Point, Shove
from testbed.blueprints.placement import Frame

LIMIT = 500
"""The level's time limit: pushing takes time. The reward of 1 stays above the pass mark of 0 to its end."""

OFF_LIMITS = "Get the green ball out of the red zone without entering it."


def death(x: float, z: float, width: float, depth: float) -> Object:
    """A death zone on the floor that can be turned."""
    return Object("DeathZone", (x, 0, z), (width, 0, depth))


def block(kind: str, x: float, z: float, size: Point, yaw: float = 0, y: float = 0) -> Object:
    """Something that can be pushed."""
    return Object(kind, (x, y, z), size, yaw % 360)


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
