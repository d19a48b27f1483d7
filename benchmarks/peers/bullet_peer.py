"""PyBullet on its own: boxes with a camera (TinyRenderer), with rays, or without a sensor."""

import math
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.action import TICK_S
from arena.closing import Closing
from arena.physics.bullet import bullet
from arena.rays import CAST_LENGTH, Rays
from benchmarks.environments import random_actions
from benchmarks.peers import Timed, Work
from benchmarks.peers.scenery import scene_subject

SIDE_M = 40.0
"""Side of the floor, the same as an arena's."""

SPEED = 5.0
"""Speed at which the ball is driven, m/s."""

NEAR = 0.1
"""Near plane of TinyRenderer's cameras, metres; with our camera's 0.01 its depth is too coarse."""

_HEIGHT = 0.5
_FOV_DEG = 100.0


def about() -> dict[str, str]:
    """Bullet's version."""
    return {"bullet": str(bullet.getAPIVersion())}


def opened(work: Work, side: int, seed: int) -> Timed:
    """Steps of three ticks among boxes, each followed by its observation."""
    world, actions, angles = bare_world(seed), random_actions("bench", seed), Rays().angles

    def steps(count: int) -> float:
        started = perf_counter()
        for _ in range(count):
            world.step(int(next(actions)))
            if work is Work.CAMERA:
                world.picture(side)
            elif work is Work.RAYS:
                world.rays(angles, CAST_LENGTH)
        return perf_counter() - started

    return steps


def bare_world(seed: int) -> "BareWorld":
    """A world with as many boxes as the scene has things, and as many movable ones."""
    with scene_subject(seed) as subject:
        things = subject.episode.scene().things
    return BareWorld(len(things), sum(thing.moves for thing in things))


class BareWorld(Closing):
    """A floor within four walls, boxes on a grid, and a ball that is driven among them.

    The `boxes` are 1 m a side, or smaller if they would touch; the first `moving` of them have a mass of
    1 kg, the others are immovable. A context manager.
    """

    def __init__(self, boxes: int, moving: int) -> None:
        self.boxes = boxes
        self._client = bullet.connect(bullet.DIRECT)
        bullet.setGravity(0, 0, -9.81, physicsClientId=self._client)
        bullet.setPhysicsEngineParameter(fixedTimeStep=TICK_S, physicsClientId=self._client)
        middle = SIDE_M / 2
        self._box((middle, middle, 0.5), (middle, middle, -0.5), 0.0)
        for near in (-0.5, SIDE_M + 0.5):
            self._box((0.5, middle, 5.0), (near, middle, 5.0), 0.0)
            self._box((middle, 0.5, 5.0), (middle, near, 5.0), 0.0)
        columns = math.ceil(math.sqrt(boxes + 1))
        pitch = SIDE_M / columns
        half = min(0.5, 0.4 * pitch)
        for index in range(boxes):
            row, column = divmod(index + 1, columns)
            place = ((column + 0.5) * pitch, (row + 0.5) * pitch, half)
            self._box((half, half, half), place, 1.0 if index < moving else 0.0)
        solid = bullet.createCollisionShape(bullet.GEOM_SPHERE, radius=_HEIGHT, physicsClientId=self._client)
        at = (pitch / 2, pitch / 2, _HEIGHT)
        self._ball = int(bullet.createMultiBody(100.0, solid, -1, at, physicsClientId=self._client))
        self._heading = 0.0

    def step(self, action: int, ticks: int = 3) -> None:
        """Drive the ball for some ticks; `action` is an index into `arena.ACTIONS`."""
        move, turn = divmod(action, 3)
        speed = (0.0, SPEED, -SPEED)[move]
        for _ in range(ticks):
            self._heading += (0.0, -0.035, 0.035)[turn]
            velocity = (speed * math.cos(self._heading), speed * math.sin(self._heading), 0.0)
            bullet.resetBaseVelocity(self._ball, velocity, physicsClientId=self._client)
            bullet.stepSimulation(physicsClientId=self._client)

    def picture(self, side: int) -> npt.NDArray[np.uint8]:
        """The ball's view by PyBullet's TinyRenderer, uint8 (side, side, 3).

        As by default, without shadows and textures: shadows would take four times as long.
        """
        x, y, z = self.ball_position
        ahead = (x + math.cos(self._heading), y + math.sin(self._heading), z)
        image = bullet.getCameraImage(
            *(side, side),
            bullet.computeViewMatrix((x, y, z), ahead, (0, 0, 1)),
            bullet.computeProjectionMatrixFOV(_FOV_DEG, 1.0, NEAR, 70.0),
            renderer=bullet.ER_TINY_RENDERER,
            flags=bullet.ER_NO_SEGMENTATION_MASK,
            physicsClientId=self._client,
        )
        return np.asarray(image[2], np.uint8).reshape(side, side, 4)[..., :3]

    def rays(self, angles_deg: tuple[float, ...], length: float) -> Any:
        """What thin rays from the ball hit: PyBullet's tuples, one per ray."""
        x, y, z = self.ball_position
        bearings = [self._heading - math.radians(angle) for angle in angles_deg]
        ends = [(x + length * math.cos(b), y + length * math.sin(b), z) for b in bearings]
        # They start outside the ball, which they would hit.
        starts = [(x + 0.51 * math.cos(b), y + 0.51 * math.sin(b), z) for b in bearings]
        return bullet.rayTestBatch(starts, ends, physicsClientId=self._client)

    @property
    def ball_position(self) -> tuple[float, float, float]:
        """The ball's centre in PyBullet's frame, z up, metres."""
        x, y, z = bullet.getBasePositionAndOrientation(self._ball, physicsClientId=self._client)[0]
        return (x, y, z)

    def close(self) -> None:
        """Free PyBullet's memory."""
        bullet.disconnect(self._client)

    def _box(self, half: tuple[float, float, float], centre: tuple[float, float, float], mass: float) -> None:
        client = self._client
        solid = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=half, physicsClientId=client)
        seen = bullet.createVisualShape(bullet.GEOM_BOX, halfExtents=half, physicsClientId=client)
        bullet.createMultiBody(mass, solid, seen, centre, physicsClientId=client)
