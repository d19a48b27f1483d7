"""Which rows throw shadows: those that have been at rest for a while, and those that move."""

import numpy as np

from render.parts.culling import coarse
from render.parts.rows import Batch, Bools, Rows, ThingRows

_TREMBLE = 1 / 512
"""Step in metres (and of the rotation's numbers) to which poses are rounded for shadows, which depend on the
pose alone: what lies still trembles by less in Bullet, and a shadow's texel is 0.04 m or more."""

_REST = 16
"""Frames without a change after which a thing is at rest, and the fewest between two such findings: to draw
all that is at rest takes about as long as a frame (our choice)."""


class Casters:
    """What of some things throws a shadow; floor and fence do too, but are none of them.

    What is at rest is drawn once, what has moved in every frame, both alike, so that a shadow does not depend
    on what was before.
    """

    def __init__(self, rows: ThingRows) -> None:
        self._things, count = rows, len(rows.owner)
        self._meshes, self._reach = coarse(rows.meshes[:count]), rows.reach[:count]
        self._resting, self._rested = np.ones(count, bool), np.full(count, _REST)
        self._since = 0
        self._rows, self._shown = self._present()

    def update(self) -> bool:
        """Take over the present rows; returns whether what is at rest is another or elsewhere."""
        changed = self._take_over()
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
    def still(self) -> Batch:
        """What is at rest."""
        return self._only(self._resting)

    @property
    def moving(self) -> Batch:
        """What moves, or did a moment ago."""
        return self._only(~self._resting)

    def _take_over(self) -> Bools:
        """Take over the present rows and return (rows,) which of them have changed."""
        before, shown = self._rows, self._shown
        self._rows, self._shown = self._present()
        return np.asarray((self._rows[:, :15] != before[:, :15]).any(axis=1) | (self._shown != shown))

    def _present(self) -> tuple[Rows, Bools]:
        """The things' rows as they are drawn, and (rows,) which of them throw a shadow now."""
        rows = self._things.rows[: len(self._meshes)].copy()
        rows[:, :12] = np.rint(rows[:, :12] / _TREMBLE) * _TREMBLE
        return rows, self._things.shown & self._things.casts

    def _only(self, chosen: Bools) -> Batch:
        places = np.flatnonzero(chosen & self._shown)
        return Batch(self._meshes, self._rows, self._reach).only(places)
