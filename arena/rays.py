"""The ray sensor: sphere casts from the agent in several directions.

As in `AAI3Agent.prefab`, rays are horizontal casts of a ball of radius 0.5 over 200 m from the agent's
centre. Things that the ball touches at the start are not hit: the ground, but also a wall or ramp that the
agent leans on, so that the ray passes through it. Zones and transparent walls are hit, eaten balls are not,
and blackouts have no effect. A machine has the tag of its lamp, which hangs above all rays.
"""

from collections.abc import Iterable
from itertools import pairwise
from operator import is_

import numpy as np
import numpy.typing as npt

from arena.errors import ConfigError
from arena.geometry.placed import AGENT_RADIUS
from arena.kernel.casts import cast, horizontal, seen
from arena.kernel.tables import Parts, arena_parts, place, shape_parts
from arena.scene import Floats, Scene, Thing
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Shape
from arena.taskfile.versions import DIFFERENCES, Version, kind_in


class BallCasts:
    """Ball casts against an episode's things and boundary; made once per episode. The cache from scene to
    scene only saves time; results never depend on it."""

    def __init__(self, things: tuple[Thing, ...], fitted: bool = False) -> None:
        """Take the things. `fitted` is as for `arena.kernel.tables.shape_parts`. Raises KeyError for an
        unknown kind."""
        self._shapes, self._fitted = [KINDS[thing.kind].shape for thing in things], fitted
        self._poses: tuple[object, ...] = (None,) * 5
        self._listed: tuple[object, ...] = (None,)

    def nearest(
        self,
        scene: Scene,
        directions: Floats,
        radius: float,
        limits: Floats,
        among: Iterable[int] | None = None,
    ) -> tuple[npt.NDArray[np.int64], Floats]:
        """Cast a ball along n unit vectors (n, 3). Return the first hits.

        The cast starts at the agent's centre. Returns indices of things (n,), -1 for a miss, and distances
        (n,), infinite for a miss. The boundary's index is the number of things, that of other agents one
        more; `limits` (n,) and distances are in metres. Things that the ball overlaps or touches at the start
        are not hit, nor are removed ones or, if it is given, those not `among` some things.
        """
        parts = self.placed(scene)
        if among is not None:
            parts = parts[np.isin(parts["owner"], np.fromiter(among, np.int64))]
        owners, distances = np.empty(len(directions), np.int64), np.empty(len(directions))
        cast(parts, scene.agent_position, radius, directions, limits, owners, distances)
        return owners, distances

    def placed(self, scene: Scene) -> Parts:
        """Return the parts of all present things at their current poses."""
        poses = (scene.positions, scene.rotations, scene.sizes, scene.visible, scene.unseen)
        # Read-only arrays are unchanged as long as they are the same objects.
        if not all(map(is_, poses, self._poses)) or scene.positions.flags.writeable:
            self._place(scene)
            self._poses = poses
        if not scene.others:
            return self._now
        others = np.tile(shape_parts(Shape.BALL, (2 * AGENT_RADIUS,) * 3), len(scene.others))
        others["centre"] = [other.position for other in scene.others]
        others["owner"], others["collider"] = len(scene.things) + 1, -1 - np.arange(len(others))
        return np.concatenate([self._now, others])

    def _place(self, scene: Scene) -> None:
        listed = scene.sizes.tobytes(), scene.visible.tobytes(), scene.unseen
        if listed != self._listed:
            if listed[0] != self._listed[0]:
                shapes = zip(self._shapes, map(tuple, scene.sizes.tolist()), strict=True)
                things = [shape_parts(shape, size, self._fitted) for shape, size in shapes]
                self._all = arena_parts(things, range(len(things)), len(things))
            there = np.append(scene.visible, True)
            there[list(scene.unseen)] = True
            self._own: Parts = self._all[there[self._all["owner"]]]
            self._now: Parts = self._own.copy()
            self._listed = listed
        place(self._own, scene.positions, scene.rotations, self._now)


CAST_RADIUS = 0.5
"""Radius of the ball that is cast, metres (`AAI3Agent.prefab`)."""

CAST_LENGTH = 200.0
"""Length of a cast, metres; the unit of the observed distance."""

TAGS = (
    *("arena", "Immovable", "Movable", "goodGoal", "goodGoalMulti", "badGoal"),
    *("GoalSpawner", "DeathZone", "HotZone", "Ramp", "PillarButton", "SignPoster"),
)
"""Tags that a ray distinguishes, in the order of its bits (`AAI3Arena.prefab`). In v3.1.3 two of them are
never set: a ramp's collider carries Immovable, and a death zone badGoal."""

TAGS_4_4 = (*TAGS, "DecoyGoal", "DecoyGoalBounce", "HollowObj", "badGoalMulti", "DataZone", "agent")
"""Tags of Animal-AI 4.4, for `Rays(tags=...)` (package `animalai` 6.2, `RayCastObjects`)."""

