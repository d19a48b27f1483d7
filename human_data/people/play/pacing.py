"""How much picture a connection is given: first the quality goes down, then the size, then the rate."""

from collections import deque
from math import ceil
from statistics import median
from typing import NamedTuple

from arena.action import STEP_S

LEAST_UNSEEN, MOST_UNSEEN = 2, 8
"""Frames on their way at once: one being sent, one being shown. A long way holds more of them, up to 0.4 s;
elsewhere more would only queue up, and age."""


class Rung(NamedTuple):
    """One grade of picture: pixels a side, JPEG quality, and after every how many steps there is one."""

    size: int
    quality: int
    every: int


LADDER = (
    Rung(512, 85, 1),
    Rung(512, 70, 1),
    Rung(512, 50, 1),
    Rung(384, 60, 1),
    Rung(384, 40, 1),
    Rung(256, 50, 1),
    Rung(256, 30, 1),
    Rung(256, 30, 2),
    Rung(256, 30, 3),
    Rung(256, 25, 5),
)
"""From about 330 kB/s (5 sorts of tasks, 16.7 frames per second) down to 12 kB/s."""

WINDOW = 12
"""Frames on time, 0.7 s of them, before a better grade is tried."""

FEW = 8
"""Frames, late for the most part, before the grade goes down: 0.5 s of them."""

FAR_TOO_LATE_S = 0.3
VERY_FEW = 4
"""Where half of so many are later than that, two grades go at once: on such a line frames are few."""

TOO_LATE_S = 0.09
"""A median delay beyond one and a half steps, the way's own taken off: frames queue up."""

IN_TIME_S = 0.06
"""A median delay below one step leaves room for more."""

PATIENCE_S, MOST_PATIENCE_S = 3.0, 60.0
"""A better grade is tried after so long without trouble; after each try that failed, after twice as long."""

LOST_S = 1.0
"""A picture that was not made in so long never will be: its worker died."""


class _Sent(NamedTuple):
    """When the step on a frame was due, and when the frame was sent."""

    due: float
    at: float


class Pacer:
    """Decides, for one connection, which steps are drawn and how; times are Unix seconds."""

    def __init__(self) -> None:
        self._rung = 0
        self._delays: deque[float] = deque(maxlen=WINDOW)
        self._unseen: dict[int, _Sent] = {}
        self._drawing_since = -LOST_S
        self._changed = 0.0
        self._tried = False
        self._patience = PATIENCE_S
        self._way: float | None = None
        self._trips: deque[float] = deque(maxlen=WINDOW)
        self._last_step = -LADDER[-1].every

    @property
    def rung(self) -> Rung:
        """The present grade."""
        return LADDER[self._rung]

    @property
    def unseen(self) -> int:
        """Frames on their way."""
        return len(self._unseen)

    @property
    def way_s(self) -> float:
        """Seconds of the way there and back, 0 before it is known.

        A page that was busy may have made the measurement too long; no frame is faster than the way.
        """
        return 0.0 if self._way is None else min((self._way, *self._trips))

    @property
    def most_unseen(self) -> int:
        """Frames that may be on their way: as many as the way holds, but few where they queue up on it."""
        if len(self._delays) >= VERY_FEW and self._recent(VERY_FEW) > TOO_LATE_S:
            return LEAST_UNSEEN
        return min(max(ceil(self.way_s / STEP_S) + 1, LEAST_UNSEEN), MOST_UNSEEN)

    @property
    def doubtful(self) -> bool:
        """Whether most frames were long on their way, which may be longer than it was."""
        return len(self._trips) >= FEW and median(self._trips) > self.way_s + IN_TIME_S

    def wants(self, step: int, now: float) -> bool:
        """Whether this step is to be drawn; where it is, the picture counts as being made from now on."""
        if step - self._last_step < self.rung.every:
            return False
        making = now - self._drawing_since < LOST_S
        if making or len(self._unseen) >= self.most_unseen:
            return False
        self._last_step, self._drawing_since = step, now
        return True

    def sent(self, number: int, due: float, now: float) -> None:
        """The picture of the step that was due then is made, and on its way as this frame."""
        self._drawing_since = -LOST_S
        self._unseen[number] = _Sent(due, now)

    def acknowledged(self, number: int, now: float) -> bool:
        """A frame is on the screen; False where no such frame was on its way."""
        if number not in self._unseen:
            return False
        sent = self._unseen[number]
        self._trips.append(now - sent.at)
        self._delays.append(now - sent.due - self.way_s)
        # The frames before it were passed over.
        self._unseen = {other: each for other, each in self._unseen.items() if other > number}
        self._judge(now)
        return True

    def way(self, seconds: float) -> None:
        """A message before which no picture was sent was so long on its way there and back."""
        self._way = seconds

    def pause(self) -> None:
        """What was on its way says nothing about the connection any more."""
        self._unseen.clear()
        self._delays.clear()
        self._trips.clear()
        self._last_step = -LADDER[-1].every

    def _judge(self, now: float) -> None:
        far = len(self._delays) >= VERY_FEW and self._recent(VERY_FEW) > FAR_TOO_LATE_S
        late = len(self._delays) >= FEW and self._recent(FEW) > TOO_LATE_S
        if (far or late) and self._rung < len(LADDER) - 1:
            if self._tried:
                self._patience = min(2 * self._patience, MOST_PATIENCE_S)
            self._change(2 if far else 1, now)
        elif self._rung and now - self._changed > self._patience and self._on_time():
            self._change(-1, now)

    def _recent(self, frames: int) -> float:
        return median(list(self._delays)[-frames:])

    def _on_time(self) -> bool:
        return len(self._delays) == WINDOW and median(self._delays) < IN_TIME_S

    def _change(self, by: int, now: float) -> None:
        self._rung = min(self._rung + by, len(LADDER) - 1)
        self._tried, self._changed = by < 0, now
        self._delays.clear()
