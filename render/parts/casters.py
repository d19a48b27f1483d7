"""Shadow casters: those that have been at rest for a while, and those that move."""

import numpy as np

from render.parts.culling import coarse
from render.parts.rows import MESH, Rows, ThingRows

_TREMBLE = 1 / 512
"""Step in metres (and of rotation matrices) to which poses are rounded for shadows: things at rest tremble by
less in Bullet, and a shadow's texel is 0.04 m or more."""

_REST = 16
"""Frames without change after which a thing counts as at rest, and the minimum between two updates of that
set, as redrawing it takes about as long as a frame (our choice)."""


class Casters:
    """The shadow casters among some things, that is without floor and fence.

    Those at rest are drawn once and the others in every frame, by the same rules, so that a shadow does not
    depend on the past.
    """

    def __init__(self, things: ThingRows) -> None:
        self._things, count = things, len(things.owner)
        self._resting, self._rested, self._since = np.ones(count, bool), np.full(count, _REST), 0
        self._read()

    def update(self, changed: bool) -> bool:
        """Read the current rows if they have `changed`; returns whether the casters at rest have changed."""
        if not changed and self._resting.all():
            return False
        rows, cast = self._rows, self._cast
        self._read()
        moved = (self._rows[:, :15] != rows[:, :15]).any(axis=1) | (self._cast != cast)
        self._rested = np.where(moved, 0, self._rested + 1)
        self._since += 1
        rested = self._rested >= _REST
        overdue = self._since >= _REST and (rested > self._resting).any()
        redraw = bool(overdue or (moved & self._resting).any())
        if redraw:
            self._resting, self._since = rested, 0
        return redraw

    @property
    def still(self) -> Rows:
        """The casters at rest, those of one mesh together."""
        rows: Rows = self._rows[self._resting & self._cast]
        return rows.take(np.argsort(rows[:, MESH], kind="stable"), axis=0)

    @property
    def moving(self) -> Rows:
        """The other casters."""
        rows: Rows = self._rows[~self._resting & self._cast]
        return rows

    def _read(self) -> None:
        """The things' rows with rounded poses, and (rows,) which of them cast a shadow now."""
        self._rows = coarse(self._things.rows)
        self._rows[:, :12] = np.rint(self._rows[:, :12] / _TREMBLE) * _TREMBLE
        self._cast = self._things.shown & self._things.casts
