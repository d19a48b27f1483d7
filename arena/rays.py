"""The ray sensor: what a ball would hit that is pushed from the agent in several directions.

Section 4 of the behaviour specification. Rays are horizontal casts of a ball of radius 0.5 over 200 m from
the agent's centre. What the ball touches already is not hit: the ground, but also a wall or a ramp that the
agent leans on, behind which it then sees. Zones and transparent walls are hit, eaten balls are not, and
blackouts do not matter.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.errors import ConfigError
from arena.scene import Floats, Scene, Thing
from arena.sweep import Colliders

CAST_RADIUS = 0.5
"""Radius of the ball that is cast, metres (`AAI3Agent.prefab`)."""

CAST_LENGTH = 200.0
"""How far it is cast, metres; the unit of the observed distance."""

TAGS = (
    "arena",
    "Immovable",
    "Movable",
    "goodGoal",
    "goodGoalMulti",
    "badGoal",
    "GoalSpawner",
    "DeathZone",
    "HotZone",
    "Ramp",
    "PillarButton",
    "SignPoster",
)
"""What a ray can tell apart, in the order of its bits (`AAI3Arena.prefab`)."""

NOTHING_HIT = len(TAGS)
"""Column that is 1 where a ray hits nothing."""

FRACTION = NOTHING_HIT + 1
"""Column of the distance in units of `CAST_LENGTH`; 1 where nothing is hit."""

ROW_LENGTH = FRACTION + 1
"""Values per ray."""

# As in v3.1.3: a ramp's collider carries Immovable and a death zone badGoal, so two bits are never set.
TAG_OF_KIND: dict[str, str] = {
    "Wall": "Immovable",
    "WallTransparent": "Immovable",
    "Ramp": "Immovable",
    "CylinderTunnel": "Immovable",
    "CylinderTunnelTransparent": "Immovable",
    "LightBlock": "Movable",
    "HeavyBlock": "Movable",
    "LBlock": "Movable",
    "JBlock": "Movable",
    "UBlock": "Movable",
    "GoodGoal": "goodGoal",
    "GoodGoalBounce": "goodGoal",
    "GoodGoalMulti": "goodGoalMulti",
    "GoodGoalMultiBounce": "goodGoalMulti",
    "BadGoal": "badGoal",
    "BadGoalBounce": "badGoal",
    "DeathZone": "badGoal",
    "HotZone": "HotZone",
    "SpawnerTree": "GoalSpawner",
    "SpawnerDispenserTall": "GoalSpawner",
    "SpawnerContainerShort": "GoalSpawner",
    "SpawnerButton": "PillarButton",
    "SignBoard": "SignPoster",
}
"""The tag that each kind shows to rays."""

UNLISTED_KINDS = frozenset(
    {"HollowBox", "DecoyGoal", "DecoyGoalBounce", "BadGoalMulti", "DataZone", "GrowGoal", "ShrinkGoal"}
)
"""Kinds that stop a ray and show no tag: their own is not among the twelve."""


class Hits(NamedTuple):
    """What rays hit: `tag` (n,) is an index into `TAGS`, or -1 for none; `distance` (n,) is the ball's way
    in metres, infinite where nothing is hit."""

    tag: npt.NDArray[np.intp]
    distance: Floats


class Rays:
    """The ray sensor of one agent.

    `angles` are degrees to the right of the agent's heading, in the order of the rows: 0, d, -d, 2d, -2d, ...
    with d = `max_degrees` / `per_side`. One sensor may serve many episodes, one after another.
    """

    def __init__(self, per_side: int = 2, max_degrees: float = 60.0) -> None:
        """Raises ConfigError for a negative number of rays, or an angle outside 0 to 180."""
        if per_side < 0:
            raise ConfigError(f"rays per side: got {per_side}, expected 0 or more")
        if not 0 < max_degrees <= 180:
            raise ConfigError(f"ray_max_degrees: got {max_degrees:g}, expected more than 0 and at most 180")
        turns = [side * max_degrees / per_side for side in range(1, per_side + 1)]
        self.angles: tuple[float, ...] = (0.0, *(angle for turn in turns for angle in (turn, -turn)))
        self._things: tuple[Thing, ...] | None = None

    def observe(self, scene: Scene) -> npt.NDArray[np.float32]:
        """What the rays say, float32 (n, 14), one row per ray in the order of `angles`.

        Columns 0-11: 1 for the tag of what was hit (`TAGS`), else 0; all 0 for a kind without one. Column 12:
        1 where nothing was hit. Column 13: the ball's way / 200, or 1. Animal-AI sends the rows one after
        another, `observe(scene).ravel()`: 70 values by default.
        """
        tag, distance = self.hits(scene)
        rows = np.zeros((len(tag), ROW_LENGTH), np.float32)
        tagged = np.flatnonzero(tag >= 0)
        rows[tagged, tag[tagged]] = 1
        nothing = np.isinf(distance)
        rows[:, NOTHING_HIT] = nothing
        rows[:, FRACTION] = np.where(nothing, 1.0, distance / CAST_LENGTH)
        return rows

    def hits(self, scene: Scene) -> Hits:
        """The nearest thing on each ray."""
        if scene.things is not self._things:
            self._colliders, self._tags = Colliders(scene.things), _tags(scene.things)
            self._things = scene.things
        bearings = [math.radians(scene.agent_yaw + angle) for angle in self.angles]
        directions = np.array([(math.sin(b), 0.0, math.cos(b)) for b in bearings])
        ways = self._colliders.sweep(scene, CAST_RADIUS, directions, CAST_LENGTH)
        nearest = ways.argmin(axis=1)
        distance: Floats = ways[np.arange(len(ways)), nearest]
        tag = np.where(np.isinf(distance), -1, self._tags[self._colliders.owner[nearest]])
        return Hits(tag, distance)


def _tags(things: tuple[Thing, ...]) -> npt.NDArray[np.intp]:
    """Index into `TAGS` of each thing (-1 for none), and last that of the boundary."""
    indices = [TAGS.index(TAG_OF_KIND[t.kind]) if t.kind in TAG_OF_KIND else -1 for t in things]
    return np.array([*indices, TAGS.index("arena")])