_FURTHER = {"HollowBox": "HollowObj", "BadGoalMulti": "badGoalMulti"}
"""Tags of kinds without one of `TAGS`. Those of all others are their names (`Assets/Prefabs`)."""

NOTHING_HIT = len(TAGS)
"""Column that is 1 for a miss."""

FRACTION = NOTHING_HIT + 1
"""Column of the distance in units of `CAST_LENGTH`; 1 for a miss."""

FLAGS = 2
"""Values per ray in addition to its tags."""


def unity_tag(kind: str, version: Version) -> str:
    """Return a kind's tag in the original's scene. Rays may not distinguish it."""
    return kind_in(kind, version).tag or _FURTHER.get(kind, kind)


class Rays:
    """The ray sensor of one agent.

    `angles` are degrees to the right of the agent's heading, in the order of the rows: 0, d, -d, 2d, -2d, ...
    with d = `max_degrees` / `per_side`; `turns` are the same as an array (n,). A sensor can be used for many
    episodes, one after another.
    """

    def __init__(
        self,
        per_side: int = 2,
        max_degrees: float = 60.0,
        version: Version = Version.V3,
        tags: tuple[str, ...] = TAGS,
    ) -> None:
        """Take the directions, `version` and `tags`. `version` determines a few tags (`unity_tag`) and the
        shape of L, J and U blocks; `tags` are those that observations distinguish.

        Raises ConfigError for a negative number of rays, or an angle outside 0 to 180.
        """
        self._version, self._listed = version, {tag: index for index, tag in enumerate(tags)}
        if per_side < 0:
            raise ConfigError(f"rays per side: got {per_side}, expected 0 or more")
        if not 0 < max_degrees <= 180:
            raise ConfigError(f"ray_max_degrees: got {max_degrees:g}, expected more than 0 and at most 180")
        turns = [side * max_degrees / per_side for side in range(1, per_side + 1)]
        self.angles: tuple[float, ...] = (0.0, *(angle for turn in turns for angle in (turn, -turn)))
        self.turns: Floats = np.array(self.angles)
        self._things: tuple[Thing, ...] | None = None

    def observe(self, scene: Scene) -> npt.NDArray[np.float32]:
        """Return the rays' observation, float32 (n, 14), one row per ray.

        Rows are in the order of `angles`. Columns 0-11: 1 for the tag (`TAGS`) of the thing hit, else 0; all
        0 for a kind without a tag. Column 12: 1 for a miss, else 0. Column 13: distance / 200, or 1 for a
        miss. Animal-AI sends the rows one after another, `observe(scene).ravel()`: 70 values by default. With
        other `tags` rows have correspondingly more or fewer columns.
        """
        self._update(scene)
        return seen(
            self._casts.placed(scene),
            scene.agent_position,
            scene.agent_yaw,
            self.turns,
            CAST_RADIUS,
            CAST_LENGTH,
            self._columns,
        )

    def named(self, scene: Scene) -> list[tuple[str, float]]:
        """Return tag and distance, metres, of each ray's hit. The `unity_tag` is "" for a miss."""
        self._update(scene)
        directions, limits = horizontal(scene.agent_yaw, self.turns), np.full(len(self.turns), CAST_LENGTH)
        owners, distances = self._casts.nearest(scene, directions, CAST_RADIUS, limits)
        return [
            (self._tags[owner] if owner >= 0 else "", far)
            for owner, far in zip(owners.tolist(), distances.tolist(), strict=True)
        ]

    def columns(self, scene: Scene) -> npt.NDArray[np.int64]:
        """Return the columns of observations for `arena.kernel.casts.seen`."""
        self._update(scene)
        return self._columns

    def _update(self, scene: Scene) -> None:
        """Update for added things, another episode, and lamps."""
        if scene.things is not self._things:
            self._casts = BallCasts(scene.things, DIFFERENCES[self._version].fitted_bars)
            self._things, self._tags = scene.things, _tags(scene.things, self._version)
            listed = [self._listed.get(tag, -1) for tag in self._tags]
            self._columns = np.array([*listed, len(self._listed) + FLAGS])
            kinds = [thing.kind for thing in scene.things]
            self._machines = [n for n, pair in enumerate(pairwise(kinds)) if pair == ("Machine", "LitLamp")]
        for machine in self._machines:
            tag = unity_tag("LitLamp" if scene.visible[machine + 1] else "Machine", self._version)
            self._tags[machine], self._columns[machine] = tag, self._listed.get(tag, -1)


def _tags(things: tuple[Thing, ...], version: Version) -> list[str]:
    """Return the tags of all things, the boundary and other agents."""
    return [*(unity_tag(thing.kind, version) for thing in things), "arena", "agent"]
