"""Images of arenas: adaptive or fixed quality, and display statistics.

First their quality is reduced, then their size, then their rate.
"""

from collections import deque
from collections.abc import Sequence
from math import ceil
from statistics import median, quantiles
from typing import Final, Literal, NamedTuple

from pydantic import Field

from arena.action import STEP_S
from evaluation.by_hand.form import Section
from people.play.worker_protocol import View

MIN_IN_FLIGHT, MAX_IN_FLIGHT = 2, 8
"""Limits of the frames in flight. Of two, one is being sent and one displayed. A long round trip needs more,
up to 0.4 s of them; on a slow connection more would only queue up."""


class QualityLevel(NamedTuple):
    """Image quality: side (pixels), JPEG quality, and `interval` of steps between frames."""

    size: int
    quality: int
    interval: int


QUALITY_LEVELS = (
    QualityLevel(512, 85, 1),
    QualityLevel(512, 70, 1),
    QualityLevel(512, 50, 1),
    QualityLevel(384, 60, 1),
    QualityLevel(384, 40, 1),
    QualityLevel(256, 50, 1),
    QualityLevel(256, 30, 1),
    QualityLevel(256, 30, 2),
    QualityLevel(256, 30, 3),
    QualityLevel(256, 25, 5),
)
"""Quality levels from about 330 to 12 kB/s, measured at 16.7 frames/s. The mean is of 5 kinds of tasks."""

RECENT_FRAMES = 12
"""Frames whose times are kept."""

LATE_FRAMES, LATE_S = 8, 0.09
"""Recent frames, and median delay that lowers one level. Round trip excluded (1.5 steps): frames queue up."""

VERY_LATE_FRAMES, VERY_LATE_S = 4, 0.3
"""Recent frames, and median delay that lowers three levels. On such a connection frames are rare."""

ATTEMPT_FRAMES = 4
"""Frames that judge a better level. It is kept if they are punctual, left if they are late."""

PATIENCE_S = 2.5
"""A better level is tried so long after the last change. From the worst level the attempts take 2.4 s: full
quality is back within 5 s."""

LOST_S = 1.0
"""Seconds after which a missing requested image is requested again."""


class Sent(NamedTuple):
    """A sent frame: due time of its step, sending time, and content."""

    due: float
    at: float
    shows: tuple[int, View] | None = None


