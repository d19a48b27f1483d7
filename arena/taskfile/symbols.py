"""The symbols of sign boards: preset names, and grids of black and white pixels.

A grid is written row by row from the top, as in "01/10": 0 is black, 1 is white, * either at random; "MxN" is
a random one of M columns and N rows (`docs/configGuide/YAML-Config-Syntax.md` of animal-ai).
"""

import re

import numpy as np

DEFAULT = "default"
"""What a board shows that has no symbol, or one that there is not (the original's `docs/configFile.md`)."""

PRESETS = (
    DEFAULT, "right-arrow", "left-arrow", "up-arrow", "down-arrow", "u-turn-arrow", "letter-a", "letter-b",
    "letter-c", "square", "triangle", "circle", "star", "tick", "cross",
)  # fmt: skip
"""The names of the symbols that are no grids."""

MOST_CELLS = 64
"""A grid has at most so many columns and rows: our limit, finer ones do not show in a picture."""

EXPECTED = (
    f"one of {', '.join(PRESETS)}; rows of 0, 1 and * of the same length such as '01/1*', "
    f"or a size such as '5x3', both of 1 to {MOST_CELLS} columns and rows"
)
"""What a symbol may be, in words."""

_SIZE = re.compile(r"([0-9]{1,4})x([0-9]{1,4})", re.ASCII)
_ROWS = re.compile(r"[01*]+(?:/[01*]+)*")


def is_symbol(name: str) -> bool:
    """Whether a board can show it."""
    return name in PRESETS or bool(_pattern(name))


def resolved(name: str, rng: np.random.Generator) -> str:
    """A symbol with nothing random left: a preset's name, or rows of 0 and 1 with "/" between them.

    Each random pixel takes one number from `rng`, row by row; what is no symbol becomes the default one.
    """
    pattern = _pattern(name)
    if name in PRESETS or not pattern:
        return name if name in PRESETS else DEFAULT
    drawn = iter(rng.integers(0, 2, pattern.count("*")).tolist())
    return "".join(str(next(drawn)) if cell == "*" else cell for cell in pattern)


def _pattern(name: str) -> str:
    """The rows of a grid, with * where a pixel is random; empty where the name is not that of a grid."""
    if size := _SIZE.fullmatch(name):
        columns, rows = int(size[1]), int(size[2])
        fits = 1 <= columns <= MOST_CELLS and 1 <= rows <= MOST_CELLS
        return "/".join(["*" * columns] * rows) if fits else ""
    lengths = {len(row) for row in name.split("/")}
    fits = len(lengths) == 1 and max(lengths) <= MOST_CELLS and name.count("/") < MOST_CELLS
    return name if fits and _ROWS.fullmatch(name) else ""
