"""The status strip below a picture: health, step and reward."""

from functools import cache
from typing import NamedTuple

import numpy as np
from PIL import ImageDraw

from arena_llm.pictures.canvas import FAINT, page, paste, text_width, write
from arena_llm.pictures.trajectory import path_color
from render import Frame

NARROWEST = 192
"""Smallest width in pixels that the text fits."""

_GREEN, _AMBER, _RED = (68, 150, 84), (226, 160, 40), (200, 56, 50)
_PLAIN = (0.45, 0.45, 0.45)
_LOW, _VERY_LOW = 50.0, 25.0


class Status(NamedTuple):
    """Content of the strip: health 0 to 100, `step` of `steps`, total reward."""

    health: float
    step: int
    steps: int
    total_reward: float


def strip_height(width: int) -> int:
    """Height of the strip in pixels; even, as videos require."""
    return 2 * round(max(24.0, width / 13) / 2)


def strip(status: Status, width: int, *, timed: bool = False) -> Frame:
    """The strip, uint8 (`strip_height(width)`, width, 3), `width` of at least `NARROWEST` pixels.

    Its upper edge is a progress bar; with `timed`, in the colours that a path has at the same time, as a key.
    """
    height = strip_height(width)
    image = page(width, height)
    draw = ImageDraw.Draw(image)
    edge = max(3, height // 9)
    draw.rectangle((0, 0, width, edge - 1), fill=FAINT)
    done = round(width * status.step / max(status.steps, 1))
    paste(image, np.tile(_progress_colors(width, timed)[:, :done], (edge, 1, 1)), (0, 0))
    letters, gap = min(width / 28, 0.42 * height), width / 40
    middle = (height + edge) / 2
    right = width - gap
    reward = f"reward {_signed(status.total_reward)}"
    write(image, (right, middle), reward, letters, anchor="rm")
    # Space is reserved for the widest numbers, so that nothing moves between frames.
    right -= max(text_width("reward -00.00", letters), text_width(reward, letters)) + gap
    write(image, (right, middle), f"step {status.step}/{status.steps}", letters, anchor="rm")
    right -= text_width(f"step {status.steps}/{status.steps}", letters) + gap
    left = gap + text_width("100", letters) + gap / 2
    write(image, (left - gap / 2, middle), f"{status.health:.0f}", letters, anchor="rm")
    _health(draw, status.health, (left, middle - 0.2 * height, right, middle + 0.2 * height))
    return np.asarray(image)


@cache
def _progress_colors(width: int, timed: bool) -> Frame:
    """One row of pixels (1, width, 3): the full progress bar."""
    colors = [path_color(column / width) if timed else _PLAIN for column in range(width)]
    return np.asarray(np.round(255 * np.array([colors])), np.uint8)


def _health(draw: ImageDraw.ImageDraw, health: float, box: tuple[float, float, float, float]) -> None:
    left, top, right, bottom = box
    draw.rectangle(box, fill=FAINT)
    color = _GREEN if health > _LOW else _AMBER if health > _VERY_LOW else _RED
    if health > 0:
        draw.rectangle((left, top, left + (right - left) * min(health, 100.0) / 100, bottom), fill=color)


def _signed(value: float) -> str:
    """Two decimals, without a minus sign for zero."""
    return f"{0.0 if abs(value) < 0.005 else value:.2f}"
