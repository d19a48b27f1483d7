"""Simulated participants in a study whose server is killed now and then."""

import random
import signal
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import httpx
import psutil
from websockets.exceptions import ConnectionClosed

from people.simulation.simulate import SimulatedParticipant, questionnaire_of
from people.simulation.visitor import Form, GamePage, Received, Visitor, client_at
from people.study.config import Study
from tests.people.agreement import LEFT, REFUSED, Diary, Play
from tests.people.study.server import StudyServer

STUDY = Path(__file__).with_suffix(".yaml")

INTERVAL_S = 20.0
"""A killed process has to start again in less on a busy machine, or nobody gets any further."""

PATIENCE_S = 600.0
"""A participant who gets no further for so long has found a fault."""

RETRY_S = 0.3
LOST = (httpx.TransportError, ConnectionClosed, OSError, TimeoutError)
ACTIONS = (1, 3, 4, 5)
"""What is held in a task: turning, driving, or both (indices into `arena.ACTIONS`)."""


@dataclass(frozen=True)
class Script:
    """What a participant does besides: refuse; leave before a stage, or in a task of the test; disconnect in
    each task; stop each task."""

    refuse: bool = False
    leave_before: str = ""
    leave_in: int | None = None
    disconnect: bool = False
    stop: bool = False


SCRIPTS = (
    *(Script(), Script(disconnect=True), Script(refuse=True), Script(stop=True), Script()),
    *(Script(leave_in=1), Script(disconnect=True, stop=True), Script(leave_before="break-1")),
    *(Script(disconnect=True), Script(leave_before="questions-afterwards")),
)
"""Of the participants in turn; most complete the study."""


class ScriptedParticipant(SimulatedParticipant):
    """Goes through a study by a script, also if the server is killed and restarted.

    `steady` is held while something is sent that would count twice if it were repeated.
    """

    journey: Diary

    def __init__(self, study: Study, url: str, number: int, script: Script, steady: threading.Lock) -> None:
        super().__init__(lambda token: study, url, f"{number}", PATIENCE_S)
        self.journey = Diary(code=f"person-{number:02d}", group=f"g{number % 3}")
        self._study, self._script, self._steady = study, script, steady
        self._disconnected: set[int] = set()

    def run(self, address: str = "") -> Diary:
        """Go through the study; returns the diary. Raises RuntimeError if that leads nowhere."""
        people = self._study.participants
        link = urlencode({people.id: self.journey.code, people.keep[0]: self.journey.group})
        with client_at(self.url) as client:
            client.event_hooks["response"].append(self._heard)
            visitor = Visitor(client)
            self._again(lambda: visitor.open(f"{address}/?{link}"))
            while self._goes_on():
                self._check(visitor)
                try:
                    if not self._continue(visitor):
                        return self.journey
                except LOST:
                    time.sleep(RETRY_S)
                    self._again(visitor.open)
        raise RuntimeError(f"{self.journey.code} got stuck at {visitor.stage or visitor.page.url}")

    def _heard(self, response: httpx.Response) -> None:
        """Note what the page of a suite says was entered, by trial and turn."""
        if response.request.url.path.startswith("/suite/") and response.status_code == 200:
            response.read()
            state = response.json()
            for turn, shown in enumerate(state.get("turns", ()), start=state.get("known", 0)):
                turns = self.journey.entered.setdefault(state["trial"], {})
                turns.setdefault(turn, set()).add(shown["said"])

    def _again(self, call: Callable[[], object]) -> None:
        while True:
            try:
                call()
                return
            except httpx.TransportError:
                if not self._goes_on():
                    raise
                time.sleep(RETRY_S)

    def _continue(self, visitor: Visitor) -> bool:
        if self._script.refuse:
            with self._steady:
                visitor.send("/consent", answer="refuse")
            self.journey.ending = REFUSED
            return False
        if visitor.stage and visitor.stage == self._script.leave_before:
            self._leave(visitor)
            return False
        if "You have left the study" in visitor.page.text:
            self.journey.ending = LEFT
            return False
        return super()._continue(visitor)

    def _fill_in(self, visitor: Visitor, form: Form) -> None:
        # What is sent again after a kill is the same.
        self._source = random.Random(f"{self.journey.code} {visitor.stage}")
        if (page := questionnaire_of(self._study, visitor.stage)) is not None:
            name = visitor.stage.removeprefix("questions-")
            for item in page.items:
                self.journey.answers.setdefault((name, item.id), "")
        super()._fill_in(visitor, form)

    def _leave(self, visitor: Visitor) -> None:
        visitor.send("/withdraw")
        self.journey.ending = LEFT

    def _play(self, visitor: Visitor) -> None:
        if visitor.page.url.path == "/suite":
            super()._play(visitor)
            return
        with GamePage(self.url, visitor.token, timeout_s=20.0) as page:
            message = page.until("trial", "over")
            while message["type"] == "trial":
                play = self.journey.plays.setdefault(
                    message["trial"], Play(message["position"], self._source.choice(ACTIONS))
                )
                page.do("start")
                while (message := page.hear())["type"] != "end":
                    self._act(visitor, page, play, message)
                    if self.journey.ending == LEFT:
                        return
                play.steps, play.text = message["steps"], message["text"]
                page.do("next")
                message = page.until("trial", "over")

    def _act(self, visitor: Visitor, page: GamePage, play: Play, message: Received) -> None:
        """What the participant does after a message in a trial."""
        if message["type"] == "failed":
            raise RuntimeError(f"{self.journey.code}: {message['reason']}")
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


class KilledServer:
    """A server of a study that is killed and started again on its port."""

    def __init__(self, folder: Path, workers: int, text: str) -> None:
        self._begin = partial(StudyServer, folder, text, workers=workers)
        self.server = self._begin()
        self.kills = 0

    def kill(self) -> None:
        """Kill the server with -9, and start it again on its port."""
        self.server.stop(signal.SIGKILL)
        self.kills += 1
        self.server = self._begin(port=self.server.port)

    def kill_worker(self) -> None:
        """Kill one of the worker processes with -9."""
        for child in psutil.Process(self.server.process.pid).children():
            with suppress(psutil.Error):
                if any("spawn_main" in word for word in child.cmdline()):
                    child.kill()
                    return

    def kill_now_and_then(self, steady: threading.Lock, done: threading.Event) -> None:
        """Kill a worker after every `INTERVAL_S`, and instead of every third one the server."""
        for number in range(1, 1000):
            if done.wait(INTERVAL_S):
                return
            if number % 3:
                self.kill_worker()
            else:
                with steady:
                    self.kill()


def played(
    study: Study, url: str, scripts: Sequence[Script], at_once: int, steady: threading.Lock
) -> list[Diary]:
    """The diaries of participants with these scripts, of whom a number are there concurrently."""
    people = [ScriptedParticipant(study, url, number, each, steady) for number, each in enumerate(scripts)]
    with ThreadPoolExecutor(at_once) as threads:
        return list(threads.map(lambda person: person.run(), people))


def survived(server: KilledServer, study: Study, scripts: Sequence[Script], at_once: int) -> list[Diary]:
    """As `played`, while the server is killed now and then."""
    steady, done = threading.Lock(), threading.Event()
    killer = threading.Thread(target=server.kill_now_and_then, args=(steady, done))
    killer.start()
    try:
        return played(study, server.server.url, scripts, at_once, steady)
    finally:
        done.set()
        killer.join()
