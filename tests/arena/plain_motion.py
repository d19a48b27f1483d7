"""The motion of the agent and of balls among things at rest, by definition: slow, and shares only constants
with the kernel.

Vectors are arrays (3,) in Animal-AI's frame.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from trimesh.transformations import rotation_matrix

from arena.action import TICK_S, Move, Rotate
from arena.geometry.placed import AGENT_RADIUS
from arena.geometry.shapes import ARENA_SIZE, FLOOR_Y
from arena.kernel import motion, solver
from arena.kernel.contacts import AGENT_MASS, CONTACT_OFFSET, FALL, SAME_NORMAL
from arena.physics.things import HOLD, agent_friction
from arena.physics.world import World
from arena.scene import Floats
from arena.taskfile.kind import DEFAULT_FRICTION, GRAVITY, Body, Shape
from tests.arena.solids import Solid, colliders_of


@dataclass
class Contact:
    """Normal towards the agent, gap (m), friction; whose it is, and the horizontal impulse it can take."""

    normal: Floats
    gap: float
    friction: float = DEFAULT_FRICTION
    owner: int = -1
    limit: float = math.inf
    before: Floats = field(default_factory=lambda: np.zeros(3))
    impulse: Floats = field(default_factory=lambda: np.zeros(3))


def nearest(solid: Solid, point: Floats) -> tuple[Floats, float]:
    """Unit vector and distance from a part's surface to a point, in its thing's frame; negative inside."""
    local = solid.axes @ (point - solid.centre)
    faces = [(np.array(face), solid.half[axis]) for axis, face in enumerate(np.eye(3))]
    faces += [(-face, offset) for face, offset in faces]
    if solid.section is None:
        closest = np.clip(local, -solid.half, solid.half)
    else:
        faces = [face for face in faces if face[0][2]]
        corners = list(zip(solid.section, np.roll(solid.section, -1, axis=0), strict=True))
        sides = []
        for start, end in corners:
            normal = np.array([end[1] - start[1], start[0] - end[0]]) / np.linalg.norm(end - start)
            normal *= math.copysign(1.0, normal @ (start - solid.section.mean(axis=0)))
            faces.append((np.array([*normal, 0.0]), normal @ start))
            share = np.clip((local[:2] - start) @ (end - start) / ((end - start) @ (end - start)), 0, 1)
            sides.append(start + share * (end - start))
        inside = all(face[:2] @ local[:2] <= offset for face, offset in faces if not face[2])
        flat = local[:2] if inside else min(sides, key=lambda side: np.linalg.norm(local[:2] - side))
        closest = np.array([*flat, np.clip(local[2], -solid.half[2], solid.half[2])])
    away = float(np.linalg.norm(local - closest))
    if away:
        return solid.axes.T @ ((local - closest) / away), away - solid.rounding
    # The face that is least deep; of two the first.
    face, offset = max(faces, key=lambda face: round(face[0] @ local - face[1], 12))
    return solid.axes.T @ face, float(face @ local - offset) - solid.rounding


def contacts(
    world: World, at: Floats, radius: float = AGENT_RADIUS, ball: int | None = None
) -> list[Contact] | None:
    """The contacts of an agent, or a ball, at a place, in PhysX's order; None if it touches what may move."""
    positions, rotations, sizes, _ = world.things.poses()
    first, last = [], []
    for index in world.things.present():
        kind, size = world.things.placed[index].kind, tuple(sizes[index].tolist())
        if kind.body is Body.ZONE or index == ball:
            continue
        turn, found = rotations[index], []
        for solid in (one for group in colliders_of(kind.shape, size, kind.fitted) for one in group):
            normal, gap = nearest(solid, turn.T @ (at - positions[index]))
            if gap < radius + CONTACT_OFFSET:
                found.append(Contact(turn @ normal, gap - radius, agent_friction(kind), index))
        found.sort(key=lambda contact: contact.gap)
        kept: list[Contact] = []
        for contact in found:
            if all(contact.normal @ other.normal <= SAME_NORMAL for other in kept):
                kept.append(contact)
        if kind.mass == 0:
            last += kept
        elif kept:
            for contact in kept:
                limit = holds(world, index, at[1] - contact.normal[1] * radius)
                if ball is not None and kind.is_heavy:
                    limit = math.inf
                if not limit:
                    return None
                contact.limit, contact.before = limit, np.array([0.0, -FALL, 0.0])
            first += kept
    return first + boundary(at, radius) + last


def boundary(at: Floats, radius: float) -> list[Contact]:
    """Contacts with the floor and the four sides."""
    x, y, z = np.eye(3)
    planes = ((y, FLOOR_Y), (x, 0.0), (z, 0.0), (-x, -ARENA_SIZE), (-z, -ARENA_SIZE))
    gaps = [(normal, float(normal @ at) - offset) for normal, offset in planes]
    near = [(normal, gap) for normal, gap in gaps if gap < radius + CONTACT_OFFSET]
    return [Contact(normal, gap - radius) for normal, gap in near]


