"""Contacts of the agent's sphere with convex parts, in closed form.

Positions are in Animal-AI's frame, normals of touches in Bullet's (y and z exchanged).
"""

import math
from typing import NamedTuple

import numpy as np

from arena.geometry.placed import AGENT_RADIUS
from arena.physics.bodies import CONTACT_OFFSET
from arena.scene import Floats, Vector

_REACH = AGENT_RADIUS + CONTACT_OFFSET


class Touch(NamedTuple):
    """A contact: index of the thing, unit normal towards the agent (Bullet's frame), and gap in metres."""

    owner: int
    normal: Vector
    gap: float


class NearBox:
    """A box, or a ball: a box of size 0 with a rounding."""

    __slots__ = ("_axes", "_centre", "_half", "_rounding", "owner")

    def __init__(self, owner: int, axes: Floats, centre: Floats, half: Floats, rounding: float) -> None:
        """`axes` (3, 3) are its own axes as rows; `centre`, `half` (3,) and `rounding` are in metres."""
        self.owner = owner
        self._axes = tuple(axes.ravel().tolist())
        self._centre = tuple(centre.tolist())
        self._half = tuple(half.tolist())
        self._rounding = rounding

    def touch(self, at: Vector, found: list[Touch]) -> None:
        """Append the contact of the agent's sphere centred at `at` (metres), if there is one."""
        ax, ay, az, bx, by, bz, cx, cy, cz = self._axes
        mx, my, mz = self._centre
        x, y, z = at[0] - mx, at[1] - my, at[2] - mz
        a = ax * x + ay * y + az * z
        b = bx * x + by * y + bz * z
        c = cx * x + cy * y + cz * z
        ha, hb, hc = self._half
        p = a - ha if a > ha else a + ha if a < -ha else 0.0
        q = b - hb if b > hb else b + hb if b < -hb else 0.0
        r = c - hc if c > hc else c + hc if c < -hc else 0.0
        reach = _REACH + self._rounding
        squared = p * p + q * q + r * r
        if squared >= reach * reach:
            return
        if squared == 0.0:
            p, q, r, away = _exit((a, b, c), self._half)
        else:
            away = math.sqrt(squared)
            p, q, r = p / away, q / away, r / away
        normal = (p * ax + q * bx + r * cx, p * az + q * bz + r * cz, p * ay + q * by + r * cy)
        found.append(Touch(self.owner, normal, away - self._rounding - AGENT_RADIUS))

    def overlaps(self, at: Vector, radius: float = AGENT_RADIUS) -> bool:
        """Whether a sphere centred at `at` overlaps the box; default: the agent's. Both in metres."""
        ax, ay, az, bx, by, bz, cx, cy, cz = self._axes
        mx, my, mz = self._centre
        x, y, z = at[0] - mx, at[1] - my, at[2] - mz
        ha, hb, hc = self._half
        p = abs(ax * x + ay * y + az * z) - ha
        q = abs(bx * x + by * y + bz * z) - hb
        r = abs(cx * x + cy * y + cz * z) - hc
        if p >= radius or q >= radius or r >= radius:
            return False
        p, q, r = max(p, 0.0), max(q, 0.0), max(r, 0.0)
        return bool(p * p + q * q + r * r < radius * radius)


def _exit(inside: Vector, half: Vector) -> tuple[float, float, float, float]:
    """Unit vector from a point inside a box to its nearest face, and minus the distance, metres."""
    depths = [h - abs(c) for c, h in zip(inside, half, strict=True)]
    axis = depths.index(min(depths))
    normal = [0.0, 0.0, 0.0]
    normal[axis] = math.copysign(1.0, inside[axis])
    return normal[0], normal[1], normal[2], -depths[axis]


class NearPrisms:
    """The prisms of one object: a ramp, or the wedges of a tunnel."""

    def __init__(self, owner: int, axes: Floats, centres: Floats, sections: Floats, lengths: Floats) -> None:
        """k prisms: `axes` (k, 3, 3) are their own axes as rows, `centres` (k, 3), `sections` (k, 4, 2) are
        quadrilaterals in their x and y, `lengths` (k,) half their lengths along z; all in metres."""
        self.owner = owner
        self._axes, self._centres = axes, centres
        self._corners, self._lengths = sections, lengths
        self._edges = np.roll(sections, -1, axis=1) - sections
        outward = np.stack([self._edges[..., 1], -self._edges[..., 0]], axis=-1)
        outward /= np.linalg.norm(outward, axis=-1, keepdims=True)
        turn = np.sign((outward * sections).sum(axis=-1).sum(axis=1))
        self._outward = outward * turn[:, None, None]
        self._offsets = (self._outward * sections).sum(axis=-1)
        self._squares = (self._edges * self._edges).sum(axis=-1)

    def touch(self, at: Vector, found: list[Touch]) -> None:
        """Append the contacts of the agent's sphere centred at `at` (metres)."""
        local = (self._axes @ (np.array(at) - self._centres)[:, :, None])[:, :, 0]
        across = self._across(local[:, :2])
        along = local[:, 2] - np.clip(local[:, 2], -self._lengths, self._lengths)
        away = np.column_stack([across, along])
        distance = np.sqrt((away * away).sum(axis=1))
        for row in np.flatnonzero(distance < _REACH).tolist():
            far = float(distance[row])
            normal, far = (away[row] / far, far) if far else self._exit(row, local[row])
            x, y, z = (normal @ self._axes[row]).tolist()
            found.append(Touch(self.owner, (x, z, y), far - AGENT_RADIUS))

    def _across(self, points: Floats) -> Floats:
        """Vectors (k, 2) from the nearest points of the sections to `points` (k, 2); 0 inside."""
        to_point = points[:, None, :] - self._corners
        share = np.clip((to_point * self._edges).sum(axis=2) / self._squares, 0.0, 1.0)
        away = to_point - share[..., None] * self._edges
        nearest = (away * away).sum(axis=2).argmin(axis=1)
        inside = self._beyond(points).max(axis=1) <= 0
        return np.where(inside[:, None], 0.0, away[np.arange(len(points)), nearest])

    def _beyond(self, points: Floats) -> Floats:
        """Distances (k, 4) of `points` (k, 2) beyond the sections' edges, metres; negative inside."""
        return np.asarray((self._outward * points[:, None, :]).sum(axis=2) - self._offsets)

    def _exit(self, row: int, point: Floats) -> tuple[Floats, float]:
        """Unit vector (3,) from a point (3,) inside a prism to its nearest face, and minus the distance."""
        beyond = (self._outward[row] @ point[:2]) - self._offsets[row]
        end = abs(float(point[2])) - float(self._lengths[row])
        edge = int(beyond.argmax())
        if end > beyond[edge]:
            return np.array([0.0, 0.0, math.copysign(1.0, point[2])]), end
        return np.array([*self._outward[row, edge], 0.0]), float(beyond[edge])
