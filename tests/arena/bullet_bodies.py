"""The bodies of an arena in Bullet, an independent check of where parts touch; Bullet's z is up."""

import pybullet as bullet

from arena.geometry.placed import AGENT_RADIUS
from arena.geometry.shapes import ARENA_SIZE, FLOOR_Y, TUBE_INNER, parts_of, prism_vertices, ring
from arena.taskfile.kind import Body, Shape

MARGIN = 0.001
"""Bullet rounds edges by this much, 0.04 m by default."""

_THICK = 50.0


def swap(vector):
    """Exchange y and z: from one frame to the other."""
    return (vector[0], vector[2], vector[1])


class BulletBodies:
    """Bullet's bodies of the solid things of a world where they are, of the ground and of a ball."""

    def __init__(self, world):
        self.client = bullet.connect(bullet.DIRECT)
        self.ball = self._body(self._make(bullet.GEOM_SPHERE, radius=AGENT_RADIUS), (0, 0, 0))
        middle, along = ARENA_SIZE / 2, ARENA_SIZE / 2 + 2 * _THICK
        self._box((along, _THICK, along), (middle, FLOOR_Y - _THICK, middle))
        for side in (-_THICK, ARENA_SIZE + _THICK):
            self._box((_THICK, 200.0, along), (side, 0.0, middle))
            self._box((along, 200.0, _THICK), (middle, 0.0, side))
        self.others = list(range(1, 6))
        self.things = {}
        for index in world.things.present():
            if world.things.placed[index].kind.body is not Body.ZONE:
                turn = _quaternion(world.things.rotations[index])
                shape = self._shape(world.things.placed[index])
                self.things[index] = self._body(shape, swap(world.things.position(index)), turn)
        self.others += self.things.values()

    def close(self):
        bullet.disconnect(self.client)

    def near(self, body, other, reach):
        """Points where a body is nearer to another than `reach` (metres): gap and normal to the first."""
        points = bullet.getClosestPoints(body, other, reach, physicsClientId=self.client)
        return [(point[8], swap(point[7])) for point in points]

    def around(self, at, reach):
        """The nearest point of each body near the ball, put `at` a place: gap and normal."""
        bullet.resetBasePositionAndOrientation(self.ball, swap(at), (0, 0, 0, 1), physicsClientId=self.client)
        found = [self.near(self.ball, body, reach) for body in self.others]
        return [min(points, key=lambda point: point[0]) for points in found if points]

    def _box(self, half, centre):
        return self._body(self._make(bullet.GEOM_BOX, halfExtents=swap(half)), swap(centre))

    def _make(self, kind, **options):
        return bullet.createCollisionShape(kind, physicsClientId=self.client, **options)

    def _body(self, shape, centre, turn=(0, 0, 0, 1)):
        body = bullet.createMultiBody(0, shape, -1, centre, turn, physicsClientId=self.client)
        bullet.changeDynamics(body, -1, collisionMargin=MARGIN, physicsClientId=self.client)
        return body

    def _shape(self, placed):
        size, shape = placed.size, placed.kind.shape
        if shape is Shape.BALL:
            return self._make(bullet.GEOM_SPHERE, radius=size[0] / 2)
        if parts := parts_of(shape, size, placed.kind.fitted):
            return bullet.createCollisionShapeArray(
                shapeTypes=[bullet.GEOM_BOX] * len(parts),
                halfExtents=[[length / 2 for length in swap(part.size)] for part in parts],
                collisionFramePositions=[swap(part.centre) for part in parts],
                physicsClientId=self.client,
            )
        if shape is Shape.PRISM:
            return self._make(bullet.GEOM_MESH, vertices=[swap(corner) for corner in prism_vertices(size)])
        if shape is Shape.TUBE:
            vertices, indices = _tube(size)
            concave = bullet.GEOM_FORCE_CONCAVE_TRIMESH
            return self._make(bullet.GEOM_MESH, vertices=vertices, indices=indices, flags=concave)
        return self._make(bullet.GEOM_BOX, halfExtents=[length / 2 for length in swap(size)])


def _quaternion(rotation):
    """Bullet's quaternion of a rotation, which the exchange of two axes turns the other way."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(rotation[[0, 2, 1]][:, [0, 2, 1]]).as_quat().tolist()


def _tube(size):
    """Triangles of a tunnel's outer, inner and end faces."""
    outer = ring(size[0] / 2, size[1] / 2)
    loops = [(points, z) for z in (-size[2] / 2, size[2] / 2) for points in (outer, outer * TUBE_INNER)]
    count, indices = len(outer), []
    # Loops: 0 outer and 1 inner at -z, 2 outer and 3 inner at +z; four bands join them.
    for a, b in ((0, 2), (3, 1), (2, 3), (1, 0)):
        for here in range(count):
            p, q, r, s = (a * count + here, a * count + (here + 1) % count,
                          b * count + (here + 1) % count, b * count + here)  # fmt: skip
            indices += [p, q, r, p, r, s]
    return [swap((x, y, z)) for points, z in loops for x, y in points], indices
