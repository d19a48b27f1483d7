"""The turns of a log beside their replay."""

from itertools import accumulate
from typing import NamedTuple

from pydantic_core import to_jsonable_python

from arena import Episode, Event
from arena.replay import Replay
from arena.rules import SAFETY_STEPS
from arena_llm.verify.kept import Kept
from arena_llm.verify.pictures import Pictures
from arena_llm.verify.replies import reply_findings
from arena_llm.verify.report import Finding
from llm_control.observations import picture_steps, words
from llm_control.play import ModelEnd
from llm_control.protocol import Protocol


class Moment(NamedTuple):
    """Something to do after so many steps: a picture before a turn's reply, or the end of a turn.

    `turn` counts from 1; 0 is the start of the first.
    """

    steps: int
    turn: int
    picture: bool = False


class Comparison:
    """One episode's log and its replay.

    `scripted` says that replies are in the log as they were played; `drawn` compares pictures, None for none.
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
        for now in self._replay.moments():
            self._events += now.events
            while todo and todo[-1].steps <= now.step:
                self._compare(todo.pop(), now.episode)
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
        at = sum(groups)
        first = [Moment(steps, 1, picture=True) for steps in accumulate(groups[:-1])]
        found = [*(first or [Moment(at, 1, picture=True)]), Moment(at, 0)]
        for number, turn in enumerate(self._kept.turns, start=1):
            steps, shown = int(turn["steps"]), self._is_answered(number)
            along = picture_steps(self._protocol, steps) if shown else ()
            found += [Moment(at + k, number + 1, picture=True) for k in range(1, steps) if k in along]
            at += steps
            found += [Moment(at, number), *([Moment(at, number + 1, picture=True)] if shown else [])]
        return found

    def _is_answered(self, number: int) -> bool:
        """Whether a turn was followed by a view: what the model's last reply led to is shown to nobody."""
        return number < len(self._kept.turns) or self._kept.model_end == ModelEnd.SOLVER

    def _compare(self, moment: Moment, episode: Episode) -> None:
        turn = moment.turn
        if moment.picture:
            self._draw(turn, episode)
            return
        if turn:
            self._compare_turn(turn, episode)
        if turn == 0 or self._is_answered(turn):
            self._compare_words(turn + 1, episode)
        self._events, self._reward, self._steps = [], episode.total_reward, episode.steps

    def _compare_words(self, turn: int, episode: Episode) -> None:
        """Whether what was told before a turn has the view in words, where the protocol has them."""
        expected, talk = words(self._protocol, episode.scene()), self._kept.talk
        if expected is None or talk is None:
            return
        said = talk.exchanges[turn - 1].told if turn <= len(talk.exchanges) else talk.told_last
        if expected not in said:
            self._findings.append(Finding(turn, "view in words", said, expected))

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
        if self._scripted and not self._protocol.acts:
            played = self._actions[self._steps : episode.steps]
            self._findings += reply_findings(turn, number, played, self._protocol)

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
        if moment.picture:
            self._draw(moment.turn, self._replay.episode)
        elif moment.turn:
            end = f"over after step {self._replay.episode.steps}"
            self._findings.append(Finding(moment.turn, "steps", f"lasts until step {moment.steps}", end))

    def _check_messages(self) -> None:
        """Whether each turn's reply is the model's message, or its call of a tool."""
        if not self._scripted or self._kept.talk is None:
            return
        said = zip(self._kept.turns, self._kept.talk.exchanges, strict=True)
        for number, (turn, exchange) in enumerate(said, start=1):
            if turn["reply"] != exchange.reply:
                self._findings.append(Finding(number, "reply", turn["reply"], exchange.reply))


def same(logged: object, replayed: object) -> bool:
    """Equal to the bit; two NaN are."""
    return logged == replayed or (logged != logged and replayed != replayed)
