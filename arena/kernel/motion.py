"""Ticks in which only the agent and balls move, and the clock.

They drive, roll and fall asleep. Balls are solved like the agent's contacts, with their spin. Of many arenas
each has the same bits as alone.
"""

import math

import numpy as np

from arena.action import TICK_S, Move, Rotate
from arena.geometry.placed import AGENT_RADIUS
from arena.kernel.compiled import compiled
from arena.kernel.contacts import AGENT_MASS, FALL, find_contacts, sin_cos, touched
from arena.kernel.solver import BALL_INERTIA, solve
from arena.kernel.tables import (
    CONTACT,
    DECAY,
    GROUNDED,
    HEALTH,
    MOST_CONTACTS,
    REWARD,
    VX,
    VY,
    VZ,
    YAW,
    Bools,
    Contacts,
    Ints,
    PartRow,
    Role,
    Singles,
    Table,
    X,
    Y,
    Z,
)
from arena.scene import Floats, Vector

DRIVE = 50.0
"""Acceleration forward or backward, m/s2. Speed 25 x 100 x 0.02 s (`TrainingAgent.cs`)."""

DRAG_FACTOR = 1 - 1.6 * TICK_S
"""Factor of linear drag on the agent's velocity per tick. PhysX: 1 - drag x dt, with 1.6 per second."""

QUICK_STOP = 0.9
"""Factor per tick on a grounded agent's velocity without forward input. Backward input counts as well."""

TURN_DEG = 2.0
"""Heading change of one tick of turning: 100 degrees/s x 0.02 s."""

UP = 0.01
"""Vertical component of a normal above which a contact supports the agent."""

_NO_MOVE, _FORWARD = int(Move.NONE), int(Move.FORWARD)
_NO_TURN, _RIGHT = int(Rotate.NONE), int(Rotate.RIGHT)
_FULL = np.float32(100.0)
_EMPTY = np.float32(0.0)

Driven = tuple[float, float, float, float]
"""Velocity (m/s) and yaw (degrees) after an action."""

STILL_SPEED = 0.01
"""Speed (m/s and rad/s) below which a body counts as still."""

STILL_TICKS = 20
"""Still ticks after which a body sleeps: PhysX's wake counter, 0.4 s."""

CALM_SPEED = 0.002
CALM_TICKS = 4
"""Still ticks that a tick below `CALM_SPEED` (m/s and rad/s) counts for. Bodies that turn back on a slope, or
fall, are not this slow for long. PhysX lets bodies sleep below about 0.1 m/s."""

MAX_SPIN = 7.0
"""Unity's default limit on angular speed, rad/s."""

SPIN_FACTOR = 1 - 0.05 * TICK_S
"""Factor of angular damping on spins per tick. PhysX: 1 - damping x dt; Unity's is 0.05 per second."""

_BALL = int(Role.BALL)


@compiled
def rested(still: int, fastest: float) -> int:
    """Return the still time of a body after a tick. It was no faster than this (m/s and rad/s)."""
    if fastest >= STILL_SPEED:
        return 0
    return still + (CALM_TICKS if fastest < CALM_SPEED else 1)


@compiled
def take_motion(ball: PartRow, motion: Floats) -> None:
    """Set a ball's motion after a tick, and let it sleep."""
    fastest = 0.0
    for k in range(3):
        fastest = max(fastest, abs(motion[0, k]), abs(motion[1, k]))
    ball.still = rested(ball.still, fastest)
    moves = ball.still < STILL_TICKS
    for k in range(3):
        ball.motion[0, k], ball.motion[1, k] = (motion[0, k], motion[1, k]) if moves else (0.0, 0.0)


@compiled
def any_rolls(parts: Table) -> bool:
    """Return whether a ball is awake."""
    found = False
    for part in parts:
        found = found or (part.role == _BALL and part.still < STILL_TICKS)
    return found


@compiled
def touch_movable(parts: Table, found: Contacts) -> bool:
    """Return whether a moving ball touches something that it would move."""
    for part in parts:
        if part.role == _BALL and part.still < STILL_TICKS:
            at = part.centre
            if find_contacts(parts, part.owner, part.rounding, at[0], at[1], at[2], found) < 0:
                return True
    return False


