"""A step of many arenas in one call, with the same bits as one by one."""

import math
from typing import Any

from arena.kernel.balls import any_rolls
from arena.kernel.casts import seen
from arena.kernel.compiled import compiled
from arena.kernel.motion import drive_quietly
from arena.kernel.tables import HEALTH, REWARD, VX, VY, VZ, YAW, X, Y, Z


@compiled
def drive_all(
    ready: Any,
    bodies: Any,
    clocks: Any,
    parts: Any,
    ends: Any,
    actions: Any,
    steps: int,
    ticks: int,
    rewards: Any,
    totals: Any,
) -> None:
    """Take a number of steps of some ticks in each of n arenas that are `ready`, with an action for each, as
    `drive_quietly` does.

    The parts of arena k are those from `ends[k]` to `ends[k + 1]`. Where something else happens the arena is
    left as it was and is no longer `ready`. `actions` (n,) are indices into `arena.ACTIONS`; each step's
    reward is added to `rewards` (n,), which begin with 0, and to `totals` (n,).
    """
    for number in range(len(ready)):
        if not ready[number]:
            continue
        body, clock, total = bodies[number], clocks[number], totals[number]
        old_body, old_clock = body.copy(), clock.copy()
        own = parts[ends[number] : ends[number + 1]]
        old_parts = own.copy() if any_rolls(own) else own[:0]
        rewards[number] = 0.0
        for _ in range(steps):
            taken = drive_quietly(body, clock, own, actions[number] // 3, actions[number] % 3, ticks)
            if taken < ticks:
                body[:], clock[:], totals[number] = old_body, old_clock, total
                for row in range(len(old_parts)):
                    own[row] = old_parts[row]
                ready[number] = False
                break
            rewards[number] += clock[REWARD]
            totals[number] += clock[REWARD]
            clock[REWARD] = 0.0


@compiled
def see_all(
    ready: Any,
    bodies: Any,
    parts: Any,
    ends: Any,
    angles: Any,
    radius: float,
    length: float,
    columns: Any,
    column_ends: Any,
    rows: Any,
) -> None:
    """Write `arena.kernel.casts.seen`, flat, into `rows` (n, w) for each of n arenas that are `ready`."""
    for number in range(len(ready)):
        if ready[number]:
            own = parts[ends[number] : ends[number + 1]]
            listed = columns[column_ends[number] : column_ends[number + 1]]
            body = bodies[number]
            found = seen(own, (body[X], body[Y], body[Z]), body[YAW], angles, radius, length, listed)
            rows[number] = found.ravel()


@compiled
def feel_all(ready: Any, bodies: Any, clocks: Any, low: Any, high: Any, rows: Any) -> None:
    """Write the agent's own state into `rows` float32 (n, 7) for each of n arenas that are `ready`: health,
    velocity in its own frame (right, up, forward) and position, within `low` and `high` (7,)."""
    for number in range(len(ready)):
        if ready[number]:
            body, turn = bodies[number], math.radians(bodies[number, YAW])
            sin, cos = math.sin(turn), math.cos(turn)
            row = rows[number]
            row[0] = clocks[number, HEALTH]
            row[1], row[2] = body[VX] * cos - body[VZ] * sin, body[VY]
            row[3] = body[VX] * sin + body[VZ] * cos
            row[4:] = body[X : Z + 1]
            for k in range(7):
                row[k] = min(max(row[k], low[k]), high[k])
