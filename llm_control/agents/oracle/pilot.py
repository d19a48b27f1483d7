"""The next move along a field: which turn and how long a drive bring the agent on best."""

from typing import NamedTuple

import numpy as np

from arena.scene import Floats, Vector
from llm_control.agents.oracle.field import Field
from llm_control.agents.oracle.motion import TURNS, candidates
from llm_control.agents.oracle.terrain import COUNT, SPACING, Bools, Ints, Terrain

LONGEST = 16
"""Most driven steps of one move; the speed carries over into the next."""

STEP_COST = 0.35
"""What a step of the clock costs, in metres of way: less than any move from rest gains per step, so that
it always pays to go."""

BACKWARD_DEG = 6.0
"""Driving backward counts as if so much more had to be turned."""

RISE = 0.3
"""How much higher than it is the agent may find itself after a step beyond what the slope explains, metres."""

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


def places(field: Field, points: Floats, height: Floats, rise: float) -> Places:
    """The nodes nearest to points (m, 2) for a sphere whose centre is at `height` (m,), or lower."""
    terrain = field.terrain
    scaled = points / SPACING
    base = np.floor(scaled).astype(np.intp)
    nodes, ways = [], []
    for di, dj in ((0, 0), (0, 1), (1, 0), (1, 1)):
        i = np.clip(base[:, 0] + di, 0, COUNT - 1)
        j = np.clip(base[:, 1] + dj, 0, COUNT - 1)
        nodes.append(_highest(terrain, i * COUNT + j, height + rise))
        ways.append(SPACING * np.hypot(scaled[:, 0] - i, scaled[:, 1] - j))
    node, way = np.array(nodes), np.array(ways)
    far = np.where(node < 0, np.inf, way)
    rows = np.arange(len(points))
    best = node[far.argmin(axis=0), rows]
    level = np.abs(terrain.height[node] - terrain.height[best]) < LEVEL
    cost = np.where((node >= 0) & level, field.cost[node] + way, np.inf).min(axis=0)
    return Places(best, np.where(best < 0, np.inf, cost))


def _highest(terrain: Terrain, cell: Ints, limit: Floats) -> Ints:
    found = np.full(len(cell), -1)
    for nodes in terrain.at:
        here = nodes[cell]
        found = np.where((here >= 0) & (terrain.height[here] <= limit), here, found)
    return found


class Pilot:
    """Chooses legs for one field."""

    def __init__(self, field: Field, longest: int = LONGEST) -> None:
        self._field = field
        self._longest = longest

    def cost_from(self, position: Vector) -> float:
        """The cost of the way from where the agent is; infinite where there is none."""
        point = np.array([[position[0], position[2]]])
        return float(places(self._field, point, np.array([position[1]]), RISE).cost[0])

    def leg(self, position: Vector, velocity: Vector, yaw_deg: float) -> Leg | None:
        """The best next move; None where every move is forbidden or leads nowhere."""
        at = np.array([position[0], position[2]])
        moves = candidates(at, np.array([velocity[0], velocity[2]]), yaw_deg, self._longest)
        doomed = self._doomed_glide(moves.glide[:12], position[1])
        shape = moves.speed.shape
        blocked = np.zeros(shape[:2], bool).ravel()
        dead = np.broadcast_to(np.abs(TURNS) >= doomed, shape[:2]).ravel().copy()
        height = np.full(blocked.shape, position[1])
        spent = np.zeros(blocked.shape)
        last = np.broadcast_to(moves.glide[np.abs(TURNS)], (*shape[:2], 2)).reshape(-1, 2)
        scores = np.full((*shape[:2], shape[2]), np.inf)
        yaws = np.broadcast_to(yaw_deg + 6.0 * TURNS, shape[:2]).ravel()
        for step in range(self._longest):
            last, height, spent, ends = self._advance(
                moves.drive[:, :, step].reshape(-1, 2), last, height, spent, blocked, dead
            )
            stop = self._after_stop(moves.stop[:, :, step].reshape(-1, 2), last, height, blocked, yaws)
            cost = np.where(ends, -2.0, stop) + spent
            scores[:, :, step] = np.where(dead, np.inf, cost).reshape(shape[:2])
            dead |= ends
        scores += STEP_COST * (np.abs(TURNS)[None, :, None] + 1.0 + np.arange(self._longest))
        scores[1] += 1.0
        best = np.unravel_index(int(scores.argmin()), scores.shape)
        if not np.isfinite(scores[best]):
            return None
        steps = int(best[2]) + 1
        return Leg(int(TURNS[best[1]]), steps if best[0] == 0 else -steps, float(scores[best]))

    def _doomed_glide(self, glide: Floats, height: float) -> int:
        """After how many steps of turning the agent has glided into what is forbidden; 99 for never."""
        found = places(self._field, glide, np.full(len(glide), height), RISE)
        bad = np.flatnonzero((found.node >= 0) & np.isinf(found.cost))
        start_bad = len(bad) and bad[0] == 0
        return int(bad[0]) if len(bad) and not start_bad else 99

    def _advance(
        self, points: Floats, last: Floats, height: Floats, spent: Floats, blocked: Bools, dead: Bools
    ) -> tuple[Floats, Floats, Floats, Bools]:
        """One driven step of every candidate: where it is, how high, what its way cost, whether it arrived.

        Marks in place those that stand against a wall and those that came into what is forbidden.
        """
        way = np.linalg.norm(points - last, axis=1)
        found = places(self._field, points, height + 1.1 * way, RISE)
        blocked |= found.node < 0
        dead |= (found.node >= 0) & np.isinf(found.cost)
        moving = ~blocked & ~dead
        node = np.where(moving, found.node, 0)
        extra = (self._field.price[node] - 1) * way
        spent = spent + np.where(moving, np.where(np.isfinite(extra), extra, 0), 0)
        ends = moving & (self._field.cost[node] == 0)
        return (
            np.where(moving[:, None], points, last),
            np.where(moving, self._field.terrain.height[node], height),
            spent,
            ends,
        )

    def _after_stop(
        self, stop: Floats, last: Floats, height: Floats, blocked: Bools, yaws: Floats
    ) -> Floats:
        """The cost, turning into the way's direction included, from where each candidate comes to rest; infinite where its glide is forbidden."""
        stop = np.where(blocked[:, None], last, stop)
        cost, forbidden = np.full(len(stop), np.inf), np.zeros(len(stop), bool)
        for share in (0.0, 0.5, 1.0):
            point = last + share * (stop - last)
            found = places(self._field, point, height, RISE)
            # Where the glide ends at a wall, it ends where it was before.
            cost = np.where(found.node >= 0, found.cost, cost)
            forbidden |= (found.node >= 0) & np.isinf(found.cost)
        askew = np.abs((self._field.bearing[np.maximum(found.node, 0)] - yaws + 180) % 360 - 180)
        turning = np.minimum(askew, 180 - askew + BACKWARD_DEG) / 6 * STEP_COST
        cost = np.where(forbidden, np.inf, cost)
        return cost + np.where(np.isfinite(turning) & (found.node >= 0), turning, 0.0)
