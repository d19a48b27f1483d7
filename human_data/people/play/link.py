"""One websocket: what is sent goes into a queue, so that a slow connection holds nobody up."""

import asyncio
import json
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from human_data.people.play.messages import POLICY, UNSUPPORTED, Message, Refused, read_message

MOST_PER_S = 100.0
"""Messages per second from a page, on average over some seconds: 17 acknowledgements, and keys."""

BURST = 300
"""Messages that may come at once, as after a hold-up of the network."""


class Link:
    """The connection to one page."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._queue: asyncio.Queue[str | bytes | Refused] = asyncio.Queue()
        self._count = 0
        self._allowance = float(BURST)
        self._heard = asyncio.get_running_loop().time()
        self.sent_bytes = 0

    def send(self, kind: str, **values: Any) -> None:
        """Queue a message of this type."""
        self._queue.put_nowait(json.dumps({"type": kind, **values}, separators=(",", ":")))

    def send_bytes(self, data: bytes) -> None:
        """Queue a frame."""
        self._queue.put_nowait(data)

    def end(self, reason: Refused) -> None:
        """Close the connection after what is in the queue."""
        self._queue.put_nowait(reason)

    async def run_sender(self) -> None:
        """Send what is queued until the connection is closed."""
        with suppress(WebSocketDisconnect, RuntimeError, OSError):
            while True:
                match await self._queue.get():
                    case Refused() as end:
                        await self.close(end)
                        return
                    case bytes() as data:
                        self.sent_bytes += len(data)
                        await self._socket.send_bytes(data)
                    case text:
                        self.sent_bytes += len(text)
                        await self._socket.send_text(text)

    async def close(self, reason: Refused) -> None:
        """Close the connection now, with the reason in words."""
        if self._socket.application_state is not WebSocketState.DISCONNECTED:
            with suppress(RuntimeError, OSError, WebSocketDisconnect):
                await self._socket.close(reason.code, reason.reason)

    async def receive(self) -> Message:
        """The next message. Raises Refused for what is none, and WebSocketDisconnect at the end."""
        event = await self._socket.receive()
        if event["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(event.get("code", 1005))
        text = event.get("text")
        if text is None:
            raise Refused(UNSUPPORTED, "binary message; expected JSON text")
        self._check_rate()
        message = read_message(text)
        self._count += 1
        if message.n != self._count:
            raise Refused(POLICY, f"out of order: message {message.n}, expected {self._count}")
        return message

    def _check_rate(self) -> None:
        now = asyncio.get_running_loop().time()
        self._allowance = min(BURST, self._allowance + MOST_PER_S * (now - self._heard)) - 1
        self._heard = now
        if self._allowance < 0:
            raise Refused(POLICY, f"too many messages; at most {MOST_PER_S:.0f} a second are taken")
