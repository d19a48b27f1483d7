"""Many tasks on one page, each as a small pair of pictures with its name."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from PIL import Image, ImageDraw

from arena_llm.pictures.canvas import FAINT, GREY, RED, fitted, page, paste, wrapped, write
from render import Frame

COLUMNS = 6
"""Pairs in a row: a multiple of three, as the tasks of the original battery have three variants."""

_MARGIN, _GAP, _BETWEEN = 0.2, 0.14, 0.02
"""Margin of the page, gap from pair to pair and from picture to picture, in sides of a picture."""

_LABEL, _TITLE, _REASON = 0.1, 0.19, 0.085
"""Sizes of letters, in sides of a picture."""


class Tile(NamedTuple):
    """One place of a sheet: a name and its pictures (side, side, 3), or the reason why there are none."""

    name: str
    pictures: tuple[Frame, Frame] | None
    reason: str = ""


def contact_sheet(tiles: Iterable[Tile], count: int, *, side: int = 160, title: str = "") -> Image.Image:
    """A page with `count` tiles, in rows, their pictures `side` pixels a side.

    Tiles are taken one by one and not kept, so `tiles` may draw them while it goes. One without pictures
    is an empty frame with its reason.
    """
    columns, margin, gap = min(COLUMNS, max(count, 1)), round(_MARGIN * side), round(_GAP * side)
    label, between = round(1.6 * _LABEL * side), max(1, round(_BETWEEN * side))
    head = round(2 * _TITLE * side) if title else 0
    pair = 2 * side + between
    rows = math.ceil(max(count, 1) / columns)
    width = 2 * margin + columns * pair + (columns - 1) * gap
    image = page(width, 2 * margin + head + rows * (label + side) + (rows - 1) * gap)
    if title:
        letters = _TITLE * side
        write(image, (margin, margin + letters), fitted(title, letters, width - 2 * margin), letters)
    for number, tile in enumerate(tiles):
        row, column = divmod(number, columns)
        x = margin + column * (pair + gap)
        y = margin + head + row * (label + side + gap)
        _place(image, tile, (x, y), side, label, between)
    return image


def _place(image: Image.Image, tile: Tile, at: tuple[int, int], side: int, label: int, between: int) -> None:
    x, y = at
    pair, letters = 2 * side + between, _LABEL * side
    write(image, (x, y + label - 0.45 * letters), fitted(tile.name, letters, pair), letters)
    y += label
    if tile.pictures:
        above, agent = tile.pictures
        paste(image, above, (x, y))
        paste(image, agent, (x + side + between, y))
        return
    ImageDraw.Draw(image).rectangle((x, y, x + pair - 1, y + side - 1), outline=FAINT, width=2)
    size, inner = _REASON * side, pair - 0.2 * side
    write(image, (x + 0.1 * side, y + 0.1 * side + size), "no picture", size, color=RED)
    for number, line in enumerate(wrapped(tile.reason, size, inner, lines=6), start=1):
        place = (x + 0.1 * side, y + 0.1 * side + size * (1 + 1.35 * number))
        write(image, place, line, size, color=GREY)
