"""Let a new arena settle, and report what did not stay where it was put."""

from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import numpy as np

from arena.action import IDLE, TICK_S
from arena.geometry.layout import LIFT
from arena.geometry.placed import Layout
from arena.geometry.shapes import FLOOR_Y
from arena.physics.world import World
from arena.scene import Floats
from testbed.check.build import Built
from testbed.check.finding import Finding

SETTLE_S = 2.0
"""How long an arena is observed, seconds; the agent does nothing."""

FALL = 0.1
"""An object that sinks by more than this, metres, lacks support; every object sinks the first 0.02."""

SLIDE = 0.5
"""An object that moves sideways by more than this, metres, does not stay where it was put."""

_SOLVER_ERROR = 0.005
"""Maximum error in the height of bodies at rest, metres."""


class Motion(NamedTuple):
    """What moved in the first seconds: findings, and whether every good goal stayed in place."""

    findings: tuple[Finding, ...]
    goals_rest: bool


def watch(built: Built, layout: Layout) -> Motion:
    """What falls, slides or rolls away at the start, the agent included."""
    shifts, agent_sinks = _settle(layout)
    sideways = np.hypot(shifts[:, 0], shifts[:, 2])
    findings = [
        _moved(built, index, "unsupported", f"is not held up: it sinks {sink:.2f} m")
        for index, sink in _falling(layout, shifts)
    ]
    findings += [
        _moved(built, int(index), "slides", f"moves {sideways[index]:.2f} m sideways")
        for index in np.flatnonzero(sideways > SLIDE)
        if not layout.things[index].blocked and not layout.things[index].kind.launch
    ]
    if agent_sinks > FALL + _SOLVER_ERROR:
        findings.append(_agent_drops(built, agent_sinks))
    rest = all(far <= SLIDE for far, p in zip(sideways, layout.things, strict=True) if p.kind.is_good_goal)
    return Motion(tuple(findings), rest)


def _settle(layout: Layout) -> tuple[Floats, float]:
    """How far each thing moves, (n, 3) metres, and by how much the agent sinks beyond the usual 0.02."""
    with closing(World(layout)) as world:
        start = world.scene().positions
        for _ in range(round(SETTLE_S / TICK_S)):
            world.advance([IDLE] * len(world.agents))
        sinks = layout.agent.position[1] - world.agents[0].position[1]
        return world.scene().positions - start, sinks - (LIFT - FLOOR_Y)


def _falling(layout: Layout, shifts: Floats) -> Iterator[tuple[int, float]]:
    """Each thing that is not held up: its index, and by how much its centre sinks, metres."""
    usual = LIFT - FLOOR_Y + FALL + _SOLVER_ERROR
    sinks = -shifts[:, 1]
    return ((int(i), float(sinks[i])) for i in np.flatnonzero(sinks > usual) if not layout.things[i].blocked)


def _moved(built: Built, index: int, code: str, text: str) -> Finding:
    instance = built.things[index]
    text = f"{instance.label} {text} within {SETTLE_S:g} s"
    return instance.finding(code, text, "positions", instance.index)


def _agent_drops(built: Built, sinks: float) -> Finding:
    number = next((k for k, item in enumerate(built.spec.items) if item.name == "Agent"), None)
    inside = ("items", number, "positions", 0) if number is not None else ()
    return built.finding("agent-drops", f"the agent falls {sinks:.2f} m at the start", *inside)
