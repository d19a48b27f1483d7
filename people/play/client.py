"""One connected page: its websocket, images and pending news."""

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import suppress
from statistics import median
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from arena import Outcome
from arena.action import STEP_S
from people.play import page_protocol
from people.play import worker_protocol as protocol
from people.play.pacing import Displayed, Pacer, QualityLevel, Sent, displayed
from people.play.page_protocol import POLICY, UNSUPPORTED, ConnectionRefused, Message
from people.play.task_source import Assignment
from people.play.worker_protocol import Drawn, PlayEnd, State, View
from people.store import Stretch
from testbed import Task

MAX_RATE = 100.0
"""Maximum messages per second from a page, averaged over seconds. 17 acknowledgements, and keys."""

BURST = 300
"""Maximum messages that may arrive together, as after a network interruption."""


BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
SYSTEMS = {"Android": "Android", "iPhone": "iOS", "iPad": "iOS", "Windows": "Windows", "Mac OS X": "macOS"}
SYSTEMS |= {"CrOS": "ChromeOS", "Linux": "Linux"}
"""Names that browsers and systems report, and ours. The first match counts, as some list their ancestors."""


STRETCH_S = 30.0
"""Maximum duration of a stretch of play, seconds. It also ends at a pause and at the end of the trial; a
killed server loses no more than that."""


MAX_UNSEEN_S = 1.0
"""Maximum age, seconds, of the newest displayed picture before a pause. It is longer than a slow line with a
frame in 0.3 s needs, and too short to drive far without seeing."""

PING_INTERVAL_S = 5.0
"""Interval of measuring the round trip while frames are late. Some are skipped before each measurement."""

STATE_INTERVAL = 8
"""Steps after which the state is sent if no image is."""

_ENDS: dict[str, str] = {
    Outcome.GOAL: "You reached the ball.",
    Outcome.BAD_GOAL: "You touched a red ball.",
    Outcome.DECOY: "That was a fake ball.",
    Outcome.DEATH_ZONE: "You drove into a red zone.",
    protocol.HEALTH: "Your health ran out.",
}
"""Texts by cause of the end of play, describing the outcome."""

NEUTRAL_ENDS = {
    protocol.TIME: "The time for this task is over.",
    protocol.LIMIT: "The time for this task is over.",
    protocol.PAUSE: "You paused for too long. This task is over.",
    protocol.STOPPED: "You stopped this task.",
}
"""Texts that are shown without feedback, too."""


