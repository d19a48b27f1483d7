"""Which rows throw shadows: those that stand still and those that may have moved since the last frame."""

import numpy as np

from render.culling import coarse
from render.instances import Batch, Places, Rows, ThingRows, joined

_TREMBLE = 1 / 512
"""Step in metres (and of the rotation's numbers) to which the poses of heavy things are rounded for their
shadows, which depend on the pose alone and are seldom redrawn."""


class Casters:
    """What of some things throws a shadow; floor and fence do too.

    What is not said to move counts as still until it does; from then on it is drawn with what moves. Its
    pose is rounded all the same, so that a shadow does not depend on what was before.
    """

    def __init__(self, rows: ThingRows) -> None:
        self._rows, owner = rows, rows.owner
        self._meshes = coarse(rows.meshes)
        self._casts = rows.casts
        self._exact = np.array([thing.moves for thing in rows.things], bool)[owner]
        self._roused = np.zeros(len(owner), bool)
        self._arena = self._pick(np.arange(len(owner), len(rows.rows)))
        self._shown: bytes | None = None
        self._raw: Rows
        self._rounded: Rows

    def update(self) -> bool:
        """Take over the present rows; returns whether what stands still is another or elsewhere."""
        shown = self._rows.shown.tobytes()
        if shown != self._shown:
            self._shown = shown
            self._choose()
            return True
        raw = self._standing_rows()
        if np.array_equal(raw, self._raw):
            return False
        before = self._rounded
        self._raw, self._rounded = raw, _rounded(raw)
        moved = (self._rounded != before).any(axis=1)
        if not moved.any():
            return False
        self._roused |= np.isin(self._rows.owner, self._rows.owner[self._standing[moved]])
        self._choose()
        return True

    @property
    def still(self) -> Batch:
        """What stands still."""
        return joined([self._arena, self._pick(self._standing, rounded=True)])

    @property
    def moving(self) -> Batch:
        """What moves, or has moved once."""
        exact = self._pick(self._movers)
        return joined([exact, self._pick(self._former, rounded=True)]) if len(self._former) else exact

    def _choose(self) -> None:
        casts = self._rows.shown & self._casts
        self._movers = np.flatnonzero(casts & self._exact)
        self._former = np.flatnonzero(casts & ~self._exact & self._roused)
        self._standing = np.flatnonzero(casts & ~self._exact & ~self._roused)
        self._raw = self._standing_rows()
        self._rounded = _rounded(self._raw)

    def _standing_rows(self) -> Rows:
        """Pose and size of what stands still."""
        return self._rows.rows.take(self._standing, axis=0)[:, :15]

    def _pick(self, chosen: Places, rounded: bool = False) -> Batch:
        rows = self._rows.rows.take(chosen, axis=0)
        return Batch(
            self._meshes.take(chosen), _rounded(rows) if rounded else rows, self._rows.reach.take(chosen)
        )


def _rounded(rows: Rows) -> Rows:
    """The same with rounded poses."""
    made = rows.copy()
    made[:, :12] = np.rint(rows[:, :12] / _TREMBLE) * _TREMBLE
    return made
