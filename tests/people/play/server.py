"""A real server in a separate process, and a participant without a browser."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from arena.closing import Closing
from people.play.security import COOKIE
from people.play.task_source import Assignment
from people.simulation.visitor import GamePage
from people.store import Store

TIMEOUT_S = 240


class Server(Closing):
    def __init__(self, database: Path | str, *options: str, port: int = 0, env: dict | None = None) -> None:
        self.database = str(database)
        command = [sys.executable, "-m", "arena_llm", "play", *options, "--no-open"]
        command += [] if "--suite" in options else ["--workers", "1"]
        command += ["--port", str(port), "--db", self.database]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
        line = self.process.stdout.readline()
        self.url = re.search(r"http\S+", line)[0].rstrip("/")
        self.port = int(self.url.rpartition(":")[2])

    def stop(self, sign: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(sign)
        self.process.wait(TIMEOUT_S)
        self.process.stdout.close()

    close = stop

    def newcomer(self) -> str:
        """The token of a new participant."""
        return httpx.get(self.url + "/").cookies[COOKIE]

    def store(self) -> Store:
        return Store(self.database)

    def notes(self, token: str, kind: str) -> list[dict]:
        """The data of a participant's notes of a kind."""
        with self.store() as store:
            return [note.data for note in store.notes(store.participant(token).id) if note.kind == kind]


class Page(GamePage):
    """The page of a participant of a server."""

    def __init__(self, server, token: str | None, *, origin: str | None = None, hello: bool = True) -> None:
        super().__init__(server.url, token, origin=origin, hello=hello, timeout_s=TIMEOUT_S)

    def drive(self, steps: int, action: int = 4) -> dict:
        """Begin the task that comes, and drive for some steps; the server's description of it."""
        trial = self.until("trial")
        self.do("start")
        self.do("keys", action=action)
        self.steps(trial["step"] + steps)
        return trial

    def steps(self, least: int) -> None:
        """Listen until this number of steps is reached."""
        while self.state.get("step", 0) < least:
            self.hear()

    def refusal(self) -> tuple[int, str]:
        """Listen to the end: the close code and the reason."""
        with pytest.raises(ConnectionClosed) as closed:
            self.until()
        return closed.value.rcvd.code, closed.value.rcvd.reason

    def finish(self) -> dict:
        """Stop the task, and continue with what comes next; the server's description of the end."""
        self.do("stop")
        end = self.until("end")
        # What comes next begins when the end is in the database.
        self.do("next")
        self.until("trial", "over")
        return end


class Assignments:
    """A task source that assigns these, one after another."""

    def __init__(self, *assignments: Assignment) -> None:
        self._assignments = assignments

    def next_task(self, store, participant, kind):
        done = len(store.trials(participant.id))
        return self._assignments[done] if done < len(self._assignments) else None

    def resumed(self, store, participant, trial, kind):
        return None

    def finished(self, store, participant):
        return None

    def next_page(self, participant):
        return None
