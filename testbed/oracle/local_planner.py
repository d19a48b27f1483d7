"""Local planner: turn and drive with the most progress. It follows a cost-to-go field."""

from typing import NamedTuple

import numpy as np

from arena.action import STEP_S, TICK_S
from arena.kernel.motion import DRIVE
from arena.scene import Floats, Vector, wrap_deg
from arena.taskfile.kind import GRAVITY
from testbed.oracle.cost_map import MOUNT, RISE, CostToGo, Located
from testbed.oracle.motion import TURNS, coasting, driven, stopping, uphill
from testbed.oracle.terrain import CLIMB, COUNT, SPACING, Bools, Ints

STEP_COST = 0.35
"""Cost of a step of the clock, in metres of path. It is less than any leg from rest gains per step, so that
moving always pays."""

PROGRESS, IDLING = 0.3, 100.0
"""Minimum progress of a leg, metres of cost, and its penalty. The cost of a second turn is not planned, so
standing still would seem cheaper."""

STOP_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of a braking path with ground samples. They are closer than walls and agents are thick."""

SAMPLES = 9
"""Number of ground samples within one step. They are 0.2 m apart at top speed."""


class Leg(NamedTuple):
    """A leg: `turns` to the right, then `steps` forward. Negative ones go left, and backward."""

    turns: int
    steps: int


class Rollouts:
    """State of all simulated candidate legs, one row each."""

    def __init__(self, points: Floats, velocity: Floats, thrust: Floats, height: float, dead: Bools) -> None:
        """Take the start states and the candidates ruled out. Positions, velocities, gains of speed per tick
        (m, 2), and the height of all."""
        count = len(points)
        self.points, self.velocity, self.thrust = points, velocity, thrust
        self.height = np.full(count, height)
        self.rising, self.slope, self.spent = np.zeros(count), np.zeros(count), np.zeros(count)
        self.flying, self.blocked = np.zeros(count, bool), np.zeros(count, bool)
        self.dead = dead


class LocalPlanner:
    """Chooses legs for one cost-to-go field."""

    def __init__(self, field: CostToGo, longest: int, bold: bool = False, halts: bool = False) -> None:
        """Set the limits; `longest` is the maximum number of driven steps.

        It is per leg. The speed carries over into the next. A `bold` one may fly over forbidden places; one
        that `halts` has to come to rest at a target, which others only touch.
        """
        self._bold = bold
        self._halts = halts
        self._field = field
        self._longest = longest

    def cost_from(self, position: Vector) -> float:
        """Return the cost to go from the agent's position. Infinite if there is no path."""
        point = np.array([[position[0], position[2]]])
        return float(self._field.locate(point, np.array([position[1]])).cost[0])

    def leg(
        self, position: Vector, velocity: Vector, yaw_deg: float, noise: Floats | None = None
    ) -> Leg | None:
        """Return the best next leg. None if every one is forbidden or leads nowhere. `noise` (2 * turns,) is
        added to the costs of legs, by turn, first forward, then backward."""
        at = np.array([position[0], position[2]])
        coasted, slowing = coasting(at, np.array([velocity[0], velocity[2]]))
        start, count = np.tile(np.abs(TURNS), 2), len(TURNS)
        yaws = np.tile(yaw_deg + 6.0 * TURNS, 2)
        ahead = np.stack([np.sin(np.radians(yaws)), np.cos(np.radians(yaws))], axis=-1)
        ahead[count:] *= -1
        dead = start >= self._steps_until_forbidden(coasted[:12], position[1])
        runs = Rollouts(coasted[start], slowing[start], ahead * (DRIVE * TICK_S), position[1], dead)
        runs.spent += self._coasting_cost(coasted, position[1])[start]
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
        return Leg(int(TURNS[row % count]), sign * (steps + 1))

    def _coasting_cost(self, coasted: Floats, height: float) -> Floats:
        """Additional cost of 0, 1, 2 ... steps of turning: distance and time in expensive places."""
        node = self._field.locate(coasted, np.full(len(coasted), height)).node
        price = np.where(node >= 0, self._field.price[node], 1.0)
        heat = np.where(node >= 0, self._field.heat[node], 1.0)
        distance = np.r_[0.0, np.linalg.norm(np.diff(coasted, axis=0), axis=1)]
        extra = (np.where(np.isfinite(price), price / heat, 1.0) - 1) * distance + STEP_COST * (heat - 1)
        return np.cumsum(extra)

    def _forbidden(self, found: Located) -> Bools:
        """Mark points that must not be entered, or lead nowhere."""
        return (found.node >= 0) & (np.isinf(found.cost) | np.isinf(self._field.price[found.node]))

    def _steps_until_forbidden(self, coasted: Floats, height: float) -> int:
        """Return the turning steps before coasting enters a forbidden place. 99 means never."""
        found = self._field.locate(coasted, np.full(len(coasted), height))
        bad = np.flatnonzero(self._forbidden(found))
        return int(bad[0]) if len(bad) and bad[0] != 0 else 99

    def _advance(self, runs: Rollouts) -> Bools:
        """Drive every candidate one step; return which of them arrived. Marks those that are against a wall
        and those that entered a forbidden place."""
        thrust = runs.thrust * uphill(runs.slope)[:, None]
        points, velocity = driven(runs.points, runs.velocity, thrust, runs.flying)
        distance = np.linalg.norm(points - runs.points, axis=1)
        fallen = runs.height + runs.rising * STEP_S - GRAVITY / 2 * STEP_S**2
        base = np.where(runs.flying, np.maximum(fallen, runs.height), runs.height)
        found = self._field.locate(points, base, np.where(runs.flying, 0.1, 1.1 * distance + RISE))
        runs.blocked |= found.node < 0
        runs.blocked |= self._mounts(runs, points, found.node)
        moving = ~runs.blocked & ~runs.dead
        node = np.where(moving, found.node, 0)
        ground = self._field.terrain.height[node]
        flying = ground < fallen - 0.06
        low = ~flying | (fallen - ground < 0.3)
        runs.dead |= self._forbidden(found) & (low | (not self._bold))
        moving &= ~runs.dead
        price, heat = self._field.price[node], self._field.heat[node]
        extra = (price / heat - 1) * distance + STEP_COST * (heat - 1)
        runs.spent += np.where(moving & low & np.isfinite(extra), extra, 0)
        climb = np.where(runs.flying | flying, 0.0, np.maximum(ground - runs.height, 0))
        falling = (runs.rising - GRAVITY * STEP_S) * 0.907
        runs.rising = np.where(moving & flying, falling, np.minimum(climb / STEP_S, 15.0))
        runs.slope = np.where(moving & ~flying, climb / np.maximum(distance, 0.05), 0.0)
        runs.height = np.where(moving, np.where(flying, fallen, ground), runs.height)
        runs.flying = moving & flying
        runs.points = np.where(moving[:, None], points, runs.points)
        runs.velocity = np.where(moving[:, None], velocity, 0.0)
        return np.asarray(moving & ~flying & (self._field.cost[node] == 0))

    def _mounts(self, runs: Rollouts, points: Floats, node: Ints) -> Bools:
        """Mark candidates that would go up a step. The ground rises too fast between samples."""
        height, steep = self._field.terrain.height, self._field.terrain.steep
        rising = np.flatnonzero((node >= 0) & ~runs.flying & (height[node] > runs.height + 0.1))
        bad = np.zeros(len(points), bool)
        if not len(rising):
            return bad
        shares = np.linspace(0, 1, SAMPLES)[:, None, None]
        line = runs.points[rising] + shares * (points[rising] - runs.points[rising])
        cells = np.clip(np.rint(line / SPACING), 0, COUNT - 1).astype(np.intp)
        limit = np.tile(height[node[rising]] + 0.1, SAMPLES)
        under = self._field.terrain.highest((cells[..., 0] * COUNT + cells[..., 1]).ravel(), limit, limit)
        ground = np.where(under >= 0, height[under], -1.0).reshape(SAMPLES, -1)
        ground[0] = runs.height[rising]
        steps = np.linalg.norm(np.diff(cells, axis=0), axis=-1) * SPACING
        edges = ((under >= 0) & steep[under]).reshape(SAMPLES, -1) & (ground > runs.height[rising] + MOUNT)
        too_fast = (np.diff(ground, axis=0) > CLIMB * steps + 0.06).any(axis=0)
        bad[rising] = too_fast | edges.any(axis=0) | steep[node[rising]]
        return bad

    def _after_stop(self, runs: Rollouts, yaws: Floats) -> tuple[Floats, Floats]:
        """Return the cost to go from each candidate's place of rest. It is infinite if its braking path is
        forbidden. The second array is the cost of turning there into the direction of the path."""
        stop = runs.points + stopping(runs.velocity)
        node = self._field.locate(stop, runs.height).node
        stop = np.where(self._mounts(runs, stop, node)[:, None], runs.points, stop)
        cost, forbidden = np.full(len(stop), np.inf), np.zeros(len(stop), bool)
        surcharge = np.zeros(len(stop))
        free, last = np.ones(len(stop), bool), np.zeros(len(stop), np.intp)
        for share in STOP_SHARES:
            point = runs.points + share * (stop - runs.points)
            found = self._field.locate(point, runs.height)
            # A braking path that meets a wall ends there.
            free &= found.node >= 0
            last = np.where(free, found.node, last)
            cost = np.where(free, found.cost, cost)
            forbidden |= free & self._forbidden(found)
            price = self._field.price[last] / self._field.heat[last]
            surcharge += np.where(free & np.isfinite(price), price - 1, 0.0)
        cost = cost + surcharge / len(STOP_SHARES) * np.linalg.norm(stop - runs.points, axis=1)
        askew = np.abs(wrap_deg(self._field.bearing[last] - yaws))
        # Driving backward costs as much as an additional turn by 6 degrees.
        turning = np.minimum(askew, 180 - askew + 6.0) / 6 * STEP_COST * self._field.heat[last]
        cost = np.where(forbidden, np.inf, cost)
        return cost, np.where(np.isfinite(turning), turning, 0.0)
