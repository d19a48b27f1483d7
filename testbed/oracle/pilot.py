"""The next move along a field: which turn and how long a drive bring the agent on best."""

from typing import NamedTuple

import numpy as np

from arena.action import STEP_S, TICK_S
from arena.geometry.angles import wrap_deg
from arena.physics.agent import DRIVE, GRAVITY
from arena.scene import Floats, Vector
from testbed.oracle.field import Field
from testbed.oracle.motion import TURNS, driven, glide, stopping, uphill
from testbed.oracle.terrain import CLIMB, COUNT, SPACING, Bools, Ints, Terrain

LONGEST = 16
"""Most driven steps of one move; the speed carries over into the next."""

STEP_COST = 0.35
"""What a step of the clock costs, in metres of way: less than any move from rest gains per step, so that
it always pays to go."""

BACKWARD_DEG = 6.0
"""Driving backward counts as if so much more had to be turned."""

RISE = 0.3
"""How much higher than the slope explains the agent may find itself after a step, metres."""

PROGRESS, IDLING = 0.3, 100.0
"""A move that does not bring the agent nearer by so much (metres of cost) counts as so much worse: what a
second turn will cost is not foreseen, and standing still would seem cheaper."""

STOP_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Where on a glide the ground is looked at: less than a wall's thickness and the agent's apart."""

SAMPLES = 9
"""Points on the way of one step at which the ground is looked at: 0.2 m apart at top speed."""

MOUNT = 0.03
"""By how much it may be higher where it would lean on an edge, metres."""

NEAREST = 0.29
"""A place stands for points that are nearer to it than this: within its cell, or a little beside it."""

LEVEL = 0.4
"""Places whose heights differ by less are neighbours on the same ground, metres."""


class Leg(NamedTuple):
    """Turn by `turns` steps (right where positive), then drive `steps` steps, backward where negative."""

    turns: int
    steps: int
    score: float


class Places(NamedTuple):
    """For some points: the node under each (-1: none) and the cost of the way from there."""

    node: Ints
    cost: Floats


def places(field: Field, points: Floats, height: Floats, rise: float | Floats = RISE) -> Places:
    """The nodes nearest to points (m, 2) for a sphere whose centre is at `height` (m,), or lower.

    They may be higher by `rise` (m,), but not where the sphere would have to mount an edge.
    """
    found = _around(field, points, height, rise, _CORNERS)
    lost = np.flatnonzero(found.node < 0)
    if len(lost):
        # At a wall the four points round about may all be too near to it, and the next ones not.
        rises = rise if isinstance(rise, float) else rise[lost]
        wider = _around(field, points[lost], height[lost], rises, _RING)
        found.node[lost], found.cost[lost] = wider
    return found


_CORNERS = ((0, 0), (0, 1), (1, 0), (1, 1))
_RING = ((-1, 0), (-1, 1), (2, 0), (2, 1), (0, -1), (1, -1), (0, 2), (1, 2))


def _around(
    field: Field, points: Floats, height: Floats, rise: float | Floats, offsets: tuple[tuple[int, int], ...]
) -> Places:
    terrain = field.terrain
    scaled = points / SPACING
    base = np.floor(scaled).astype(np.intp)
    nodes, ways = [], []
    for di, dj in offsets:
        i = np.clip(base[:, 0] + di, 0, COUNT - 1)
        j = np.clip(base[:, 1] + dj, 0, COUNT - 1)
        nodes.append(_highest(terrain, i * COUNT + j, height + rise, height + MOUNT))
        ways.append(SPACING * np.hypot(scaled[:, 0] - i, scaled[:, 1] - j))
    node, way = np.array(nodes), np.array(ways)
    node[way > NEAREST] = -1
    far = np.where(node < 0, np.inf, way)
    rows = np.arange(len(points))
    best = node[far.argmin(axis=0), rows]
    level = np.abs(terrain.height[node] - terrain.height[best]) < LEVEL
    level &= ~terrain.steep[node] | terrain.steep[best]
    cost = np.where((node >= 0) & level, field.cost[node] + way, np.inf).min(axis=0)
    return Places(best, np.where(best < 0, np.inf, cost))


def _highest(terrain: Terrain, cell: Ints, limit: Floats, mounted: Floats) -> Ints:
    """The highest node over each point up to `limit`, or up to `mounted` where it leans on an edge."""
    found = np.full(len(cell), -1)
    for nodes in terrain.at:
        here = nodes[cell]
        allowed = np.where(terrain.steep[here], mounted, limit)
        found = np.where((here >= 0) & (terrain.height[here] <= allowed), here, found)
    return found


class Runs:
    """The state of all candidates while they drive, one row each."""

    def __init__(self, points: Floats, velocity: Floats, push: Floats, height: float, dead: Bools) -> None:
        """Positions (m, 2), velocities (m, 2), a tick's gain (m, 2), the height of all, which are doomed."""
        count = len(points)
        self.points, self.velocity, self.push = points, velocity, push
        self.height = np.full(count, height)
        self.rising, self.slope, self.spent = np.zeros(count), np.zeros(count), np.zeros(count)
        self.flying, self.blocked = np.zeros(count, bool), np.zeros(count, bool)
        self.dead = dead


