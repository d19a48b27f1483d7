"""Agent that drives to balls in the last picture, or searches.

Colours are measured in the original's pictures, the camera is that of `AAI3Agent.prefab`: goals are flat
discs, the focal length is 0.4195 of the picture's height, the camera is half a metre above the floor.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.ndimage import find_objects, label

from arena.action import TICK_S, TICKS_PER_STEP
from llm_control.script import DEGREES_PER_STEP, Go, Script, Think, Turn

Frame = npt.NDArray[np.uint8]

GREEN, YELLOW, RED = (190, 224, 140), (247, 220, 103), (207, 89, 89)
"""Display colours of good, multi and bad goals, sRGB."""

WITHIN = 14
"""Maximum difference per channel from a goal's colour; lossy pictures need some."""

SMALLEST_BLOB = 6
"""Minimum pixels of a blob (smaller is noise), at 512 a side."""

FOCAL = 0.4195
EYE_HEIGHT = 0.5
TOP_SPEED, GAIN = 26.69, 0.968
"""Driving from rest for n ticks: v(n) = TOP_SPEED (1 - GAIN^n) m/s. From `TrainingAgent.cs`."""

BRAKE = (Turn(6), Turn(-6)) * 4
"""Eight steps of turning on the spot, within which every glide ends."""

LOOKS_AROUND = 5
"""Turns of 72 degrees that show the whole circle."""


class Blob(NamedTuple):
    """Ball in the picture: bearing in degrees (right is positive), distance in metres, pixels."""

    bearing: float
    distance: float
    pixels: int


def answer(frame: Frame, fruitless: int, rng: np.random.Generator) -> str:
    """Write a script for a picture. `frame` is uint8 (H, W, 3), a square with or without a gutter;
    `fruitless` is the number of replies in a row without a ball in view."""
    bad = blobs(frame, RED)
    goals = blobs(frame, YELLOW) or blobs(frame, GREEN)
    if goals:
        target = max(goals, key=lambda blob: blob.pixels)
        return str(Script(_approach(target, bad)))
    if not frame.any():
        return str(Script((Think("It is dark. I wait."), *BRAKE)))
    return str(Script(_search(frame, fruitless, rng)))


def _approach(target: Blob, bad: list[Blob]) -> tuple[Think | Go | Turn, ...]:
    near = [b for b in bad if b.distance < target.distance + 1 and abs(b.bearing - target.bearing) < 14]
    if near:
        # Pass the nearest red ball on the side of the target.
        away = -1 if near[0].bearing > target.bearing else 1
        bearing = _six(near[0].bearing + away * (20 + math.degrees(math.atan2(1.5, near[0].distance))))
        return (Think("A red ball is in the way. I pass it."), Turn(bearing), Go(9), *BRAKE, Turn(-bearing))
    bearing = _six(target.bearing)
    thought = Think(
        f"I see a ball {target.distance:.1f} metres away, {target.bearing:.0f} degrees to the right."
    )
    missed = abs(target.bearing - bearing)
    if target.distance * math.sin(math.radians(missed)) > 0.7:
        return (thought, Turn(bearing), Go(steps_for(0.55 * target.distance)), *BRAKE)
    return (thought, Turn(bearing), Go(steps_for(target.distance) + 1))


def _search(frame: Frame, fruitless: int, rng: np.random.Generator) -> tuple[Think | Go | Turn, ...]:
    if fruitless % (LOOKS_AROUND + 1) < LOOKS_AROUND:
        return (Think("I see no ball. I look around."), Turn(72))
    bearing, free = most_open(frame)
    turn = _six(bearing + float(rng.uniform(-12, 12)))
    steps = steps_for(max(2.0, min(0.6 * free, 14.0)))
    return (Think("No ball anywhere. I go where there is room."), Turn(turn), Go(steps), *BRAKE)


def blobs(frame: Frame, color: tuple[int, int, int]) -> list[Blob]:
    """Find the balls of a colour, largest first."""
    height, width = frame.shape[:2]
    mask = (np.abs(frame.astype(np.int16) - np.array(color)) <= WITHIN).all(axis=2)
    least = max(1, round(SMALLEST_BLOB * (height / 512) ** 2))
    groups, _ = label(mask)
    sizes = np.bincount(groups.ravel()).tolist()[1:]
    found = [
        _blob(rows, columns, pixels, height, width)
        for (rows, columns), pixels in zip(find_objects(groups), sizes, strict=True)
        if pixels >= least
    ]
    return sorted(found, key=lambda blob: -blob.pixels)


def _blob(rows: slice, columns: slice, pixels: int, height: int, width: int) -> Blob:
    """Measure the ball of adjacent pixels within these rows and columns."""
    focal, middle = FOCAL * height, (height - 1) / 2
    bearing = math.degrees(math.atan(((columns.start + columns.stop - 1) / 2 - (width - 1) / 2) / focal))
    below = (rows.stop - middle) / focal
    if below > 0.03:
        # The lowest ray touches the ball near the floor: depth from the eye's height.
        distance = EYE_HEIGHT / below / math.cos(math.radians(bearing))
    else:
        # On or above the horizon: from the width of a ball of one metre.
        distance = focal / (columns.stop - columns.start)
    return Blob(bearing, distance, pixels)


def most_open(frame: Frame) -> tuple[float, float]:
    """Find the bearing (degrees) of the farthest floor, and its distance (metres)."""
    picture = frame.astype(np.int16)
    height, width = frame.shape[:2]
    middle, focal = (height - 1) / 2, FOCAL * height
    floor = (picture[..., 0] - picture[..., 2] > 18) & (picture[..., 0] >= picture[..., 1])
    best, bearing = 0.0, 0.0
    for column in range(height // 16, height, height // 16):
        lower = floor[int(middle) + 2 :, max(0, column - 3) : column + 4].mean(axis=1) > 0.5
        blocked = np.flatnonzero(~lower[::-1])
        top = height - (blocked[0] if len(blocked) else len(lower))
        reach = EYE_HEIGHT * focal / max(top - middle, 1.0)
        if reach > best + 0.5:
            best, bearing = reach, math.degrees(math.atan((column - (width - 1) / 2) / focal))
    return bearing, min(best, 40.0)


def steps_for(distance: float) -> int:
    """Count the fewest steps from rest that cover a distance in metres."""
    steps = 1
    while steps < 45 and driven(steps) < distance:
        steps += 1
    return steps


def driven(steps: int) -> float:
    """Compute metres covered from rest by this many driving steps."""
    ticks = TICKS_PER_STEP * steps
    return TICK_S * TOP_SPEED * (ticks - GAIN * (1 - GAIN**ticks) / (1 - GAIN))


def _six(degrees: float) -> int:
    return DEGREES_PER_STEP * round(degrees / DEGREES_PER_STEP)
