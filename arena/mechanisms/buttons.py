"""The button on a pillar that agents press by driving against it (section 7.5)."""

import math
from collections.abc import Iterable, Sequence

from arena.action import TICK_S
from arena.geometry.placed import AGENT_RADIUS, Placed
from arena.geometry.shapes import button_trigger
from arena.mechanisms.operations import Operate, run
from arena.mechanisms.stage import Stage
from arena.rules import Event, EventKind
from arena.scene import Vector, local

DURATION_S = 1.0
"""Default time in which the button moves in, or back; our choice."""

REACH = 0.25
"""Distance from the pillar's front at which an agent's sphere presses the button before version 4, metres;
our choice."""

_SIDE = 0.3
"""Half the width of the area in front of that button, metres."""


class Button:
    """Moves in and back out when an agent comes to its front, which is its local +x side.

    It triggers its operations when it is in (version 4) or when it is back (v3.1.3). While it moves it cannot
    be pressed again.
    """

    def __init__(self, index: int, placed: Placed, operations: Sequence[Operate]) -> None:
        item = placed.item
        self._index = index
        self._placed = placed
        self._operations = operations
        self._move_s = _duration(placed.entry(item.move_durations, DURATION_S))
        self._reset_s = _duration(placed.entry(item.reset_durations, DURATION_S))
        self._inside: set[int] = set()
        self._free_at = 0.0
        self._due: tuple[float, int] | None = None

    def act(self, stage: Stage) -> Iterable[Event]:
        """Detect agents that press it, and run operations that are due."""
        for agent, body in enumerate(stage.world.agents):
            touches = self._is_in_front(body.position)
            if touches and agent not in self._inside and stage.seconds >= self._free_at:
                yield self._press(stage, agent)
            (self._inside.add if touches else self._inside.discard)(agent)
        if self._due and stage.seconds >= self._due[0]:
            agent, self._due = self._due[1], None
            yield from run(self._operations, stage, agent, self._placed)

    def _press(self, stage: Stage, agent: int) -> Event:
        self._free_at = stage.seconds + self._move_s + self._reset_s
        delay = self._move_s if stage.differs.button_acts_when_pressed else self._move_s + self._reset_s
        self._due = (stage.seconds + delay, agent)
        return Event(stage.tick, EventKind.BUTTON, self._index, self._placed.kind.name, 0.0)

    def _is_in_front(self, centre: Vector) -> bool:
        (x, y, z), (at_x, at_y, at_z) = centre, self._placed.position
        right, up, forward = local((x - at_x, y - at_y, z - at_z), self._placed.yaw)
        if self._placed.kind.fitted:
            trigger = button_trigger(self._placed.size)
            sides = zip((right, up, forward), trigger.centre, trigger.size, strict=True)
            return math.hypot(*(max(abs(at - mid) - size / 2, 0.0) for at, mid, size in sides)) < AGENT_RADIUS
        ahead = right - self._placed.size[0] / 2
        inside = abs(forward) < _SIDE + AGENT_RADIUS and abs(up) < self._placed.size[1] / 2 + AGENT_RADIUS
        return inside and 0 < ahead < AGENT_RADIUS + REACH


def _duration(requested: float) -> float:
    return max(TICK_S, requested if requested >= 0 else DURATION_S)
