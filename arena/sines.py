"""Sines by a polynomial of our own: libraries differ in the last bits between processors."""

import math

_DEGREE = math.pi / 180


def sin_cos(angle_deg: float) -> tuple[float, float]:
    """Sine and cosine of an angle in degrees; those of quarter turns are exact.

    Their Taylor series up to 45 degrees, whose next terms are below half of the last bit.
    """
    quarter = math.floor(angle_deg / 90.0 + 0.5)
    x = (angle_deg - 90.0 * quarter) * _DEGREE
    y = x * x
    sin = cos = 1.0
    for k in range(16, 1, -2):
        sin = 1.0 - sin * y / (k * (k + 1))
        cos = 1.0 - cos * y / (k * (k - 1))
    sin *= x
    turn = quarter % 4
    if turn == 0:
        return sin, cos
    if turn == 1:
        return cos, -sin
    return (-sin, -cos) if turn == 2 else (-cos, sin)
