"""Symbols of sign boards: preset names, and grids of pixels.

A grid is written row by row from the top, as in "01/10": 0 is black, 1 is white, * is random; "MxN" is a
random grid of M columns and N rows (`docs/configGuide/YAML-Config-Syntax.md` of animal-ai).
"""

import re

import numpy as np

DEFAULT = "default"
"""Symbol of a board without a valid one (the original's `docs/configFile.md`)."""

PRESETS = (
    DEFAULT, "right-arrow", "left-arrow", "up-arrow", "down-arrow", "u-turn-arrow", "letter-a", "letter-b",
    "letter-c", "square", "triangle", "circle", "star", "tick", "cross",
)  # fmt: skip
"""Names of the preset symbols."""

MOST_CELLS = 64
"""Maximum number of columns and of rows of a grid. Our limit, as finer ones are not visible."""

EXPECTED = (
    f"one of {', '.join(PRESETS)}; rows of 0, 1 and * of the same length such as '01/1*', "
    f"or a size such as '5x3', both of 1 to {MOST_CELLS} columns and rows"
)
"""Valid symbols, for messages."""

_SIZE = re.compile(r"([0-9]{1,4})x([0-9]{1,4})", re.ASCII)
_ROWS = re.compile(r"[01*]+(?:/[01*]+)*")


def is_symbol(name: str) -> bool:
    """Return whether the name is a valid symbol."""
    return name in PRESETS or bool(_pattern(name))


def resolved(name: str, rng: np.random.Generator) -> str:
    """Return a symbol without randomness. It is the name of a preset, or rows of 0 and 1 separated by "/".
    Each random pixel takes one number from `rng`, row by row; an invalid symbol becomes the default one."""
    pattern = _pattern(name)
    if name in PRESETS or not pattern:
        return name if name in PRESETS else DEFAULT
    drawn = iter(rng.integers(0, 2, pattern.count("*")).tolist())
    return "".join(str(next(drawn)) if cell == "*" else cell for cell in pattern)


def _pattern(name: str) -> str:
    """Return the rows of a grid, with * for random pixels. Empty if the name is not that of a grid."""
    if size := _SIZE.fullmatch(name):
        columns, rows = int(size[1]), int(size[2])
        fits = 1 <= columns <= MOST_CELLS and 1 <= rows <= MOST_CELLS
        return "/".join(["*" * columns] * rows) if fits else ""
    lengths = {len(row) for row in name.split("/")}
    fits = len(lengths) == 1 and max(lengths) <= MOST_CELLS and name.count("/") < MOST_CELLS
    return name if fits and _ROWS.fullmatch(name) else ""
