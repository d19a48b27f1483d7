"""One websocket: messages to the page are queued, so a slow connection does not delay others."""

import asyncio
import json
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from people.play.page_protocol import POLICY, UNSUPPORTED, ConnectionRefused, Message, read_message

MAX_RATE = 100.0
"""Messages per second from a page, on average over some seconds: 17 acknowledgements, and keys."""

BURST = 300
"""Messages that may arrive at once, as after an interruption of the network."""


BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
SYSTEMS = {"Android": "Android", "iPhone": "iOS", "iPad": "iOS", "Windows": "Windows", "Mac OS X": "macOS"}
SYSTEMS |= {"CrOS": "ChromeOS", "Linux": "Linux"}
"""What a browser calls itself, and its name; the first that fits counts, as some list their ancestors too."""


class Connection:
    """The connection to one page."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._queue: asyncio.Queue[str | bytes | ConnectionRefused] = asyncio.Queue()
        self._count = 0
        self._allowance = float(BURST)
        self._last_at = asyncio.get_running_loop().time()
        self.sent_bytes = 0

    @property
    def device(self) -> str:
        """Browser and system, such as "Firefox, Windows", as far as the browser says; not the version."""
        agent = self._socket.headers.get("user-agent", "")
        found = (next((names[key] for key in names if key in agent), "?") for names in (BROWSERS, SYSTEMS))
        return ", ".join(found)

    def send(self, kind: str, **values: Any) -> None:
        """Queue a message of this type."""
        self._queue.put_nowait(json.dumps({"type": kind, **values}, separators=(",", ":")))

    def send_bytes(self, data: bytes) -> None:
        """Queue a frame."""
        self._queue.put_nowait(data)

    def end(self, code: int, reason: str) -> None:
        """Close the connection once the queue is sent."""
        self._queue.put_nowait(ConnectionRefused(code, reason))

    async def run_sender(self) -> None:
        """Send what is queued until the connection is closed."""
        with suppress(WebSocketDisconnect, RuntimeError, OSError):
            while True:
                item = await self._queue.get()
                if isinstance(item, ConnectionRefused):
                    await self.close(item)
                    return
                self.sent_bytes += len(item)
                await (
                    self._socket.send_bytes(item) if isinstance(item, bytes) else self._socket.send_text(item)
                )

    async def close(self, reason: ConnectionRefused) -> None:
        """Close the connection now."""
        if self._socket.application_state is not WebSocketState.DISCONNECTED:
            with suppress(RuntimeError, OSError, WebSocketDisconnect):
                await self._socket.close(reason.code, reason.reason)

    async def receive(self) -> Message:
        """The next message. Raises ConnectionRefused if it is not valid, WebSocketDisconnect at the end."""
        event = await self._socket.receive()
        if event["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(event.get("code", 1005))
        text = event.get("text")
        if text is None:
            raise ConnectionRefused(UNSUPPORTED, "binary message; expected JSON text")
        self._check_rate()
        message = read_message(text)
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
