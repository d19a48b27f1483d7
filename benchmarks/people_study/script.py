"""Scripted participants, who keep a diary of what they did and of what their page was sent."""

import random
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlencode

import httpx
from websockets.exceptions import ConnectionClosed

from people.simulation.answers import fields, questionnaire_of, random_answers
from people.simulation.game_page import GamePage, Received
from people.simulation.visitor import Visitor, client_at, forms_of
from people.study.config import Study

PATIENCE_S = 600.0
"""A participant who gets no further for so long has found a fault."""

RETRY_S = 0.3
LOST = (httpx.TransportError, ConnectionClosed, OSError, TimeoutError)
ACTIONS = (1, 3, 4, 5)
"""What is held in a task: turning, driving, or both (indices into `arena.ACTIONS`)."""


@dataclass
class Play:
    """A trial: the action that was held, the last step that the page saw, and its end, if the page got it."""

    position: int
    held: int
    seen: int = 0
    steps: int | None = None
    text: str | None = None
    stopped: bool = False


@dataclass
class Diary:
    """All of a participant: answers by page and item, "" for those left out, and trials by their ids."""

    code: str
    group: str
    agreed: bool = False
    left: bool = False
    completed: bool = False
    answers: dict[tuple[str, str], str] = field(default_factory=dict)
    plays: dict[int, Play] = field(default_factory=dict)


@dataclass(frozen=True)
class Script:
    """What a participant does besides: refuse; leave before a stage, or in a task of the test; disconnect in
    each task; stop each task.
    """

    refuse: bool = False
    leave_before: str = ""
    leave_in: int | None = None
    disconnect: bool = False
    stop: bool = False


def scripts(count: int) -> list[Script]:
    """For a number of participants: some of every kind, most of whom complete the study."""
    kinds = (
        *(Script(), Script(disconnect=True), Script(refuse=True), Script(stop=True), Script()),
        *(Script(leave_in=1), Script(disconnect=True, stop=True), Script(leave_before="break-1")),
        *(Script(disconnect=True), Script(leave_before="questions-afterwards")),
    )
    return [kinds[number % len(kinds)] for number in range(count)]


class ScriptedParticipant:
    """Goes through a study by a script, also if the server is killed and restarted.

    `steady` is held while something is sent that would count twice if it were repeated.
    """

    def __init__(self, study: Study, url: str, number: int, script: Script, steady: threading.Lock) -> None:
        self._study, self._url, self._script, self._steady = study, url, script, steady
        self._source = random.Random(number)
        self._given: dict[str, dict[str, str]] = {}
        self._disconnected: set[int] = set()
        self.diary = Diary(f"person-{number:02d}", f"g{number % 3}")

    def run(self) -> Diary:
        """Go through the study; returns the diary. Raises RuntimeError if that leads nowhere."""
        people = self._study.participants
        link = {people.id: self.diary.code, people.keep[0]: self.diary.group}
        end = time.monotonic() + PATIENCE_S
        with client_at(self._url) as client:
            visitor = Visitor(client)
            self._again(lambda: visitor.open(f"/?{urlencode(link)}"))
            while time.monotonic() < end:
                try:
                    if not self._continue(visitor):
                        return self.diary
                except LOST:
                    time.sleep(RETRY_S)
                    self._again(visitor.open)
        raise RuntimeError(f"{self.diary.code} got stuck at {visitor.stage or visitor.page.url}")

    def _again(self, call: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                call()
                return
            except httpx.TransportError:
                if time.monotonic() > end:
                    raise
                time.sleep(RETRY_S)

    def _continue(self, visitor: Visitor) -> bool:
        """One page, or the tasks up to the next one; False at the end."""
        if self._script.refuse:
            with self._steady:
                visitor.send("/consent", answer="refuse")
            return False
        if visitor.stage and visitor.stage == self._script.leave_before:
            return self._leave(visitor)
        if visitor.at_a_task:
            self._play(visitor)
            visitor.open()
        elif "/withdraw" not in visitor.page.text and "/consent" not in visitor.page.text:
            self.diary.left = "You have left the study" in visitor.page.text
            self.diary.completed = not self.diary.left
            return False
        else:
            self._fill_in(visitor)
        return True

    def _fill_in(self, visitor: Visitor) -> None:
        stage, form = visitor.stage, forms_of(visitor.page.text)[0]
        if (page := questionnaire_of(self._study, stage)) is not None:
            if stage not in self._given:
                self._given[stage] = random_answers(page.items, self._source)
            name = stage.removeprefix("questions-")
            for item in page.items:
                self.diary.answers[name, item.id] = self._given[stage].get(item.id, "")
        elif form.action == "/consent":
            self.diary.agreed = True
        given = {} if page is None else fields(page, self._given[stage])
        status = visitor.send(form.action, **{**form.asked, **form.button, **given}).status_code
        if status >= 400:
            raise RuntimeError(f"{self.diary.code}: {stage or form.action} was refused with status {status}")

    def _leave(self, visitor: Visitor) -> bool:
        visitor.send("/withdraw")
        self.diary.left = True
        return False

    def _play(self, visitor: Visitor) -> None:
        with GamePage(self._url, visitor.token, timeout_s=20.0) as page:
            message = page.until("trial", "over")
            while message["type"] == "trial":
                play = self.diary.plays.setdefault(
                    message["trial"], Play(message["position"], self._source.choice(ACTIONS))
                )
                page.do("start")
                while (message := page.hear())["type"] != "end":
                    self._act(visitor, page, play, message)
                    if self.diary.left:
                        return
                play.steps, play.text = message["steps"], message["text"]
                page.do("next")
                message = page.until("trial", "over")

    def _act(self, visitor: Visitor, page: GamePage, play: Play, message: Received) -> None:
        """What the participant does after a message in a trial."""
        if message["type"] == "failed":
            raise RuntimeError(f"{self.diary.code}: {message['reason']}")
        if message["type"] == "running":
            page.do("keys", action=play.held)
        if message["type"] != "state":
            return
        play.seen = max(play.seen, message["step"])
        trial = page.trial["trial"]
        if play.seen < 12:
            return
        if self._script.disconnect and trial not in self._disconnected:
            self._disconnected.add(trial)
            with suppress(OSError):
                page.socket.socket.shutdown(socket.SHUT_RDWR)
        elif self._script.leave_in == play.position:
            self._leave(visitor)
        elif self._script.stop and not play.stopped:
            play.stopped = True
            page.do("stop")