class Pacer:
    """Decides for one connection which steps are drawn, and at which quality. Times are Unix seconds."""

    def __init__(self) -> None:
        self._levels: tuple[QualityLevel, ...] = QUALITY_LEVELS
        self.level_number = 0
        """The index of the present level; 0 is the best."""
        self._delays: deque[float] = deque(maxlen=RECENT_FRAMES)
        self._in_flight: dict[int, Sent] = {}
        self._drawing_since = -LOST_S
        self._changed_at = 0.0
        self._jump = 0
        self._ping_s: float | None = None
        self._trips: deque[float] = deque(maxlen=RECENT_FRAMES)
        self._last_step = -QUALITY_LEVELS[-1].interval

    @property
    def level(self) -> QualityLevel:
        """The present level."""
        return self._levels[self.level_number]

    @property
    def in_flight(self) -> int:
        """Number of frames that were sent and not yet acknowledged."""
        return len(self._in_flight)

    @property
    def round_trip_s(self) -> float:
        """Round trip of a message in seconds, 0 before it is known. A busy page may have inflated the
        measurement, but no frame is faster than the round trip."""
        return 0.0 if self._ping_s is None else min((self._ping_s, *self._trips))

    @property
    def max_in_flight(self) -> int:
        """Maximum frames in flight. The round trip needs more; if they queue up, there are few."""
        if len(self._delays) >= VERY_LATE_FRAMES and self._recent_delay(VERY_LATE_FRAMES) > LATE_S:
            return MIN_IN_FLIGHT
        return min(max(ceil(self.round_trip_s / STEP_S) + 1, MIN_IN_FLIGHT), MAX_IN_FLIGHT)

    @property
    def doubtful(self) -> bool:
        """True if a longer round trip may explain slow frames. Most frames are slow then."""
        return len(self._trips) >= LATE_FRAMES and median(self._trips) > self.round_trip_s + LATE_S

    def should_draw(self, step: int, now: float) -> bool:
        """Return whether to draw this step. If so, its image counts as being drawn from now on."""
        if step - self._last_step < self.level.interval or self.in_flight >= self.max_in_flight:
            return False
        return self._begin_drawing(step, now)

    def should_draw_still(self, step: int, now: float) -> bool:
        """Return whether to draw for a paused game. Another image must not be under way."""
        return not self.in_flight and self._begin_drawing(step, now)

    def sent(self, number: int, frame: Sent) -> None:
        """An image has been sent as the frame of this number."""
        self._drawing_since = -LOST_S
        self._in_flight[number] = frame

    def acknowledged(self, number: int, now: float) -> tuple[float, Sent] | None:
        """Record a displayed frame; return age in seconds, and frame. None if it was not in flight."""
        if number not in self._in_flight:
            return None
        sent = self._in_flight[number]
        self._trips.append(now - sent.at)
        self._delays.append(now - sent.due - self.round_trip_s)
        # Earlier frames were skipped by the page.
        self._in_flight = {other: each for other, each in self._in_flight.items() if other > number}
        self._adapt(now)
        # The confirmation took half the round trip.
        return max(now - sent.due - self.round_trip_s / 2, 0.0), sent

    def measured(self, round_trip_s: float) -> None:
        """The round trip of a message with no frame before it."""
        self._ping_s = round_trip_s

    def pause(self) -> None:
        """Forget the frames in flight and the one being drawn."""
        self._drawing_since = -LOST_S
        self._in_flight.clear()
        self._delays.clear()
        self._trips.clear()
        self._last_step = -QUALITY_LEVELS[-1].interval

    def restart(self, fixed: QualityLevel | None = None) -> None:
        """Start again with the best images, as for another trial. With `fixed` ones always."""
        self.pause()
        self.level_number, self._jump = 0, 0
        self._levels = (fixed,) if fixed else QUALITY_LEVELS

    def gave_up(self, now: float) -> None:
        """The game had to pause because no frame was displayed in time."""
        self._worsen(3, now)

    def _begin_drawing(self, step: int, now: float) -> bool:
        """Count an image as being drawn from now on. False if another one still is."""
        if now - self._drawing_since < LOST_S:
            return False
        self._last_step, self._drawing_since = step, now
        return True

    def _adapt(self, now: float) -> None:
        count = len(self._delays)
        enough = ATTEMPT_FRAMES if self._jump else LATE_FRAMES
        if count >= VERY_LATE_FRAMES and self._recent_delay(VERY_LATE_FRAMES) > VERY_LATE_S:
            self._worsen(3, now)
        elif count >= enough and self._recent_delay(enough) > LATE_S:
            self._worsen(1, now)
        elif count >= ATTEMPT_FRAMES and self._recent_delay(count) < LATE_S:
            self._improve(now)

    def _recent_delay(self, frames: int) -> float:
        return median(list(self._delays)[-frames:])

    def _worsen(self, by: int, now: float) -> None:
        """Undo a failed better level, or lower the quality by some levels."""
        if self._jump:
            by, self._jump = self._jump, 0
        if self.level_number < len(self._levels) - 1:
            self._change(by, now)

    def _improve(self, now: float) -> None:
        """Try a better level after long enough. The step doubles after each success."""
        if self.level_number == 0:
            self._jump = 0
        elif self._jump or now - self._changed_at > PATIENCE_S:
            self._jump = min(max(2 * self._jump, 1), self.level_number)
            self._change(-self._jump, now)

    def _change(self, by: int, now: float) -> None:
        self.level_number = min(self.level_number + by, len(self._levels) - 1)
        self._changed_at = now
        self._delays.clear()


PICTURE: Final = "picture"
"""Kind of the notes of picture checks. They have the result, the displayed pictures, and the device."""

GOOD = "This device shows the game well."
POOR = "The pictures come too slowly. It may help to close other programs, or to be closer to the Wi-Fi."


class Displayed(NamedTuple):
    """Display statistics of some seconds of play.

    They are the pictures displayed per second, their median age in ms, and the 95th percentile of the times
    from keys to the changed picture in ms; None without any.
    """

    seconds: float
    frames_per_s: float
    age_ms: float | None
    key_ms: float | None


def displayed(seconds: float, ages_ms: Sequence[int], keys_ms: Sequence[float]) -> Displayed:
    """Summarise displayed pictures."""
    rate = len(ages_ms) / seconds if seconds > 0 else 0.0
    slowest = quantiles(keys_ms, n=20, method="inclusive")[-1] if len(keys_ms) > 1 else None
    age = float(median(ages_ms)) if ages_ms else None
    return Displayed(round(seconds, 2), round(rate, 2), age, None if slowest is None else round(slowest, 1))


class Fixed(Section):
    """The pictures' width and height in pixels, and their JPEG quality."""

    size: int = Field(ge=256, le=512)
    quality: int = Field(ge=25, le=95)


class Picture(Section):
    """Check of device and line before the first task.

    The page drives by itself for `seconds`. It must display `frames_per_s` pictures per second, and 95 % of
    keys within `key_ms`, in one of `tries`. `if_failed`: whether the study ends for others, or continues.
    `fixed`: the picture in all tasks of the arena; by default it adapts to the connection.
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
        """Return whether the picture was good for most of the time. Never if no key had an effect."""
        long_enough = seen.seconds >= self.seconds / 2
        fast = seen.key_ms is not None and seen.key_ms <= self.key_ms
        return long_enough and fast and seen.frames_per_s >= self.frames_per_s
