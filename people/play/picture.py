"""The picture of arenas: whether it is the same for everyone, and the check of what a page displays of it."""

from collections.abc import Sequence
from statistics import median, quantiles
from typing import Final, Literal, NamedTuple

from pydantic import Field

from evaluation.by_hand.form import Section
from people.play.pacing import QualityLevel

PICTURE: Final = "picture"
"""Kind of the notes of checks: whether the picture was good, what was displayed, and on what."""

GOOD = "This device shows the game well."
POOR = "The pictures come too slowly. It may help to close other programs, or to be closer to the Wi-Fi."


class Displayed(NamedTuple):
    """Seconds of play, the pictures that a page displayed per second of it, their median age in ms, and the
    95th percentile of the times from keys to the changed picture in ms; None without any.
    """

    seconds: float
    frames_per_s: float
    age_ms: float | None
    key_ms: float | None


def displayed(seconds: float, ages_ms: Sequence[int], keys_ms: Sequence[float]) -> Displayed:
    """Sum up what a page has displayed."""
    rate = len(ages_ms) / seconds if seconds > 0 else 0.0
    slowest = quantiles(keys_ms, n=20, method="inclusive")[-1] if len(keys_ms) > 1 else None
    age = float(median(ages_ms)) if ages_ms else None
    return Displayed(round(seconds, 2), round(rate, 2), age, None if slowest is None else round(slowest, 1))


class Fixed(Section):
    """The pictures' width and height in pixels, and their JPEG quality."""

    size: int = Field(ge=256, le=512)
    quality: int = Field(ge=25, le=95)


class Picture(Section):
    """A check of device and line before the first task, in which the page drives by itself for `seconds`.

    It must display `frames_per_s` pictures per second, and 95 % of keys within `key_ms`, in one of `tries`.
    `if_failed`: whether the study ends for others, or continues. `fixed`: the picture in all tasks of the
    arena; by default it adapts to the connection.
    """

    seconds: float = Field(default=20, ge=5, le=120)
    frames_per_s: float = Field(default=15, ge=1, le=16)
    key_ms: float = Field(default=250, ge=70, le=2000)
    tries: int = Field(default=2, ge=1, le=10)
    if_failed: Literal["end", "continue"] = "end"
    fixed: Fixed | None = None

    @property
    def level(self) -> QualityLevel | None:
        """The picture that is the same in all tasks, if any."""
        return QualityLevel(self.fixed.size, self.fixed.quality, 1) if self.fixed else None

    def is_good(self, seen: Displayed) -> bool:
        """Whether the picture was good for most of the time; never if no key had an effect."""
        long_enough = seen.seconds >= self.seconds / 2
        fast = seen.key_ms is not None and seen.key_ms <= self.key_ms
        return long_enough and fast and seen.frames_per_s >= self.frames_per_s
