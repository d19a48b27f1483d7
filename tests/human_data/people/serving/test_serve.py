"""The socket that people's pages connect to."""

import asyncio
import socket

from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from human_data.people.serving.serve import bound


def test_small_messages_are_sent_immediately():
    """An accepted websocket has TCP_NODELAY: with Nagle's algorithm pictures come some 40 ms late."""

    async def answer(connection: ServerConnection) -> None:
        accepted = connection.transport.get_extra_info("socket")
        await connection.send(str(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))

    async def ask() -> str:
        listener = bound("127.0.0.1", 0)
        address = f"ws://127.0.0.1:{listener.getsockname()[1]}/"
        async with serve(answer, sock=listener), connect(address, proxy=None) as page:
            return await page.recv()

    assert asyncio.run(ask()) != "0"
