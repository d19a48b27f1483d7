"""Let a new arena come to rest, and say what did not stay where it was put."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from arena.action import IDLE, TICK_S
from arena.geometry.layout import LIFT
from arena.geometry.placed import Layout
from arena.geometry.shapes import FLOOR_Y
from arena.physics.world import World
from arena.scene import Floats
from arena.taskfile.load import nearest
from testbed.check.build import Built
from testbed.check.finding import Finding

SETTLE_S = 2.0
"""How long an arena is watched, seconds; the agent does nothing."""

FALL = 0.1
"""An object that sinks by more than this, metres, lacks support; all sink the first 0.02."""

SLIDE = 0.5
"""An object that moves sideways by more than this, metres, does not stay where it was put."""

_SOLVER_ERROR = 0.005
"""Bodies at rest stand this far off at most, metres."""


class Motion(NamedTuple):
    """What moved in the first seconds: findings, and whether every good goal stayed where it was put."""

    findings: tuple[Finding, ...]
    goals_rest: bool


def watch(built: Built, layout: Layout) -> Motion:
    """What falls, slides or rolls away at the start, the agent included."""
    shifts, agent_sinks = _settle(layout)
    sideways = np.hypot(shifts[:, 0], shifts[:, 2])
    findings = [_falls(built, index, sink) for index, sink in _falling(layout, shifts)]
    findings += [
        _slides(built, int(index), float(sideways[index]))
        for index in np.flatnonzero(sideways > SLIDE)
        if not layout.things[index].blocked and not layout.things[index].kind.launch
    ]
    if agent_sinks > FALL + _SOLVER_ERROR:
        findings.append(_agent_drops(built, agent_sinks))
    rest = all(way <= SLIDE for way, p in zip(sideways, layout.things, strict=True) if p.kind.is_good_goal)
    return Motion(tuple(findings), rest)


def _settle(layout: Layout) -> tuple[Floats, float]:
    """How far each thing moves, (n, 3) metres, and by how much the agent sinks beyond the usual 0.02."""
    world = World(layout)
    try:
        start = world.scene().positions
        for _ in range(round(SETTLE_S / TICK_S)):
            world.advance([IDLE] * len(world.agents))
        sinks = layout.agent.position[1] - world.agents[0].position[1]
        return world.scene().positions - start, sinks - (LIFT - FLOOR_Y)
    finally:
        world.close()


def _falling(layout: Layout, shifts: Floats) -> Iterator[tuple[int, float]]:
    """Each thing that is not held up: its index, and by how much its centre sinks, metres."""
    usual = LIFT - FLOOR_Y + FALL + _SOLVER_ERROR
    sinks = -shifts[:, 1]
    return ((int(i), float(sinks[i])) for i in np.flatnonzero(sinks > usual) if not layout.things[i].blocked)


def _falls(built: Built, index: int, sink: float) -> Finding:
    subject = built.things[index]
    place = subject.place("positions", subject.index)
    text = f"{place.spelled}: {subject.label} is not held up: it sinks {sink:.2f} m within {SETTLE_S:g} s"
    return Finding("unsupported", text, place.line)


def _slides(built: Built, index: int, distance: float) -> Finding:
    subject = built.things[index]
    place = subject.place("positions", subject.index)
    text = f"{place.spelled}: {subject.label} moves {distance:.2f} m sideways within {SETTLE_S:g} s"
    return Finding("slides", text, place.line)


def _agent_drops(built: Built, sinks: float) -> Finding:
    number = next((k for k, item in enumerate(built.spec.items) if item.name == "Agent"), None)
    inside = ("items", number, "positions", 0) if number is not None else ()
    place = nearest(built.located.places, ("arenas", built.arena_id, *inside))
    return Finding("agent-drops", f"{place.spelled}: the agent falls {sinks:.2f} m at the start", place.line)
