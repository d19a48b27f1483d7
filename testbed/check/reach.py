"""Maximum reward of an arena, and minimum time to a goal."""

import math
from collections.abc import Iterator

from arena.action import TICK_S
from arena.geometry.placed import AGENT_RADIUS, SHRINK, Layout
from arena.kernel.contacts import CONTACT_OFFSET
from arena.kernel.motion import DRAG_FACTOR, DRIVE
from arena.rules import TICKS_PER_UNIT
from arena.taskfile.kind import DEFAULT_FRICTION, GRAVITY, Change, Ends, Kind
from testbed.check.build import Built
from testbed.check.finding import Finding, ItemInstance, item_instances

# The oracle has the same number, but needs packages that a check does not.
_FRICTION_LOSS = DEFAULT_FRICTION * GRAVITY * TICK_S * DRAG_FACTOR
TOP_SPEED = (DRIVE * TICK_S * DRAG_FACTOR - _FRICTION_LOSS) / (1 - DRAG_FACTOR)
"""Agent's top speed on flat ground, m/s. 26.69, or 1.6 units per step (`AAI3Arena.prefab`)."""


def driven(ticks: int) -> float:
    """Return the distance at full drive from rest on flat ground, metres."""
    lag = DRAG_FACTOR * (1 - DRAG_FACTOR**ticks) / (1 - DRAG_FACTOR)
    return TOP_SPEED * TICK_S * (ticks - lag)


def ticks_to_drive(distance: float) -> int:
    """Return the minimum ticks to drive `distance` metres from rest."""
    ticks = math.ceil(max(distance, 0.0) / (TOP_SPEED * TICK_S))
    while driven(ticks) < distance:
        ticks += 1
    return ticks


def reach_findings(built: Built, resting: bool) -> Iterator[Finding]:
    """Yield findings on unreachable pass marks and short time limits. `resting` means that no goal moves by
    itself, so that the straight path to it is the shortest."""
    paths = [_straight_path(layout) for layout in built.layouts.values()] if resting else []
    shortest = min((path for path in paths if path is not None), default=None)
    ticks = 1 if shortest is None else ticks_to_drive(shortest)
    if shortest is not None:
        yield from _time_too_short(built, shortest, ticks)
    yield from _unreachable_mark(built, ticks if _is_certain(built) else 1)


def _time_too_short(built: Built, shortest: float, ticks: int) -> Iterator[Finding]:
    spec = built.spec
    # An uneventful episode until the time limit has the reward -1.
    waiting_passes = spec.pass_mark is not None and spec.pass_mark <= -1
    if spec.time_limit and ticks > TICKS_PER_UNIT * spec.time_limit and not waiting_passes:
        text = (
            f"got {spec.time_limit}, expected at least {math.ceil(ticks / TICKS_PER_UNIT)}: "
            f"the straight path to the nearest goal is {shortest:.1f} m"
        )
        yield built.finding("time-too-short", text, "time_limit")


def _unreachable_mark(built: Built, ticks: int) -> Iterator[Finding]:
    """`ticks` is the minimum time before anything can be earned. It costs its share of the clock's reward."""
    spec = built.spec
    if any(map(_gives_more, built.things)):
        return
    clock = ticks / (TICKS_PER_UNIT * spec.time_limit) if spec.time_limit else 0.0
    best = _best_goals(built) - clock
    # Sums of rewards in single precision are off by less than 0.001.
    if spec.pass_mark is not None and spec.pass_mark > best + 1e-3:
        text = f"got {spec.pass_mark:g}, but at most {best:.3f} can be earned"
        yield built.finding("unreachable-mark", text, "pass_mark")


def _gives_more(instance: ItemInstance) -> bool:
    """Return whether an object can bring more rewards. Balls that are there from the start do not count."""
    kind = instance.kind
    changes = kind is not None and kind.change is not Change.NONE
    gives = instance.item.name.startswith(("Spawner", "Pillar-Button"))
    return changes or gives or bool(instance.item.operations)


def _best_goals(built: Built) -> float:
    """Return the maximum reward of goals. All non-final ones count, and the largest final one."""
    worth: dict[bool, list[float]] = {True: [0.0], False: [0.0]}
    for instance in built.things:
        if (kind := instance.kind) and kind.is_good_goal:
            worth[kind.ends is Ends.ALWAYS].append(kind.reward * _diameter(instance, kind))
    return max(worth[True]) + sum(worth[False])


def _diameter(instance: ItemInstance, kind: Kind) -> float:
    """Diameter of a ball as built, metres. The largest possible if it is random."""
    low, high = kind.minimum[0], kind.maximum[0]
    size = instance.size
    return high if min(size.x, size.y, size.z) < 0 else min(max(size.x, low), high) * SHRINK


def _straight_path(layout: Layout) -> float | None:
    """Shortest straight path to touch a good goal, metres. None without one, or if one is launched."""
    goals = [placed for placed in layout.things if placed.kind.is_good_goal]
    if not goals or any(goal.kind.launch for goal in goals):
        return None
    x, _, z = layout.agent.position
    reach = AGENT_RADIUS + CONTACT_OFFSET
    return min(
        math.hypot(goal.position[0] - x, goal.position[2] - z) - goal.size[0] / 2 - reach for goal in goals
    )


def _is_certain(built: Built) -> bool:
    """Return whether agent and good goals start alike for every seed."""
    agents = [each for each in item_instances(built.located, built.arena_id) if each.kind is None]
    goals = [each for each in built.things if each.kind and each.kind.is_good_goal]
    return bool(agents) and all(each.has_fixed_position for each in (agents[0], *goals))
