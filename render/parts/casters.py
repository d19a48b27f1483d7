"""Shadow casters: those that have been at rest for a while, and those that move."""

import numpy as np

from render.parts.culling import coarse
from render.parts.rows import MESH, Bools, Rows, ThingRows

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
        self._resting, self._rested = np.ones(count, bool), np.full(count, _REST)
        self._since = 0
        self._rows, self._shown = self._present()
        self.moving = self._only(~self._resting)

    def update(self, changed: bool) -> bool:
        """Read the current rows if they have `changed`; returns whether the casters at rest have changed."""
        if not changed and self._resting.all():
            return False
        redraw = self._read()
        self.moving = self._only(~self._resting)
        return redraw

    def _read(self) -> bool:
        before, shown = self._rows, self._shown
        self._rows, self._shown = self._present()
        changed = (self._rows[:, :15] != before[:, :15]).any(axis=1) | (self._shown != shown)
        self._rested += 1
        self._rested[changed] = 0
        rested = self._rested >= _REST
        self._since += 1
        overdue = self._since >= _REST and (rested > self._resting).any()
        if not overdue and not (changed & self._resting).any():
            return False
        self._resting, self._since = rested, 0
        return True

    @property
    def still(self) -> Rows:
        """The casters at rest, those of one mesh together."""
        rows = self._only(self._resting)
        return rows[np.argsort(rows[:, MESH], kind="stable")]

    def _present(self) -> tuple[Rows, Bools]:
        """The things' rows with rounded poses, and (rows,) which of them cast a shadow now."""
        rows = coarse(self._things.rows)
        rows[:, :12] = np.rint(rows[:, :12] / _TREMBLE) * _TREMBLE
        return rows, self._things.shown & self._things.casts

    def _only(self, chosen: Bools) -> Rows:
        return self._rows[chosen & self._shown]
