"""PyBullet on its own: TinyRenderer on our scene, and boxes with a camera, rays, or no sensor."""

import math
from collections.abc import Sequence
from functools import cache, partial
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pybullet as bullet
import trimesh

from arena import Scene
from arena.action import TICK_S
from arena.closing import Closing
from arena.rays import CAST_LENGTH, Rays
from arena.scene import Floats
from benchmarks.environments import random_actions
from benchmarks.peers import Timed, Work
from benchmarks.peers.scenery import Changes, mesh_name, place_of, scene_subject
from render.camera import first_person
from render.looks.sky import TO_SUN
from render.parts.meshes import unit_meshes
from render.pyrender.solids import Solid, solids_of

SIDE_M = 40.0
"""Side of the floor, the same as an arena's."""

SPEED = 5.0
"""Speed at which the ball is driven, m/s."""

NEAR = 0.1
"""Near plane of TinyRenderer's cameras, metres; with our camera's 0.01 its depth is too coarse."""

_SWAP = [0, 2, 1]
"""Exchanging y and z turns the arena's left-handed frame into Bullet's."""

_HEIGHT = 0.5
_FOV_DEG = 100.0


def about() -> dict[str, str]:
    """Bullet's version."""
    return {"bullet": str(bullet.getAPIVersion())}


def opened(work: Work, side: int, seed: int, *, shadows: bool = False) -> Timed:
    """Pictures of the played scene, or steps of three ticks among boxes, each followed by its observation."""
    if work is Work.FRAMES:
        subject = scene_subject(seed)
        draw = partial(TinyWorld(subject.episode.scene()).picture, side=side, shadows=shadows)
        return lambda count: subject.timed_between(count, draw)
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


def tiny_picture(
    client: int,
    side: int,
    eye: Sequence[float],
    forward: Sequence[float],
    lens: Sequence[float],
    **options: Any,
) -> npt.NDArray[np.uint8]:
    """A picture by PyBullet's TinyRenderer, uint8 (side, side, 3), in Bullet's frame.

    `lens` is vertical field of view (degrees), aspect, near and far plane (metres); `options` are those of
    `getCameraImage`.
    """
    target = [start + step for start, step in zip(eye, forward, strict=True)]
    view = bullet.computeViewMatrix(eye, target, (0, 0, 1))
    projection = bullet.computeProjectionMatrixFOV(*lens)
    options |= {"renderer": bullet.ER_TINY_RENDERER, "flags": bullet.ER_NO_SEGMENTATION_MASK}
    image = bullet.getCameraImage(side, side, view, projection, physicsClientId=client, **options)
    return np.asarray(image[2], np.uint8).reshape(side, side, 4)[..., :3]


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
        forward = (math.cos(self._heading), math.sin(self._heading), 0.0)
        return tiny_picture(self._client, side, self.ball_position, forward, (_FOV_DEG, 1.0, NEAR, 70.0))

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


class TinyWorld:
    """A scene's solids as visual bodies."""

    def __init__(self, scene: Scene) -> None:
        self._client = bullet.connect(bullet.DIRECT)
        self._items = solids_of(scene, own_body=False)
        self._changes = Changes(self._items)
        self._bodies = [self._body(item) for item in self._items]

    def picture(self, scene: Scene, side: int, *, shadows: bool) -> npt.NDArray[np.uint8]:
        """What the agent sees, uint8 (side, side, 3)."""
        for number in self._changes.of(scene):
            centre, rotation = place_of(self._items[number], scene)
            bullet.resetBasePositionAndOrientation(
                self._bodies[number],
                centre[_SWAP].tolist(),
                _quaternion(rotation),
                physicsClientId=self._client,
            )
        camera = first_person(scene)
        eye, forward = np.array(camera.position)[_SWAP].tolist(), camera.axes()[2][_SWAP].tolist()
        lens, sun = (camera.fov, 1.0, NEAR, camera.far), TO_SUN[_SWAP].tolist()
        return tiny_picture(self._client, side, eye, forward, lens, lightDirection=sun, shadow=int(shadows))

    def _body(self, item: Solid) -> int:
        vertices, normals, indices = _mesh(mesh_name(item))
        seen = bullet.createVisualShape(
            bullet.GEOM_MESH,
            vertices=(vertices * np.array(item.size)[_SWAP]).tolist(),
            indices=indices.ravel().tolist(),
            normals=normals.tolist(),
            rgbaColor=(*item.look.color, 1.0),
            physicsClientId=self._client,
        )
        return int(bullet.createMultiBody(0.0, -1, seen, physicsClientId=self._client))


@cache
def _mesh(name: str) -> tuple[Floats, Floats, npt.NDArray[np.uint32]]:
    """Vertices (n, 3), normals (n, 3) and triangles (m, 3) in Bullet's frame, which mirrors them."""
    mesh = unit_meshes()[name]
    vertices, normals = mesh.vertices.astype(float).reshape(-1, 2, 3)[..., _SWAP].transpose(1, 0, 2)
    return vertices, normals, mesh.indices.reshape(-1, 3)[:, ::-1]


def _quaternion(rotation: Floats) -> list[float]:
    """A rotation of the arena's frame as Bullet's (x, y, z, w)."""
    matrix = np.eye(4)
    matrix[:3, :3] = rotation[np.ix_(_SWAP, _SWAP)]
    w, x, y, z = trimesh.transformations.quaternion_from_matrix(matrix)  # type: ignore[no-untyped-call]
    norm = math.sqrt(w * w + x * x + y * y + z * z)
    return [float(part / norm) for part in (x, y, z, w)]