def holds(world: World, index: int, height: float) -> float:
    """The impulse that a wall or ramp can take at a height where it stands upright on the floor; else 0."""
    positions, rotations, sizes, _ = world.things.poses()
    kind, size = world.things.placed[index].kind, sizes[index]
    bottom = positions[index, 1] - size[1] / 2
    if not kind.is_heavy or abs(bottom - FLOOR_Y) > 0.02 or rotations[index, 1, 1] < 0.9999:
        return 0.0
    arm = min(size[0], size[2]) / (3 if kind.shape is Shape.PRISM else 2)
    lever = max(height - bottom, CONTACT_OFFSET)
    return float(HOLD * kind.mass * GRAVITY * TICK_S * min(kind.friction, arm / lever))


def solve(start: Floats, found: list[Contact], radius: float = 0.0) -> tuple[Floats, Floats]:
    """Velocity and spin (6,) in and after a tick, and rows of impulses (N s per kg); no radius, no spin."""
    rows = []
    for contact in found:
        slip = start[:3] + np.cross(start[3:], -radius * contact.normal) - contact.before
        slip = slip - (slip @ contact.normal) * contact.normal
        if np.linalg.norm(slip) < solver.NO_SLIP:
            x, y, z = contact.normal
            slip = np.array([0.0, z, -y] if abs(x) < solver.ALONG_X else [-z, 0.0, x])
        along = slip / np.linalg.norm(slip)
        rows.append((contact.normal, along, np.cross(contact.normal, along)))
    pressed = np.zeros((len(found), 3))
    leave = [min(-c.gap * solver.BIAS / TICK_S, solver.MAX_DEPENETRATION) for c in found]
    now = start.copy()

    def sweep(times: int, rub: bool) -> None:
        for _ in range(times):
            changed = 0.0
            for number, contact in enumerate(found):
                for axis, direction in enumerate(rows[number][: 3 if rub else 1]):
                    arm = np.cross(-radius * contact.normal, direction)
                    # A ball's moment of inertia is 2/5 m r2.
                    gain = np.concatenate([direction, arm * 2.5 / radius**2 if radius else arm])
                    row = np.concatenate([direction, arm])
                    if axis:
                        most = contact.friction * pressed[number, 0]
                        wanted = pressed[number, axis] - solver.BIAS * (now @ row) / (row @ gain)
                        wanted = min(max(wanted, -most), most)
                    else:
                        wanted = max(pressed[number, 0] + leave[number] - now @ row, 0.0)
                    now[:] += (wanted - pressed[number, axis]) * gain
                    changed += abs(wanted - pressed[number, axis])
                    pressed[number, axis] = wanted
            if changed < solver.SETTLED:
                break

    sweep(solver.SWEEPS - solver.RUB_SWEEPS, False)
    sweep(solver.RUB_SWEEPS, True)
    moving = now.copy()
    leave = [min(speed, 0.0) for speed in leave]
    sweep(solver.SWEEPS, True)
    for contact, row, parts in zip(found, rows, pressed, strict=True):
        contact.impulse = sum((part * axis for part, axis in zip(parts, row, strict=True)), np.zeros(3))
    return moving, now


@dataclass
class Agent:
    """Place and velocity (3,), heading in degrees, whether it stands on something."""

    at: Floats
    velocity: Floats
    yaw: float
    grounded: bool

    def tick(self, world: World, move: Move, rotate: Rotate) -> bool:
        """One tick; False if something would move, and then nothing is done."""
        heading, velocity = math.radians(self.yaw), self.velocity.copy()
        if self.grounded and move is Move.NONE:
            velocity *= motion.QUICK_STOP
        elif self.grounded:
            gain = motion.DRIVE * TICK_S * (1 if move is Move.FORWARD else -1)
            velocity += gain * np.array([math.sin(heading), 0.0, math.cos(heading)])
        velocity = (velocity - np.array([0.0, FALL, 0.0])) * motion.DRAG_FACTOR
        found = contacts(world, self.at)
        if found is None:
            return False
        moving, after = solve(np.concatenate([velocity, np.zeros(3)]), found)
        pushes = [AGENT_MASS * np.hypot(c.impulse[0], c.impulse[2]) for c in found]
        if any(push > contact.limit for push, contact in zip(pushes, found, strict=True)):
            return False
        turn = {Rotate.NONE: 0.0, Rotate.RIGHT: motion.TURN_DEG, Rotate.LEFT: -motion.TURN_DEG}[rotate]
        self.yaw = (self.yaw + turn) % 360
        self.at, self.velocity = self.at + moving[:3] * TICK_S, after[:3]
        self.grounded = any(contact.normal[1] > motion.UP for contact in found)
        return True


def rolled(
    world: World, ball: int, velocity: Floats, spin: Floats
) -> tuple[Floats, Floats, Floats, Floats] | None:
    """Place, rotation (3, 3), velocity and spin of a ball after a tick; None if something else would move."""
    positions, rotations, sizes, _ = world.things.poses()
    radius = sizes[ball, 0] / 2
    found = contacts(world, positions[ball], radius, ball)
    if found is None:
        return None
    spin = spin * (1 - 0.05 * TICK_S)
    if np.linalg.norm(spin) > motion.MAX_SPIN:
        spin = spin * motion.MAX_SPIN / np.linalg.norm(spin)
    start = np.concatenate([velocity - np.array([0.0, FALL, 0.0]), spin])
    moving, after = solve(start, found, radius)
    rate = float(np.linalg.norm(moving[3:]))
    turn = rotation_matrix(rate * TICK_S, moving[3:])[:3, :3] if rate else np.eye(3)
    return positions[ball] + moving[:3] * TICK_S, turn @ rotations[ball], after[:3], after[3:]
