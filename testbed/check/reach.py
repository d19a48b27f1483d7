"""What can be earned at best, and whether there is time to drive to a goal at all."""

import math
from collections.abc import Iterator

from arena.action import TICK_S
from arena.geometry.layout import SHRINK
from arena.geometry.placed import AGENT_RADIUS, Layout
from arena.physics.agent import DRAG_FACTOR, DRIVE, GRAVITY
from arena.physics.bodies import CONTACT_OFFSET
from arena.rules import TICKS_PER_UNIT
from arena.taskfile.kind import DEFAULT_FRICTION, Change, Ends, Kind
from arena.taskfile.load import nearest
from testbed.check.build import Built
from testbed.check.finding import Finding
from testbed.check.subject import Subject, subjects

_RUBBED = DEFAULT_FRICTION * GRAVITY * TICK_S * DRAG_FACTOR
"""Speed that friction takes from the agent in a tick, m/s (section 2.4 of the behaviour specification)."""

TOP_SPEED = (DRIVE * TICK_S * DRAG_FACTOR - _RUBBED) / (1 - DRAG_FACTOR)
"""Of the agent on flat ground, m/s: 26.69, or 1.6 units per step."""

_ROUNDING = 1e-3
"""Sums of rewards in single precision are off by less than this."""

_GIVERS = ("Spawner", "Pillar-Button")
"""Beginnings of the names of objects that let balls appear."""

_TIME_OUT_REWARD = -1.0
"""What an episode is worth in which nothing but the clock happens."""


def driven(ticks: int) -> float:
    """How far the agent gets at full drive from rest on flat ground, metres."""
    lag = DRAG_FACTOR * (1 - DRAG_FACTOR**ticks) / (1 - DRAG_FACTOR)
    return TOP_SPEED * TICK_S * (ticks - lag)


def ticks_to_drive(distance: float) -> int:
    """The fewest ticks in which the agent can drive `distance` metres from rest."""
    ticks = math.ceil(max(distance, 0.0) / (TOP_SPEED * TICK_S))
    while driven(ticks) < distance:
        ticks += 1
    return ticks


def reach_findings(built: Built, resting: bool) -> Iterator[Finding]:
    """Pass marks that nobody can reach, and time limits that are too short.

    `resting` says that no goal moves by itself, so that the straight way to it is the shortest.
    """
    ways = [way for layout in built.layouts.values() if (way := _way(layout)) is not None] if resting else []
    ticks = ticks_to_drive(min(ways)) if ways else 1
    yield from _time_too_short(built, ways, ticks)
    yield from _unreachable_mark(built, ticks if _is_certain(built) else 1)


def _time_too_short(built: Built, ways: list[float], ticks: int) -> Iterator[Finding]:
    spec = built.spec
    waiting_passes = spec.pass_mark is not None and spec.pass_mark <= _TIME_OUT_REWARD
    if ways and spec.time_limit and ticks > TICKS_PER_UNIT * spec.time_limit and not waiting_passes:
        place = nearest(built.located.places, ("arenas", built.arena_id, "time_limit"))
        text = (
            f"{place.spelled}: got {spec.time_limit}, expected at least {math.ceil(ticks / TICKS_PER_UNIT)}: "
            f"the straight way to the nearest goal is {min(ways):.1f} m"
        )
        yield Finding("time-too-short", text, place.line)


def _unreachable_mark(built: Built, ticks: int) -> Iterator[Finding]:
    """`ticks` is the least time before anything can be earned; the clock takes its share of it."""
    spec = built.spec
    if any(_gives_more(subject) for subject in built.things):
        return
    clock = ticks / (TICKS_PER_UNIT * spec.time_limit) if spec.time_limit else 0.0
    best = _best_goals(built) - clock
    if spec.pass_mark is not None and spec.pass_mark > best + _ROUNDING:
        place = nearest(built.located.places, ("arenas", built.arena_id, "pass_mark"))
        text = f"{place.spelled}: got {spec.pass_mark:g}, but at most {best:.3f} can be earned"
        yield Finding("unreachable-mark", text, place.line)


def _gives_more(subject: Subject) -> bool:
    """Whether an object brings rewards other than those of the balls that stand there."""
    kind = subject.kind
    changes = kind is not None and kind.change is not Change.NONE
    return changes or bool(subject.item.operations) or subject.item.name.startswith(_GIVERS)


def _best_goals(built: Built) -> float:
    """The most that goals can give: all that do not end the episode, and the largest of those that do."""
    worth: dict[bool, list[float]] = {True: [0.0], False: [0.0]}
    for subject in built.things:
        if subject.kind and subject.kind.is_good_goal:
            worth[subject.kind.ends is Ends.ALWAYS].append(
                subject.kind.reward * _diameter(subject, subject.kind)
            )
    return max(worth[True]) + sum(worth[False])


def _diameter(subject: Subject, kind: Kind) -> float:
    """Of a ball as built, metres; the largest possible where it is random."""
    low, high = kind.minimum[0], kind.maximum[0]
    size = subject.size
    return high if min(size.x, size.y, size.z) < 0 else min(max(size.x, low), high) * SHRINK


def _way(layout: Layout) -> float | None:
    """The shortest straight way to touch a good goal, metres; None without one, or where one is launched."""
    goals = [placed for placed in layout.things if placed.kind.is_good_goal]
    if not goals or any(goal.kind.launch for goal in goals):
        return None
    x, _, z = layout.agent.position
    reach = AGENT_RADIUS + CONTACT_OFFSET
    return min(
        math.hypot(goal.position[0] - x, goal.position[2] - z) - goal.size[0] / 2 - reach for goal in goals
    )


def _is_certain(built: Built) -> bool:
    """Whether agent and good goals start at the same places with every seed."""
    agents = [subject for subject in subjects(built.located, built.arena_id) if subject.kind is None]
    goals = [subject for subject in built.things if subject.kind and subject.kind.is_good_goal]
    return bool(agents) and all(subject.has_fixed_position for subject in (agents[0], *goals))
