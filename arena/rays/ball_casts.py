"""Casts of a ball (or a point) from the agent against the things of a scene and the arena's boundary."""

from collections.abc import Iterable
from operator import is_

import numpy as np
import numpy.typing as npt

from arena.geometry.placed import AGENT_RADIUS
from arena.kernel.casts import cast
from arena.kernel.parts import Parts, arena_parts, place, shape_parts
from arena.scene import Floats, Scene, Thing
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Shape


class BallCasts:
    """The parts of an episode's things and of the arena's boundary; made once, used at every step.

    What it keeps from scene to scene only saves time; results never depend on it.
    """

    def __init__(self, things: tuple[Thing, ...], fitted: bool = False) -> None:
        """`fitted` is as for `arena.kernel.parts.shape_parts`. Raises KeyError for an unknown kind."""
        self._shapes, self._fitted = [KINDS[thing.kind].shape for thing in things], fitted
        self._poses: tuple[object, ...] = (None,) * 5
        self._sizes: bytes | None = None

    def nearest(
        self,
        scene: Scene,
        directions: Floats,
        radius: float,
        limits: Floats,
        among: Iterable[int] | None = None,
    ) -> tuple[npt.NDArray[np.int64], Floats]:
        """What a ball cast from the agent's centre hits first along n directions, unit vectors (n, 3).

        Returns indices of things (n,), -1 for a miss, and distances (n,), infinite for a miss. The boundary's
        index is the number of things, that of other agents one more; `limits` (n,) and distances are in
        metres. Things that the ball overlaps or touches at the start are not hit, nor are those that were
        removed or, if it is given, are not `among` some things.
        """
        parts = self.placed(scene)
        if among is not None:
            parts = parts[np.isin(parts["owner"], np.fromiter(among, np.int64))]
        owners, distances = np.empty(len(directions), np.int64), np.empty(len(directions))
        cast(parts, scene.agent_position, radius, directions, limits, owners, distances)
        return owners, distances

    def placed(self, scene: Scene) -> Parts:
        """The parts of what is there, where it is."""
        poses = (scene.positions, scene.rotations, scene.sizes, scene.visible, scene.unseen)
        # Arrays that cannot be written are the same as long as they are the same objects.
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
        sizes = scene.sizes.tobytes()
        if sizes != self._sizes:
            shapes = zip(self._shapes, map(tuple, scene.sizes.tolist()), strict=True)
            things = [shape_parts(shape, size, self._fitted) for shape, size in shapes]
            self._own = arena_parts(things, range(len(things)), len(things))
            self._sizes = sizes
        there = np.append(scene.visible, True)
        there[list(scene.unseen)] = True
        own = self._own if there.all() else self._own[there[self._own["owner"]]]
        self._now = own.copy()
        place(own, scene.positions, scene.rotations, self._now)
