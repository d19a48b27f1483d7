"""Contacts of a single agent in a world where nothing else moves, without Bullet.

Simulating bodies at rest would take most of a tick. While they rest, the agent only touches static bodies,
and the contacts of its sphere with boxes and prisms have closed forms, as in PhysX.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from arena.action import TICK_S
from arena.geometry.placed import AGENT_RADIUS, Placed
from arena.geometry.shapes import ARENA_SIZE, FLOOR_Y
from arena.geometry.solids import Solid, colliders_of
from arena.physics.agent import GRAVITY
from arena.physics.bodies import CONTACT_OFFSET, agent_friction
from arena.physics.contacts import SAME_NORMAL, WallContacts
from arena.physics.near_parts import NearBox, NearPrisms, Touch
from arena.physics.solver import Contact
from arena.scene import Floats, Vector
from arena.taskfile.kind import DEFAULT_FRICTION, Body, Shape

HORIZON = 1.0
"""Parts farther from the agent's sphere than this (metres) are not checked in every tick."""

HOLD = 0.5
"""A wall or ramp counts as static below this share of the impulse that would make it slide or tip."""

_ON_FLOOR = 0.02
"""A body whose bottom is at most this far (metres) from the floor stands on it."""

_UPRIGHT = 0.9999
"""Cosine of the largest tilt of an upright body."""

_FALL = (0.0, 0.0, -GRAVITY * TICK_S)
"""Velocity (m/s, Bullet's frame) of a body at rest after a tick's gravity, before contacts are solved."""


class StaticContacts:
    """The solid parts and zones of an arena at rest, and those of them that are near the agent.

    Must be rebuilt when anything has moved, was added or removed.
    """

    def __init__(
        self, placed: Sequence[Placed], there: Iterable[int], poses: tuple[Floats, Floats, Floats]
    ) -> None:
        """`there` are the indices of the things in the arena; `poses` are the current positions (n, 3),
        rotations (n, 3, 3) and sizes (n, 3) of all."""
        self._placed = placed
        self._positions, self._rotations, self._sizes = poses
        found = [(index, solid) for index in there for solid in _solids(placed[index], self._sizes[index])]
        self._owners = np.array([index for index, _ in found], np.intp)
        self._solids = [solid for _, solid in found]
        turned = self._rotations[self._owners]
        axes = np.array([solid.axes for solid in self._solids]).reshape(-1, 3, 3)
        centres = np.array([solid.centre for solid in self._solids]).reshape(-1, 3)
        self._axes: Floats = axes @ turned.transpose(0, 2, 1)
        self._centres: Floats = self._positions[self._owners] + (turned @ centres[:, :, None])[:, :, 0]
        self._half = np.array([solid.half for solid in self._solids]).reshape(-1, 3)
        self._rounding = np.array([solid.rounding for solid in self._solids])
        self._checked_at: Vector = (0.0, 0.0, 0.0)
        self._margin = -1.0

    def contacts(self, centre: Vector) -> WallContacts | None:
        """Contacts of the agent's sphere at `centre` (metres); None if it touches something movable.

        That is a ball or block, or a wall or ramp that does not stand upright on the floor.
        """
        self._update(centre)
        touches: list[Touch] = []
        for part in self._parts:
            part.touch(centre, touches)
        contacts, limits = _boundary(centre)
        if not touches:
            return WallContacts(contacts, limits)
        heavy: list[Contact] = []
        heavy_limits: list[float] = []
        for touch in _distinct(touches):
            kind = self._placed[touch.owner].kind
            contact = Contact(touch.normal, touch.gap, agent_friction(kind))
            if kind.mass == 0:
                contacts.append(contact)
                limits.append(math.inf)
                continue
            limit = self._limit(touch.owner, centre)
            if limit == 0.0:
                return None
            contact.surface_before = _FALL
            heavy.append(contact)
            heavy_limits.append(limit)
        return WallContacts(heavy + contacts, heavy_limits + limits)

    def zones(self, centre: Vector) -> tuple[int, ...]:
        """Indices of the zones that the agent's sphere overlaps; call `contacts` first."""
        return tuple(zone.owner for zone in self._zones if zone.overlaps(centre))

    def _update(self, centre: Vector) -> None:
        """Select the parts near the agent, unless no other can have come into reach."""
        if math.dist(centre, self._checked_at) < self._margin:
            return
        away = np.array(centre) - self._centres
        local = np.abs((self._axes @ away[:, :, None])[:, :, 0])
        outside = np.maximum(local - self._half, 0.0)
        gaps = np.sqrt((outside * outside).sum(axis=1)) - self._rounding - AGENT_RADIUS
        near = gaps < HORIZON
        self._parts, self._zones = self._chosen(np.flatnonzero(near))
        self._checked_at = centre
        self._margin = float(gaps[~near].min(initial=math.inf)) - 2 * CONTACT_OFFSET

    def _chosen(self, rows: npt.NDArray[np.intp]) -> tuple[list[NearBox | NearPrisms], list[NearBox]]:
        """Solid parts and zones of some rows, in the order of their things."""
        solid: list[NearBox | NearPrisms] = []
        zones: list[NearBox] = []
        prisms: dict[int, list[int]] = {}
        for row in rows.tolist():
            owner = int(self._owners[row])
            if self._solids[row].section is not None:
                prisms.setdefault(owner, []).append(row)
                continue
            is_zone = self._placed[owner].kind.body is Body.ZONE
            rounding = self._solids[row].rounding
            box = NearBox(owner, self._axes[row], self._centres[row], self._half[row], rounding)
            (zones if is_zone else solid).append(box)
        for owner, chosen in prisms.items():
            sections = np.array([self._solids[row].section for row in chosen])
            lengths = self._half[chosen, 2]
            solid.append(NearPrisms(owner, self._axes[chosen], self._centres[chosen], sections, lengths))
        return solid, zones

    def _limit(self, index: int, centre: Vector) -> float:
        """The horizontal impulse (N s) in a tick below which a thing stays at rest; 0 if that is unknown.

        It is a share (`HOLD`) of what friction with the floor and the weight, against tipping, can take.
        """
        kind, size = self._placed[index].kind, self._sizes[index]
        bottom = self._positions[index, 1] - size[1] / 2
        if not kind.is_heavy or abs(bottom - FLOOR_Y) > _ON_FLOOR or self._rotations[index, 1, 1] < _UPRIGHT:
            return 0.0
        # A ramp's centre of mass is a third of its length from its tall end.
        arm = min(size[0], size[2]) / (3 if kind.shape is Shape.PRISM else 2)
        lever = abs(centre[1] - bottom) + AGENT_RADIUS
        return float(HOLD * kind.mass * GRAVITY * TICK_S * min(kind.friction, arm / lever))


