"""A real server in a separate process, and a participant without a browser."""

import json
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from human_data.people.play.page_protocol import PROTOCOL, read_frame
from human_data.people.play.security import COOKIE
from human_data.people.store import Store

TIMEOUT_S = 240


class Server:
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

    def newcomer(self) -> str:
        """The token of a new participant."""
        return httpx.get(self.url + "/").cookies[COOKIE]

    def store(self) -> Store:
        return Store(self.database)


BUSY = ("stall", "connection")
"""Why a game pauses on a busy machine."""


class Page:
    """Speaks the page's protocol; `trial` is the last that the server sent.

    A game that pauses because the machine is busy is continued, unless `patient` is False.
    """

    patient = True

    def __init__(
        self, server: Server, token: str | None, *, origin: str | None = None, hello: bool = True
    ) -> None:
        address = server.url.replace("http", "ws", 1) + "/play/socket"
        headers = {"Cookie": f"{COOKIE}={token}"} if token else {}
        self._opened = connect(
            address,
            origin=origin or server.url,
            additional_headers=headers,
            proxy=None,
            open_timeout=TIMEOUT_S,
        )
        self.socket = self._opened.__enter__()
        self.count, self.trial, self.state = 0, {}, {}
        if hello:
            self.say("hello", protocol=PROTOCOL)

    def say(self, kind: str, **values) -> None:
        self.count += 1
        # The next `hear` says why it was closed.
        with suppress(ConnectionClosed):
            self.socket.send(json.dumps({"type": kind, "n": self.count, **values}))

    def do(self, kind: str, **values) -> None:
        self.say(kind, trial=self.trial["trial"], **values)

    def recv(self):
        """The next message, or frame, without an answer."""
        data = self.socket.recv(timeout=TIMEOUT_S)
        if isinstance(data, bytes):
            number, drawn = read_frame(data)
            return {"type": "frame", "number": number, "frame": drawn}
        message = json.loads(data)
        if message["type"] == "trial":
            self.trial = message
        if message["type"] == "state":
            self.state = message
        if message["type"] == "paused" and message["reason"] in BUSY and self.patient:
            self.do("start")
        return message

    def hear(self):
        """The next message, or frame; frames are acknowledged and pings answered."""
        message = self.recv()
        if message["type"] == "frame":
            self.say("ack", frame=message["number"])
        if message["type"] == "ping":
            self.say("pong", ping=message["ping"])
        return message

    def until(self, kind: str, **values):
        """The next message of this type and with these values."""
        while True:
            message = self.hear()
            if message["type"] == kind and all(message.get(key) == value for key, value in values.items()):
                return message

    def steps(self, least: int) -> None:
        """Listen until this number of steps is reached."""
        while self.state.get("step", 0) < least:
            self.hear()

    def refusal(self) -> tuple[int, str]:
        """Listen to the end: the close code and the reason."""
        try:
            while True:
                self.hear()
        except ConnectionClosed as closed:
            return closed.rcvd.code, closed.rcvd.reason

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self._opened.__exit__(None, None, None)