@compiled
def roll(parts: Table, found: Contacts) -> None:
    """Move awake balls through a tick. None of them touches anything that it would move."""
    for part in parts:
        if part.role == _BALL and part.still < STILL_TICKS:
            _solve(part, parts, found)
    for part in parts:
        if part.role == _BALL and part.still < STILL_TICKS:
            _move(part)


@compiled
def _solve(ball: PartRow, parts: Table, found: Contacts) -> None:
    """Set the velocities of a ball during and after a tick."""
    at, radius, velocity, spin = ball.centre, ball.rounding, ball.motion[0], ball.motion[1]
    velocity[1] -= FALL
    rate = math.sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]) * SPIN_FACTOR
    factor = SPIN_FACTOR * (MAX_SPIN / rate if rate > MAX_SPIN else 1.0)
    for k in range(3):
        spin[k] *= factor
    count = find_contacts(parts, ball.owner, radius, at[0], at[1], at[2], found)
    solve(found, count, radius, BALL_INERTIA, ball.motion)


@compiled
def _move(ball: PartRow) -> None:
    """Move and turn a ball for a tick, or let it sleep."""
    velocity, spin, way, turn = ball.motion[0], ball.motion[1], ball.motion[2], ball.motion[3]
    fastest = 0.0
    for k in range(3):
        ball.centre[k] += way[k] * TICK_S
        fastest = max(fastest, abs(velocity[k]), abs(spin[k]))
    rate = math.sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2])
    if rate > 0.0:
        x, y, z = turn[0] / rate, turn[1] / rate, turn[2] / rate
        sin, cos = sin_cos(math.degrees(rate * TICK_S))
        for k in range(3):
            axis = ball.axes[k]
            axis[0], axis[1], axis[2] = turned((axis[0], axis[1], axis[2]), (x, y, z), sin, cos)
    ball.still = rested(ball.still, fastest)
    if ball.still >= STILL_TICKS:
        for k in range(3):
            velocity[k] = spin[k] = 0.0


@compiled
def turned(vector: Vector, axis: Vector, sin: float, cos: float) -> Vector:
    """Turn a vector about a unit axis. The angle's sine and cosine are given."""
    (a, b, c), (x, y, z) = vector, axis
    along = (x * a + y * b + z * c) * (1.0 - cos)
    return (
        a * cos + (y * c - z * b) * sin + x * along,
        b * cos + (z * a - x * c) * sin + y * along,
        c * cos + (x * b - y * a) * sin + z * along,
    )


@compiled
def braked(body: Floats, move: int, turn: int) -> Driven:
    """Return velocity and yaw right after an action: braked and turned. Driving acts later, as a force."""
    yaw = body[YAW]
    if turn != _NO_TURN:
        yaw = (yaw + (TURN_DEG if turn == _RIGHT else -TURN_DEG)) % 360
    x, y, z = body[VX], body[VY], body[VZ]
    if move == _NO_MOVE and body[GROUNDED]:
        x, y, z = x * QUICK_STOP, y * QUICK_STOP, z * QUICK_STOP
    return x, y, z, yaw


@compiled
def driven(body: Floats, move: int, turn: int) -> Driven:
    """Return velocity before contacts and yaw after an action. The force acts before the turn."""
    x, y, z, yaw = braked(body, move, turn)
    if move != _NO_MOVE and body[GROUNDED]:
        sin, cos = sin_cos(body[YAW])
        gain = (DRIVE if move == _FORWARD else -DRIVE) * TICK_S
        x, z = x + gain * sin, z + gain * cos
    x, y, z = fallen(x, y, z)
    return x, y, z, yaw


@compiled
def fallen(x: float, y: float, z: float) -> tuple[float, float, float]:
    """Apply a tick's gravity and drag to a velocity (m/s). PhysX applies them in this order."""
    return x * DRAG_FACTOR, (y - FALL) * DRAG_FACTOR, z * DRAG_FACTOR