def _solids(placed: Placed, size: Floats) -> list[Solid]:
    present: Vector = (float(size[0]), float(size[1]), float(size[2]))
    return [
        solid
        for collider in colliders_of(placed.kind.shape, present, placed.kind.fitted)
        for solid in collider
    ]


def _distinct(touches: list[Touch]) -> list[Touch]:
    """The nearest touch for each direction in which a thing is touched, in the order of the things."""
    distinct: list[Touch] = []
    for touch in sorted(touches, key=lambda touch: (touch.owner, touch.gap)):
        x, y, z = touch.normal
        if not any(
            other.owner == touch.owner
            and x * other.normal[0] + y * other.normal[1] + z * other.normal[2] > SAME_NORMAL
            for other in distinct
        ):
            distinct.append(touch)
    return distinct


def _boundary(centre: Vector) -> tuple[list[Contact], list[float]]:
    """Contacts with the floor and the arena's four sides."""
    x, y, z = centre
    found = []
    for gap, normal in (
        (y - FLOOR_Y, (0.0, 0.0, 1.0)),
        (x, (1.0, 0.0, 0.0)),
        (z, (0.0, 1.0, 0.0)),
        (ARENA_SIZE - x, (-1.0, 0.0, 0.0)),
        (ARENA_SIZE - z, (0.0, -1.0, 0.0)),
    ):
        if gap < AGENT_RADIUS + CONTACT_OFFSET:
            found.append(Contact(normal, gap - AGENT_RADIUS, DEFAULT_FRICTION))
    return found, [math.inf] * len(found)
