"""Browser-free visitor of a study's pages, and player by websocket."""

import json
from contextlib import suppress
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from arena.closing import Closing
from people.play.page_protocol import PROTOCOL, read_frame
from people.play.security import COOKIE

TIMEOUT_S = 240.0
"""Timeout of a page, seconds. A server that starts on a busy machine takes its time."""


@dataclass
class Form:
    """A form: address, hidden fields, visible fields and button. Visible fields have their contents; the
    button is the primary one, if it has a name."""

    action: str
    hidden: dict[str, str] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)
    button: dict[str, str] = field(default_factory=dict)


class _Forms(HTMLParser):
    """All forms of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name = given.get("name", "")
        if tag == "form":
            self.forms.append(Form(given.get("action", "")))
            self._open = True
        elif self._open and name:
            self._add(self.forms[-1], tag, name, given)

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag != "form"

    def _add(self, form: Form, tag: str, name: str, given: dict[str, str]) -> None:
        value = given.get("value", "")
        if tag == "button":
            form.button |= {name: value} if "primary" in given.get("class", "") else {}
        elif given.get("type") == "hidden":
            form.hidden[name] = value
        elif tag in ("input", "textarea", "select"):
            form.asked.setdefault(name, "" if given.get("type") in ("radio", "checkbox") else value)


def forms_of(page: str) -> list[Form]:
    """Return the forms of an HTML page."""
    parser = _Forms()
    parser.feed(page)
    return parser.forms


def hidden(page: str) -> dict[str, str]:
    """Return the hidden fields of a page's forms."""
    return {name: value for form in forms_of(page) for name, value in form.hidden.items()}


class Visitor:
    """`client` keeps the cookies; `page` is the last that was shown."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.page: httpx.Response

    @property
    def token(self) -> str:
        """The secret that identifies the participant."""
        return self.client.cookies[COOKIE]

    @property
    def stage(self) -> str:
        """Name of the displayed stage, "" if it has none."""
        return hidden(self.page.text).get("stage", "")

    @property
    def at_a_task(self) -> bool:
        """True if the study has led to a game. It may be of the arena or of another suite."""
        return self.page.url.path in ("/play", "/suite")

    def open(self, address: str = "/") -> httpx.Response:
        """Open an address, and follow to where it leads."""
        self.page = self.client.get(address, follow_redirects=True)
        return self.page

    def send(self, address: str, **fields: str | list[str]) -> httpx.Response:
        """Send the page's form with these answers, and follow the redirect."""
        data = hidden(self.page.text) | fields
        self.page = self.client.post(address, data=data, follow_redirects=True)
        return self.page


def client_at(url: str) -> httpx.Client:
    """Return a browser-like client. It keeps cookies and sends forms like this server's pages."""
    return httpx.Client(base_url=url, headers={"origin": url}, timeout=TIMEOUT_S)


BUSY = ("stall", "connection", "worker")
"""Reasons for pauses on a busy machine."""

DISPLAY = {"viewport": [1280, 800], "pixel_ratio": 1.5, "picture": 600, "input": "keys"}
"""Page's report about itself at the start of a game."""

Received = dict[str, Any]
"""A message as the server sent it. A frame has the `type` frame, its `number` and the `frame`, a `Drawn`."""


class GamePage(Closing):
    """A connection of the participant with this token. `trial` and `state` are the last that were received.

    `url` is the server's, without a slash at its end. A game that pauses because the machine is busy is
    continued, unless `patient` is False.
    """

    patient = True

    def __init__(
        self, url: str, token: str | None, *, origin: str | None = None, hello: bool = True,
        timeout_s: float = 60.0,
    ) -> None:  # fmt: skip
        self.timeout_s = timeout_s
        self._opened = connect(
            url.replace("http", "ws", 1) + "/play/socket",
            origin=Origin(origin or url),
            additional_headers={"Cookie": f"{COOKIE}={token}"} if token else {},
            proxy=None,
            open_timeout=timeout_s,
        )
        self.socket = self._opened.__enter__()
        self.count = 0
        self.trial: Received = {}
        self.state: Received = {}
        if hello:
            self.say("hello", protocol=PROTOCOL)

    def say(self, kind: str, **values: Any) -> None:
        """Send a message. If the connection is closed, the next `hear` says why."""
        self.count += 1
        with suppress(ConnectionClosed):
            self.socket.send(json.dumps({"type": kind, "n": self.count, **values}))

    def do(self, kind: str, **values: Any) -> None:
        """Send a message about the present trial."""
        display = DISPLAY if kind == "start" else {}
        self.say(kind, trial=self.trial["trial"], **display, **values)

    def recv(self) -> Received:
        """Return the next message, or frame, without an answer. Raises ConnectionClosed, TimeoutError."""
        data = self.socket.recv(timeout=self.timeout_s)
        if isinstance(data, bytes):
            number, drawn = read_frame(data)
            return {"type": "frame", "number": number, "frame": drawn}
        message: Received = json.loads(data)
        if message["type"] == "trial":
            self.trial = message
        if message["type"] == "state":
            self.state = message
        if message["type"] == "paused" and message["reason"] in BUSY and self.patient:
            self.do("start")
        return message

    def hear(self) -> Received:
        """Return the next message, or frame; frames are acknowledged and pings answered."""
        message = self.recv()
        if message["type"] == "frame":
            self.say("ack", frame=message["number"])
        if message["type"] == "ping":
            self.say("pong", ping=message["ping"])
        return message

    def until(self, *kinds: str, **values: Any) -> Received:
        """The next message of one of these types and with these values."""
        while True:
            message = self.hear()
            if message["type"] in kinds and all(message.get(key) == value for key, value in values.items()):
                return message

    def close(self) -> None:
        """Close the connection."""
        self._opened.__exit__(None, None, None)
