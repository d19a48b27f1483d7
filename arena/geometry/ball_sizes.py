"""Sizes and values of the balls that change with time (section 7.4 of the behaviour specification)."""

from arena.geometry.placed import Placed
from arena.scene import Vector
from arena.taskfile.kind import Change

SHRINK = 0.999
"""Factor on every given size, so that adjacent objects do not overlap."""

SMALLEST_BALL = 0.05
"""Minimum diameter of a ball that grows or shrinks, metres; Bullet requires a positive one."""

_MOST = 5.0
"""Maximum value of a ball whose size is constant."""

_LARGEST = 8.0
"""Maximum diameter of a ball that grows or shrinks, metres."""


def changing_values(placed: Placed) -> tuple[float, float]:
    """Initial and final value of a decay, ripen, grow or shrink goal.

    Defaults are 2.5 and 0.5, for a goal that grows 0.5 and 2.5. In v3.1.3 a ripening goal with its new name
    has the defaults 2.5 and 0.5 too; only "AntiDecayGoal" ripens (section 7.4). In version 4 decay and ripen
    goals both fall from their initial value, and never rise.
    """
    kind, item = placed.kind, placed.item
    falls = kind.change is Change.FALL
    rising = kind.change is Change.GROW or (item.name.startswith("Anti") and not falls)
    initial, final = (0.5, 2.5) if rising else (2.5, 0.5)
    first, last = placed.entry(item.initial_values, initial), placed.entry(item.final_values, final)
    if not falls:
        return first, last
    first, last = (min(max(value, 0.0), _MOST) for value in (first, last))
    return first, min(first, last)


def size_at_start(placed: Placed) -> Vector:
    """Built size of a changing goal: the final value of a ripening one, the initial one of the others."""
    initial, final = changing_values(placed)
    change = placed.kind.change
    largest = _LARGEST if placed.kind.is_growing else _MOST
    diameter = min(max(final if change is Change.RIPEN else initial, SMALLEST_BALL), largest)
    if placed.kind.place_diameter is not None:
        diameter = max(SMALLEST_BALL, SHRINK * diameter)
    return (diameter, diameter, diameter)
