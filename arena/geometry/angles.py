"""Angles in degrees."""

from typing import TypeVar

from arena.scene import Floats

Angle = TypeVar("Angle", float, Floats)


def wrap_deg(angle: Angle) -> Angle:
    """The same angle, at least -180 and below 180, as a number or an array."""
    return (angle + 180) % 360 - 180