class Pilot:
    """Chooses legs for one field."""

    def __init__(self, field: Field, longest: int = LONGEST, bold: bool = False, halts: bool = False) -> None:
        """`longest` bounds the driven steps of a leg; a `bold` pilot may fly over what is forbidden.

        One that `halts` has to come to rest at a target, where others only touch it.
        """
        self._bold = bold
        self._halts = halts
        self._field = field
        self._longest = longest

    def cost_from(self, position: Vector) -> float:
        """The cost of the way from where the agent is; infinite where there is none."""
        point = np.array([[position[0], position[2]]])
        return float(places(self._field, point, np.array([position[1]]), RISE).cost[0])

    def leg(
        self, position: Vector, velocity: Vector, yaw_deg: float, noise: Floats | None = None
    ) -> Leg | None:
        """The best next move; None where every move is forbidden or leads nowhere.

        `noise` (turns, ) is added to what the moves with each turn are worth, forward and backward.
        """
        at = np.array([position[0], position[2]])
        gliding, slowing = glide(at, np.array([velocity[0], velocity[2]]))
        start, count = np.tile(np.abs(TURNS), 2), len(TURNS)
        yaws = np.tile(yaw_deg + 6.0 * TURNS, 2)
        ahead = np.stack([np.sin(np.radians(yaws)), np.cos(np.radians(yaws))], axis=-1)
        ahead[count:] *= -1
        dead = start >= self._doomed_glide(gliding[:12], position[1])
        runs = Runs(gliding[start], slowing[start], ahead * (DRIVE * TICK_S), position[1], dead)
        runs.spent += self._glide_cost(gliding, position[1])[start]
        now = self.cost_from(position)
        scores = np.full((2 * count, self._longest), np.inf)
        for step in range(self._longest):
            ends = self._advance(runs) & (not self._halts)
            stop, turning = self._after_stop(runs, yaws)
            idle = ~ends & (stop > now - min(PROGRESS, now / 2))
            cost = np.where(ends, -2.0, stop + turning) + runs.spent + np.where(idle, IDLING, 0.0)
            scores[:, step] = np.where(runs.dead, np.inf, cost)
            runs.dead |= ends
        scores += STEP_COST * (start[:, None] + 1.0 + np.arange(self._longest))
        scores[count:] += 1.0
        if noise is not None:
            scores += noise[:, None]
        row, steps = divmod(int(scores.argmin()), self._longest)
        if not np.isfinite(scores[row, steps]):
            return None
        sign = 1 if row < count else -1
        return Leg(int(TURNS[row % count]), sign * (steps + 1), float(scores[row, steps]))

    def _glide_cost(self, gliding: Floats, height: float) -> Floats:
        """What so many steps of turning cost beside their time: way and time in dear places."""
        node = places(self._field, gliding, np.full(len(gliding), height)).node
        price = np.where(node >= 0, self._field.price[node], 1.0)
        heat = np.where(node >= 0, self._field.heat[node], 1.0)
        way = np.r_[0.0, np.linalg.norm(np.diff(gliding, axis=0), axis=1)]
        extra = (np.where(np.isfinite(price), price / heat, 1.0) - 1) * way + STEP_COST * (heat - 1)
        return np.cumsum(extra)

    def _forbidden(self, found: Places) -> Bools:
        """Which places must not be entered, or lead nowhere."""
        return (found.node >= 0) & (np.isinf(found.cost) | np.isinf(self._field.price[found.node]))

    def _doomed_glide(self, glide: Floats, height: float) -> int:
        """After how many steps of turning the agent has glided into what is forbidden; 99 for never."""
        found = places(self._field, glide, np.full(len(glide), height), RISE)
        bad = np.flatnonzero(self._forbidden(found))
        start_bad = len(bad) and bad[0] == 0
        return int(bad[0]) if len(bad) and not start_bad else 99

    def _advance(self, runs: "Runs") -> Bools:
        """One driven step of every candidate; says which of them arrived.

        Marks those that stand against a wall and those that came into what is forbidden.
        """
        points, velocity = driven(
            runs.points, runs.velocity, runs.push * uphill(runs.slope)[:, None], runs.flying
        )
        way = np.linalg.norm(points - runs.points, axis=1)
        fallen = runs.height + runs.rising * STEP_S - GRAVITY / 2 * STEP_S**2
        base = np.where(runs.flying, np.maximum(fallen, runs.height), runs.height)
        found = places(self._field, points, base, np.where(runs.flying, 0.1, 1.1 * way + RISE))
        runs.blocked |= found.node < 0
        runs.blocked |= self._mounts(runs, points, found.node)
        moving = ~runs.blocked & ~runs.dead
        node = np.where(moving, found.node, 0)
        ground = self._field.terrain.height[node]
        flying = ground < fallen - 0.06
        low = ~flying | (fallen - ground < 0.3)
        runs.dead |= self._forbidden(found) & (low | (not self._bold))
        moving &= ~runs.dead
        extra = (self._field.price[node] / self._field.heat[node] - 1) * way + STEP_COST * (
            self._field.heat[node] - 1
        )
        runs.spent += np.where(moving & low & np.isfinite(extra), extra, 0)
        climb = np.where(runs.flying | flying, 0.0, np.maximum(ground - runs.height, 0))
        falling = (runs.rising - GRAVITY * STEP_S) * 0.907
        runs.rising = np.where(moving & flying, falling, np.minimum(climb / STEP_S, 15.0))
        runs.slope = np.where(moving & ~flying, climb / np.maximum(way, 0.05), 0.0)
        runs.height = np.where(moving, np.where(flying, fallen, ground), runs.height)
        runs.flying = moving & flying
        runs.points = np.where(moving[:, None], points, runs.points)
        runs.velocity = np.where(moving[:, None], velocity, 0.0)
        return np.asarray(moving & ~flying & (self._field.cost[node] == 0))

    def _mounts(self, runs: "Runs", points: Floats, node: Ints) -> Bools:
        """Which candidates would go up a step: between samples of their way the ground rises too fast."""
        height, steep = self._field.terrain.height, self._field.terrain.steep
        rising = np.flatnonzero((node >= 0) & ~runs.flying & (height[node] > runs.height + 0.1))
        bad = np.zeros(len(points), bool)
        if not len(rising):
            return bad
        shares = np.linspace(0, 1, SAMPLES)[:, None, None]
        line = runs.points[rising] + shares * (points[rising] - runs.points[rising])
        cells = np.clip(np.rint(line / SPACING), 0, COUNT - 1).astype(np.intp)
        limit = np.tile(height[node[rising]] + 0.1, SAMPLES)
        under = _highest(self._field.terrain, (cells[..., 0] * COUNT + cells[..., 1]).ravel(), limit, limit)
        ground = np.where(under >= 0, height[under], -1.0).reshape(SAMPLES, -1)
        ground[0] = runs.height[rising]
        steps = np.linalg.norm(np.diff(cells, axis=0), axis=-1) * SPACING
        edges = ((under >= 0) & steep[under]).reshape(SAMPLES, -1) & (ground > runs.height[rising] + MOUNT)
        too_fast = (np.diff(ground, axis=0) > CLIMB * steps + 0.06).any(axis=0)
        bad[rising] = too_fast | edges.any(axis=0) | steep[node[rising]]
        return bad

    def _after_stop(self, runs: "Runs", yaws: Floats) -> tuple[Floats, Floats]:
        """The cost from where each candidate comes to rest, infinite where its glide is forbidden.

        And beside it the cost of turning there into the way's direction.
        """
        stop = runs.points + stopping(runs.velocity)
        node = places(self._field, stop, runs.height, RISE).node
        stop = np.where(self._mounts(runs, stop, node)[:, None], runs.points, stop)
        cost, forbidden = np.full(len(stop), np.inf), np.zeros(len(stop), bool)
        dear = np.zeros(len(stop))
        free, last = np.ones(len(stop), bool), np.zeros(len(stop), np.intp)
        for share in STOP_SHARES:
            point = runs.points + share * (stop - runs.points)
            found = places(self._field, point, runs.height, RISE)
            # A glide that meets a wall ends there.
            free &= found.node >= 0
            last = np.where(free, found.node, last)
            cost = np.where(free, found.cost, cost)
            forbidden |= free & self._forbidden(found)
            price = self._field.price[last] / self._field.heat[last]
            dear += np.where(free & np.isfinite(price), price - 1, 0.0)
        cost = cost + dear / len(STOP_SHARES) * np.linalg.norm(stop - runs.points, axis=1)
        askew = np.abs(wrap_deg(self._field.bearing[last] - yaws))
        turning = np.minimum(askew, 180 - askew + BACKWARD_DEG) / 6 * STEP_COST * self._field.heat[last]
        cost = np.where(forbidden, np.inf, cost)
        return cost, np.where(np.isfinite(turning), turning, 0.0)
