"""Random arenas with one good goal, at a chosen distance and bearing from the agent."""

import math
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from arena import ArenaSpec
from arena.geometry.layout import seed_words
from arena.taskfile.config import RGB, Item, Vector3

THRESHOLD_M = 17.5
"""A ball at this distance or beyond is far (method.md of the paper's supporting materials)."""

GOALS = ("GoodGoal", "GoodGoalMulti")
"""Green and yellow."""

_DISTANCES_M = {"near": (2.5, THRESHOLD_M), "far": (THRESHOLD_M, 36.0), "turn": (2.5, 36.0)}
"""Distance between the centres of agent and ball. Below 2.5 m the largest ball almost touches the agent, and
much more than 36 m does not fit into an arena. Our choice, as are all numbers below: the paper gives none."""

_BEARINGS_DEG = (6.0, 49.0)
"""Bearing of a ball to turn to: a step turns 6 degrees, and the picture ends at 50."""

_DIAMETERS_M = (0.8, 3.0)
_DISTRACTORS = (2, 20)
_TIME_LIMITS = (250, 500, 1000)
"""Time limits of the official battery."""

_SIZES_M: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    "Wall": ((0.5, 0.5, 0.5), (8.0, 4.0, 2.0)),
    "WallTransparent": ((0.5, 0.5, 0.5), (8.0, 4.0, 2.0)),
    "Ramp": ((1.0, 0.5, 1.0), (6.0, 3.0, 6.0)),
    "CylinderTunnel": ((2.5, 2.5, 2.5), (5.0, 5.0, 6.0)),
    "CylinderTunnelTransparent": ((2.5, 2.5, 2.5), (5.0, 5.0, 6.0)),
    "LightBlock": ((0.5, 0.5, 0.5), (3.0, 3.0, 3.0)),
    "HeavyBlock": ((0.5, 0.5, 0.5), (3.0, 3.0, 3.0)),
    "LBlock": ((1.0, 0.3, 3.0), (3.0, 2.0, 6.0)),
    "JBlock": ((1.0, 0.3, 3.0), (3.0, 2.0, 6.0)),
    "UBlock": ((1.0, 0.3, 3.0), (3.0, 2.0, 6.0)),
    "BadGoal": ((0.5, 0.5, 0.5), (3.0, 3.0, 3.0)),
    "DeathZone": ((1.0, 0.5, 1.0), (6.0, 0.5, 6.0)),
    "HotZone": ((1.0, 0.5, 1.0), (6.0, 0.5, 6.0)),
}
"""The other objects, with their smallest and largest sizes: those that the system prompt names."""

_EDGE_M = 2.0
"""Smallest distance of the agent and the ball from the fence."""


class Kind(StrEnum):
    """The four kinds of example; the first two share one kind of reply."""

    LEFT = "turn left"
    RIGHT = "turn right"
    NEAR = "drive to the ball"
    FAR = "drive into its vicinity"


class SampledArena(NamedTuple):
    """An arena whose first object is the ball, and the name of that ball."""

    spec: ArenaSpec
    goal: str


def kind_of(seed: int, index: int) -> Kind:
    """The kind of an example: every four in a row are one of each kind, in random order."""
    rng = np.random.default_rng([*seed_words(seed), 1, index // 4])
    return tuple(Kind)[int(rng.permutation(4)[index % 4])]


def random_arena(kind: Kind, rng: np.random.Generator) -> SampledArena | None:
    """Draw an arena for a kind of example; None if the ball would be outside of it.

    The agent and the ball have fixed positions, the other objects are placed by the arena's own rules.
    """
    x, z = rng.uniform(_EDGE_M, 40 - _EDGE_M, 2)
    # Whole degrees, so that the arena's file is short and exact.
    yaw = float(rng.integers(360))
    bearing, distance = _direction(kind, rng)
    angle = math.radians(yaw + bearing)
    goal_x, goal_z = x + distance * math.sin(angle), z + distance * math.cos(angle)
    if not all(_EDGE_M <= value <= 40 - _EDGE_M for value in (goal_x, goal_z)):
        return None
    goal = GOALS[int(rng.integers(2))]
    diameter = float(rng.uniform(*_DIAMETERS_M))
    items = (
        Item(name="Agent", positions=(Vector3(x=x, z=z),), rotations=(yaw,)),
        Item(name=goal, positions=(Vector3(x=goal_x, z=goal_z),), sizes=(_cube(diameter),)),
        *(_distractor(rng) for _ in range(int(rng.integers(_DISTRACTORS[0], _DISTRACTORS[1] + 1)))),
    )
    time_limit = _TIME_LIMITS[int(rng.integers(len(_TIME_LIMITS)))]
    return SampledArena(ArenaSpec(time_limit=time_limit, pass_mark=0.0, items=items), goal)


def _direction(kind: Kind, rng: np.random.Generator) -> tuple[float, float]:
    """Bearing in degrees, positive to the right, and distance in metres."""
    if kind in (Kind.NEAR, Kind.FAR):
        return 0.0, float(rng.uniform(*_DISTANCES_M["near" if kind is Kind.NEAR else "far"]))
    side = -1 if kind is Kind.LEFT else 1
    return side * float(rng.uniform(*_BEARINGS_DEG)), float(rng.uniform(*_DISTANCES_M["turn"]))


def _distractor(rng: np.random.Generator) -> Item:
    name = tuple(_SIZES_M)[int(rng.integers(len(_SIZES_M)))]
    low, high = _SIZES_M[name]
    size = _cube(float(rng.uniform(low[0], high[0]))) if name == "BadGoal" else _box(rng.uniform(low, high))
    r, g, b = (float(channel) for channel in rng.integers(256, size=3))
    return Item(
        name=name,
        positions=(Vector3(x=-1.0, z=-1.0),),
        rotations=(float(rng.integers(360)),),
        sizes=(size,),
        colors=(RGB(r=r, g=g, b=b),),
    )


def _cube(side: float) -> Vector3:
    return Vector3(x=side, y=side, z=side)


def _box(size: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Vector3:
    x, y, z = (float(side) for side in size)
    return Vector3(x=x, y=y, z=z)
