"""The check of the picture: what a page displays while it drives by itself, and whether that is enough."""

from collections.abc import Sequence
from statistics import median, quantiles
from typing import Final, NamedTuple

PICTURE: Final = "picture"
"""Kind of the notes of checks: whether the picture was good, what was displayed, and on what."""

GOOD = "This device shows the game well."
POOR = "The pictures come too slowly. It may help to close other programs, or to be closer to the Wi-Fi."


class Displayed(NamedTuple):
    """What a page has displayed in so many seconds: pictures per second, their median age, and the time from
    keys to the changed picture of which 95 % take less, both in ms; None without any.
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


class PictureCheck(NamedTuple):
    """How long the picture is looked at, and what it must reach."""

    seconds: float
    frames_per_s: float
    key_ms: float

    def is_good(self, seen: Displayed) -> bool:
        """Whether the picture was good for most of the time; never if no key had an effect."""
        long_enough = seen.seconds >= self.seconds / 2
        fast = seen.key_ms is not None and seen.key_ms <= self.key_ms
        return long_enough and fast and seen.frames_per_s >= self.frames_per_s