class Client:
    """A page connected by a websocket, and its displayed pictures. Times are Unix seconds. `shown` is the
    newest picture of the trial that the page has displayed, by its step and view."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._queue: asyncio.Queue[str | bytes | ConnectionRefused] = asyncio.Queue()
        self._count = 0
        self._allowance = float(BURST)
        self._last_at = asyncio.get_running_loop().time()
        self._sent_bytes = 0
        self.shown: tuple[int, View] | None = None
        self._feedback = True
        self._pacer = Pacer()
        self._frames = 0
        self._pinged_at = time.time()
        self._pings = 0
        self._awaiting_pong = False
        self._events: list[tuple[str, float]] = []
        self._late_ms: list[float] = []
        self._stretch: Stretch | None = None
        self._ended: list[Stretch] = []
        self._pressed_at: float | None = None
        self._keys_ms: list[float] = []

    @property
    def device(self) -> str:
        """Browser and system, such as "Firefox, Windows", as reported. The version is left out."""
        agent = self._socket.headers.get("user-agent", "")
        found = (next((names[key] for key in names if key in agent), "?") for names in (BROWSERS, SYSTEMS))
        return ", ".join(found)

    def send(self, kind: str, **values: Any) -> None:
        """Queue a message of this type."""
        self._queue.put_nowait(json.dumps({"type": kind, **values}, separators=(",", ":")))

    def end(self, code: int, reason: str) -> None:
        """Close the connection once the queue is sent."""
        self._queue.put_nowait(ConnectionRefused(code, reason))

    async def run_sender(self) -> None:
        """Send queued messages until the connection is closed."""
        with suppress(WebSocketDisconnect, RuntimeError, OSError):
            while True:
                item = await self._queue.get()
                if isinstance(item, ConnectionRefused):
                    await self.close(item)
                    return
                self._sent_bytes += len(item)
                await (
                    self._socket.send_bytes(item) if isinstance(item, bytes) else self._socket.send_text(item)
                )

    async def close(self, reason: ConnectionRefused) -> None:
        """Close the connection now."""
        if self._socket.application_state is not WebSocketState.DISCONNECTED:
            with suppress(RuntimeError, OSError, WebSocketDisconnect):
                await self._socket.close(reason.code, reason.reason)

    async def receive(self) -> Message:
        """Return the next message. Raises ConnectionRefused if invalid, WebSocketDisconnect at the end."""
        event = await self._socket.receive()
        if event["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(event.get("code", 1005))
        text = event.get("text")
        if text is None:
            raise ConnectionRefused(UNSUPPORTED, "binary message; expected JSON text")
        self._check_rate()
        message = page_protocol.read_message(text)
        self._count += 1
        if message.n != self._count:
            raise ConnectionRefused(POLICY, f"out of order: message {message.n}, expected {self._count}")
        return message

    def _check_rate(self) -> None:
        now = asyncio.get_running_loop().time()
        self._allowance = min(BURST, self._allowance + MAX_RATE * (now - self._last_at)) - 1
        self._last_at = now
        if self._allowance < 0:
            raise ConnectionRefused(POLICY, f"too many messages; expected at most {MAX_RATE:.0f} a second")

    def started(self, now: float) -> None:
        """The episode starts, or continues after a pause."""
        self._pacer.pause()
        self._stretch = _beginning(now)
        self._pressed_at = None
        self._ping(now)

    def pressed(self, now: float) -> None:
        """Other keys are held."""
        self._pressed_at = self._pressed_at or now

    def displayed(self, now: float) -> Displayed:
        """Return the displayed pictures of the trial on this connection, without pauses."""
        last = self._stretch or _beginning(now)
        seconds = now - last.began_at + sum(each.seconds for each in self._ended)
        ages_ms = [age for each in (*self._ended, last) for age in each.ages_ms]
        return displayed(seconds, ages_ms, self._keys_ms)

    def too_late(self, step: int, step_s: float, now: float) -> str:
        """Return the reason for a pause for lack of pictures, otherwise "". `step_s` is the duration of a
        step. The images get worse after such a pause."""
        if self.shown is None or (step - self.shown[0]) * step_s <= MAX_UNSEEN_S:
            return ""
        self._pacer.gave_up(now)
        return "connection" if self._pacer.in_flight else "stall"

    def acknowledged(self, frame: int, now: float) -> None:
        """A frame is displayed. Raises ConnectionRefused if it was never sent."""
        if frame > self._frames:
            raise ConnectionRefused(POLICY, f"frame {frame} was not sent")
        if (seen := self._pacer.acknowledged(frame, now)) is not None:
            age_s, sent = seen
            self.shown = sent.shows
            if self._stretch is not None:
                self._stretch.ages_ms.append(round(1000 * age_s))
            # The keys came as much later as this confirmation.
            if self._pressed_at is not None and sent.due > self._pressed_at:
                self._keys_ms.append(1000 * (now - self._pressed_at))
                self._pressed_at = None

    def ponged(self, ping: int, now: float) -> None:
        """The page replied to a ping. Raises ConnectionRefused if it was not the last one."""
        if ping != self._pings or not self._awaiting_pong:
            raise ConnectionRefused(POLICY, f"pong {ping} answers no ping")
        self._pacer.measured(now - self._pinged_at)
        self._awaiting_pong = False

    def stepped(self, state: State, late_s: Sequence[float], now: float) -> QualityLevel | None:
        """Note events, and return the quality of the next image, or None."""
        # Without feedback even the moment of a message would give events away.
        self._events += state.events if self._feedback else ()
        self._late_ms += [round(1000 * late, 1) for late in late_s]
        if self._stretch is not None:
            self._stretch.steps += len(late_s)
            self._stretch.late_steps += sum(late > STEP_S for late in late_s)
            level = self._pacer.level_number if late_s else 0
            self._stretch.quality_level = max(self._stretch.quality_level, level)
        if self._events or state.done or len(self._late_ms) >= STATE_INTERVAL:
            self.send_state(state)
        if self._pacer.doubtful and now - self._pinged_at > PING_INTERVAL_S and not state.done:
            if self._pacer.in_flight > 0:
                return None
            self._ping(now)
        return self._pacer.level if self._pacer.should_draw(state.step, now) else None

    def paused(self, state: State, now: float) -> QualityLevel | None:
        """Note events while the game is paused: one image at a time."""
        return self._pacer.level if self._pacer.should_draw_still(state.step, now) else None

    def forget_images(self) -> None:
        """Forget all images after another trial, or the worker's death."""
        self.shown = None
        self._pacer.pause()

    def take_stretch(self, trial: int, now: float, only_long: bool = False) -> Stretch | None:
        """End the stretch of play, with `only_long` if long enough. None without anything to store."""
        stretch = self._stretch
        if stretch is None or (only_long and now - stretch.began_at < STRETCH_S):
            return None
        self._stretch = _beginning(now) if only_long else None
        if not stretch.steps:
            return None
        ages_ms = stretch.ages_ms
        stretch.trial_id, stretch.seconds = trial, round(now - stretch.began_at, 3)
        stretch.frames, stretch.age_ms = len(ages_ms), float(median(ages_ms)) if ages_ms else None
        self._ended.append(stretch)
        return stretch

    def show(self, drawn: Drawn, state: State) -> None:
        """Send an image, together with the state."""
        self.send_state(state)
        self._frames += 1
        self._pacer.sent(self._frames, Sent(drawn.due, time.time(), (drawn.step, drawn.view)))
        self._queue.put_nowait(page_protocol.frame_bytes(self._frames, drawn))

    def send_state(self, state: State) -> None:
        """Send the state, and events since the last one. Without feedback, no events."""
        values = {
            "health": round(state.health, 2),
            "reward": round(state.total_reward, 4),
            "balls": state.balls,
            "events": self._events,
        }
        self.send(
            "state",
            step=state.step,
            late=self._late_ms,
            level=self._pacer.level,
            sent=self._sent_bytes,
            **(values if self._feedback else {}),
        )
        self._events, self._late_ms = [], []

    def send_trial(
        self, trial: int, assignment: Assignment[Task], state: State, instructions: str, left_s: float | None
    ) -> None:
        """Send the page's data before a trial starts or resumes."""
        self.forget_images()
        self._pacer.restart(assignment.fixed)
        self._ended, self._keys_ms = [], []
        self._feedback = assignment.feedback
        self._events.clear()
        names = ("title", "position", "count", "views", "feedback", "may_stop", "lights_out")
        self.send(
            "trial",
            trial=trial,
            **{name: getattr(assignment, name) for name in (*names, "stars", "palette", "fixed")},
            check_s=assignment.check and assignment.check.seconds,
            step=state.step,
            instructions=instructions,
            left_s=left_s,
        )
        self.send_state(state)

    def _ping(self, now: float) -> None:
        """Send a ping unless a pong is awaited. The next image is sent after it."""
        if not self._awaiting_pong:
            self._pings += 1
            self._awaiting_pong, self._pinged_at = True, now
            self.send("ping", ping=self._pings)


def _beginning(now: float) -> Stretch:
    """Return a new stretch without play or displayed pictures."""
    numbers = dict.fromkeys(("trial_id", "steps", "late_steps", "frames", "quality_level"), 0)
    return Stretch(began_at=now, seconds=0.0, age_ms=None, ages_ms=[], **numbers)


def ending(assignment: Assignment[Task], end: PlayEnd) -> dict[str, Any]:
    """Return the end of a trial as sent to the page. Without feedback, only why it is over."""
    recording, by = end.recording, end.ended_by
    text = NEUTRAL_ENDS.get(by, "")
    values: dict[str, Any] = {"passed": None, "text": text, "reward": None, "steps": end.steps_played}
    if not assignment.feedback:
        return values
    text = text or _ENDS.get(by, "The task is over.")
    if by == Outcome.GOAL and recording.passed is False:
        text = "You reached a ball, but your score was too low."
    values |= {"passed": recording.passed, "text": text}
    if assignment.show_score:
        values |= {"reward": round(recording.total_reward, 3), "pass_mark": assignment.task.spec.pass_mark}
        values["waited"] = end.steps_played < recording.steps
    return values