@compiled
def settle(body: Floats, parts: Table, found: Contacts, x: float, y: float, z: float) -> bool:
    """Move the agent and the balls among `parts` for a tick.

    The agent's velocity before contacts (m/s) is given. Returns False and does nothing if they would move
    anything else. `found` are places for `MOST_CONTACTS`.
    """
    if touch_movable(parts, found):
        return False
    count = find_contacts(parts, -1, AGENT_RADIUS, body[X], body[Y], body[Z], found)
    if count < 0:
        return False
    motion = np.zeros((4, 3))
    motion[0, 0], motion[0, 1], motion[0, 2] = x, y, z
    solve(found, count, AGENT_RADIUS, 0.0, motion)
    grounded = False
    for number in range(count):
        contact = found[number]
        push = contact.impulse
        # Not `hypot`, whose last bit differs between C and Python.
        if AGENT_MASS * math.sqrt(push[0] * push[0] + push[2] * push[2]) > contact.limit:
            return False
        grounded = grounded or contact.normal[1] > UP
    body[X], body[Y], body[Z] = (
        body[X] + motion[2, 0] * TICK_S,
        body[Y] + motion[2, 1] * TICK_S,
        body[Z] + motion[2, 2] * TICK_S,
    )
    body[VX], body[VY], body[VZ] = motion[0, 0], motion[0, 1], motion[0, 2]
    body[GROUNDED] = grounded
    roll(parts, found)
    return True


@compiled
def run_clock(clock: Singles) -> None:
    """Take a tick's decay from health and reward."""
    clock[HEALTH], clock[REWARD] = _health_after(clock), clock[REWARD] + clock[DECAY]


@compiled
def _health_after(clock: Singles) -> np.float32:
    """Return the health after the next tick of the clock."""
    return min(max(clock[HEALTH] + _FULL * clock[DECAY], _EMPTY), _FULL)


@compiled
def drive_uneventful(body: Floats, clock: Singles, parts: Table, move: int, turn: int, most: int) -> int:
    """Take up to `most` ticks with an action; return their number.

    In these only the clock runs and the agent moves. It stops before a tick in which a ball or zone is
    touched, something else moves, or no health is left.
    """
    found, owners = np.empty(MOST_CONTACTS, CONTACT), np.empty(len(parts), np.int64)
    for tick in range(most):
        if _health_after(clock) <= _EMPTY or touched(parts, body[X], body[Y], body[Z], owners):
            return tick
        x, y, z, yaw = driven(body, move, turn)
        if not settle(body, parts, found, x, y, z):
            return tick
        body[YAW] = yaw
        run_clock(clock)
    return most


@compiled
def drive_all(
    ready: Bools,
    bodies: Floats,
    clocks: Singles,
    parts: Table,
    ends: Ints,
    actions: Ints,
    steps: int,
    ticks: int,
    rewards: Floats,
    totals: Floats,
) -> None:
    """Step n `ready` arenas by some ticks each, one action per arena.

    They are driven by `drive_uneventful`. The parts of arena k are those from `ends[k]` to `ends[k + 1]`.
    Where something else happens the arena is left as it was and is no longer `ready`. `actions` (n,) are
    indices into `arena.ACTIONS`; each step's reward is added to `rewards` (n,), which begin with 0, and to
    `totals` (n,).
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
            taken = drive_uneventful(body, clock, own, actions[number] // 3, actions[number] % 3, ticks)
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
def feel_all(
    ready: Bools, bodies: Floats, clocks: Singles, low: Singles, high: Singles, rows: Singles
) -> None:
    """Write the agents' own states, float32 (n, 7), for `ready` arenas. A state is health, velocity in its
    own frame (right, up, forward) and position, within `low` and `high` (7,)."""
    for number in range(len(ready)):
        if ready[number]:
            body, row = bodies[number], rows[number]
            sin, cos = sin_cos(body[YAW])
            row[0] = clocks[number, HEALTH]
            row[1], row[2] = body[VX] * cos - body[VZ] * sin, body[VY]
            row[3] = body[VX] * sin + body[VZ] * cos
            row[4:] = body[X : Z + 1]
            for k in range(7):
                row[k] = min(max(row[k], low[k]), high[k])
