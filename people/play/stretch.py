"""What a page displayed while a game ran: the source of the quality of a trial."""

from statistics import median

from arena.action import STEP_S
from people.store import StretchRow

STRETCH_S = 30.0
"""A stretch ends at a pause, at the end of the trial, and after so long: more is not lost if the server is
killed."""


class Stretch:
    """Counts steps and displayed images between two times, in Unix seconds."""

    def __init__(self, now: float) -> None:
        self._began_at = now
        self._steps = self._late_steps = self._level = 0
        self._ages_s: list[float] = []

    def stepped(self, late_s: float, level: int) -> None:
        """A step was taken so late, while images were requested at this quality level."""
        self._steps += 1
        self._late_steps += late_s > STEP_S
        self._level = max(self._level, level)

    def displayed(self, age_s: float) -> None:
        """An image of this age was displayed."""
        self._ages_s.append(age_s)

    def is_long(self, now: float) -> bool:
        """Whether it is time for the next stretch."""
        return now - self._began_at >= STRETCH_S

    def row(self, trial_id: int, now: float) -> StretchRow | None:
        """The stretch as it is stored; None if no step was taken."""
        if not self._steps:
            return None
        ages_ms = [round(1000 * age) for age in self._ages_s]
        return StretchRow(
            trial_id=trial_id,
            began_at=self._began_at,
            seconds=round(now - self._began_at, 3),
            steps=self._steps,
            late_steps=self._late_steps,
            frames=len(ages_ms),
            age_ms=float(median(ages_ms)) if ages_ms else None,
            ages_ms=ages_ms,
            quality_level=self._level,
        )
