"""What one connection's page is shown: how much picture it can take, and what is new since the last one."""

import base64
import time
from collections.abc import Sequence
from typing import Any

from arena import Outcome, Recording
from human_data.people.play.link import Link
from human_data.people.play.messages import POLICY, Refused, frame_bytes
from human_data.people.play.pacing import Pacer, Rung
from human_data.people.play.records import Begun
from human_data.people.play.wire import Drawn, State, Told

QUIET_S = 2.0
"""A page that says nothing for so long while frames are on their way to it has lost its connection."""

PING_EVERY_S = 5.0
"""How often the way without a picture is measured; a frame or two are left out before it."""

TELL_EVERY = 8
"""Steps after which the state is told where no picture goes out."""

_WORDS = {
    Outcome.GOAL: "You reached the ball.",
    Outcome.BAD_GOAL: "You touched a red ball.",
    Outcome.DECOY: "You touched a decoy.",
    Outcome.DEATH_ZONE: "You drove into a red zone.",
    Outcome.HEALTH: "Your health ran out.",
    Outcome.STOPPED: "The task was stopped.",
}


class Screen:
    """The page at the other end of a link. Times are Unix seconds."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self._pacer = Pacer()
        self._frames = 0
        self._heard = self._pinged = time.time()
        self._pings = 0
        self._way_begins: float | None = None
        self._events: list[tuple[str, float]] = []
        self._late_ms: list[float] = []

    def say(self, kind: str, **values: Any) -> None:
        """Send a message of this type."""
        self.link.send(kind, **values)

    def hears(self, now: float) -> None:
        """The page said something."""
        self._heard = now

    def started(self, now: float) -> None:
        """The episode goes on after a pause."""
        self._heard = now
        self._pacer.pause()

    def silent(self, now: float) -> bool:
        """Whether the page is not there any more, though its connection is not closed."""
        return self._pacer.unseen > 0 and now - self._heard > QUIET_S

    def acknowledged(self, frame: int, now: float) -> None:
        """A frame is on the page's screen. Raises Refused for one that was never sent."""
        if frame > self._frames:
            raise Refused(POLICY, f"frame {frame} was not sent")
        self._pacer.acknowledged(frame, now)

    def ponged(self, ping: int, now: float) -> None:
        """The page answered a ping. Raises Refused for another than the last."""
        if ping != self._pings or self._way_begins is None:
            raise Refused(POLICY, f"pong {ping} answers no ping")
        self._pacer.way(now - self._way_begins)
        self._way_begins = None

    def takes(self, state: State, late_s: Sequence[float], now: float) -> Rung | None:
        """Note what happened, and say how the state is to be drawn; None where it is not."""
        self._events += state.events
        self._late_ms += [round(1000 * late, 1) for late in late_s]
        if state.events or state.done or len(self._late_ms) >= TELL_EVERY:
            self.tell(state)
        if now - self._pinged > PING_EVERY_S and not state.done:
            self._ping(now)
            if self._way_begins is None:
                return None
        return self._pacer.rung if self._pacer.wants(state.step, now) else None

    def show(self, drawn: Drawn, state: State) -> None:
        """Send a picture, and the state with it."""
        self.tell(state)
        self._frames += 1
        self._pacer.sent(self._frames, drawn.due)
        self.link.send_bytes(frame_bytes(self._frames, drawn))

    def tell(self, state: State) -> None:
        """Send the state, and what happened since it was last sent."""
        self.say(
            "state",
            step=state.step,
            health=round(state.health, 2),
            reward=round(state.total_reward, 4),
            events=self._events,
            late=self._late_ms,
            grade=self._pacer.rung,
            sent=self.link.sent_bytes,
        )
        self._events, self._late_ms = [], []

    def tell_trial(self, begun: Begun, state: State, told: Sequence[Told], instructions: str) -> None:
        """Send what the page needs to know about a trial before it starts, or goes on."""
        assignment = begun.assignment
        self.say(
            "trial",
            trial=begun.trial.id,
            title=assignment.title,
            position=assignment.position,
            count=assignment.count,
            mode=assignment.mode,
            views=assignment.views,
            feedback=assignment.feedback,
            may_stop=assignment.may_stop,
            step=state.step,
            instructions=instructions,
            told=[shown(turn) for turn in told],
        )
        self.tell(state)

    def _ping(self, now: float) -> None:
        """Ask for an answer when no picture is on the way; until then none is sent."""
        if self._pacer.unseen == 0:
            self._pings += 1
            self._way_begins = self._pinged = now
            self.say("ping", ping=self._pings)


def shown(told: Told) -> dict[str, Any]:
    """A turn of the scripts' mode as the page gets it, its pictures as data URLs."""
    pictures = ["data:image/png;base64," + base64.b64encode(p.png).decode() for p in told.pictures]
    return {**told._asdict(), "pictures": pictures}


def ending(begun: Begun, recording: Recording) -> dict[str, Any]:
    """How a trial ended, in words for the person; only that it is over where no feedback is given."""
    if not begun.assignment.feedback:
        return {"passed": None, "words": "", "reward": None, "steps": recording.steps}
    outcome = recording.outcome
    words = _WORDS.get(outcome, "The task is over.") if outcome else ""
    if outcome is Outcome.GOAL and recording.passed is False:
        words = "You reached a ball, but not enough reward."
    return {
        "passed": recording.passed,
        "words": words,
        "reward": round(recording.total_reward, 3),
        "pass_mark": begun.assignment.task.spec.pass_mark,
        "steps": recording.steps,
    }
