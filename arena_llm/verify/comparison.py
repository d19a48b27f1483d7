"""The turns of a log beside their replay."""

from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from pydantic_core import to_jsonable_python

from arena import Episode, Event
from arena_llm.replay import Replay
from arena_llm.verify.kept import Kept
from arena_llm.verify.pictures import Pictures
from arena_llm.verify.replies import reply_findings
from arena_llm.verify.report import Finding
from llm_control.play import SAFETY_STEPS
from llm_control.protocol import Protocol

_SHOWN = -1
"""In place of a turn's number: a picture before the first reply."""


class Moment(NamedTuple):
    """Something to do after so many steps: a picture, or the end of a turn.

    `turn` counts from 1; 0 is the start of the first.
    """

    steps: int
    turn: int


class Comparison:
    """One episode's log and its replay.

    `scripted` says that the replies' texts are the scripts that were played; `drawn` compares pictures, None
    for none.
    """

    def __init__(
        self, kept: Kept, replay: Replay, protocol: Protocol, drawn: Pictures | None, scripted: bool
    ) -> None:
        self._kept, self._replay, self._protocol = kept, replay, protocol
        self._drawn, self._scripted = drawn, scripted
        self._actions = kept.recording.unpacked()
        self._events: list[Event] = []
        self._reward, self._steps = 0.0, 0
        self._findings: list[Finding] = []

    def run(self) -> list[Finding]:
        """Play to the end and return what differs; afterwards the replay is at its end."""
        todo = list(reversed(self._moments()))
        for episode in self._replay.play():
            self._events += self._replay.happened
            while todo and todo[-1].steps <= episode.steps:
                self._compare(todo.pop().turn, episode)
        for moment in reversed(todo):
            self._too_early(moment)
        self._check_messages()
        if self._drawn:
            self._drawn.end()
            self._findings += self._drawn.findings
        return self._findings

    def _moments(self) -> list[Moment]:
        """What there is to compare, in the order of time."""
        groups = self._protocol.initial_idle_steps
        shown = [Moment(steps, _SHOWN) for steps in accumulate(groups[:-1])]
        start = Moment(sum(groups), 0)
        lengths = [int(turn["steps"]) for turn in self._kept.turns]
        ends = [Moment(steps, turn) for turn, steps in enumerate(accumulate(lengths, initial=start.steps))]
        return [*(shown or [start._replace(turn=_SHOWN)]), *ends] if self._kept.turns else shown

    def _compare(self, turn: int, episode: Episode) -> None:
        if turn == _SHOWN:
            self._draw(1, episode)
            return
        if turn:
            self._compare_turn(turn, episode)
        self._events, self._reward, self._steps = [], episode.total_reward, episode.steps

    def _draw(self, turn: int, episode: Episode) -> None:
        if self._drawn:
            self._drawn.draw(turn, episode)

    def _compare_turn(self, number: int, episode: Episode) -> None:
        turn = self._kept.turns[number - 1]
        if turn["outcome"] == "stopped" and episode.steps >= SAFETY_STEPS:
            episode.stop()
        for name, value in self._state(number, episode).items():
            if not same(turn.get(name), value):
                self._findings.append(Finding(number, name, turn.get(name), value))
        if self._scripted:
            played = self._actions[self._steps : episode.steps]
            self._findings += reply_findings(turn, number, played, self._protocol.strict)
        if number < len(self._kept.turns):
            # What the last reply led to is shown to nobody.
            self._draw(number + 1, episode)

    def _state(self, number: int, episode: Episode) -> dict[str, object]:
        """What a turn's log must be, apart from what its reply decides; plain values as in JSON."""
        state: dict[str, object] = to_jsonable_python(
            {
                "turn": number,
                "steps": episode.steps - self._steps,
                "health": episode.health,
                "reward": episode.total_reward - self._reward,
                "total_reward": episode.total_reward,
                "position": episode.position,
                "yaw": episode.yaw,
                "speed": episode.speed,
                "events": self._events,
                "lights": episode.lights_on,
                "done": episode.done,
                "outcome": episode.outcome,
            }
        )
        return state

    def _too_early(self, moment: Moment) -> None:
        """Something was logged for a time after the replay's end; only pictures may be."""
        if moment.turn == _SHOWN:
            self._draw(1, self._replay.episode)
        elif moment.turn:
            end = f"over after step {self._replay.episode.steps}"
            self._findings.append(Finding(moment.turn, "steps", f"lasts until step {moment.steps}", end))

    def _check_messages(self) -> None:
        """Whether each turn's reply is the model's message; a demonstration's messages come before."""
        if not self._scripted:
            return
        said = self._kept.replies[-len(self._kept.turns) :] if self._kept.turns else ()
        for number, (turn, text) in enumerate(self._paired(said), start=1):
            if turn != text:
                self._findings.append(Finding(number, "reply", turn, text))

    def _paired(self, said: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        missing = len(self._kept.turns) - len(said)
        replies = [str(turn["reply"]) for turn in self._kept.turns]
        return zip(replies, ("no message",) * missing + said, strict=True)


def same(logged: object, replayed: object) -> bool:
    """Equal to the bit; two NaN are."""
    return logged == replayed or (logged != logged and replayed != replayed)
