"""The line between a page and a server, which can be cut."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

WAIT_S = 60.0


class Line:
    """Forwards connections to its own port; `cut` closes them and accepts no more until `repair`.

    While it is `slack`, connections stay open and nothing gets through.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._loop = asyncio.new_event_loop()
        self._writers: set[asyncio.StreamWriter] = set()
        self._intact = True
        self._taut = asyncio.Event()
        self._taut.set()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._do(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        self._intact = False
        self._do(self._close_all())

    def repair(self) -> None:
        self._intact = True

    @contextmanager
    def slack(self) -> Iterator[None]:
        self._loop.call_soon_threadsafe(self._taut.clear)
        yield
        self._loop.call_soon_threadsafe(self._taut.set)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._server.close)
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT_S)
        self._loop.close()

    def _do(self, call):
        # With a limit: a hung test is ended with its whole process, of which nothing is left to read.
        return asyncio.run_coroutine_threadsafe(call, self._loop).result(WAIT_S)

    async def _close_all(self) -> None:
        served = [each for each in asyncio.all_tasks() if each is not asyncio.current_task()]
        for writer in tuple(self._writers):
            writer.transport.abort()
        await asyncio.gather(*served, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._intact:
            writer.close()
            return
        theirs, ours = await asyncio.open_connection("127.0.0.1", self._port)
        self._writers |= {writer, ours}
        await asyncio.gather(self._pass(reader, ours), self._pass(theirs, writer))
        self._writers -= {writer, ours}

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                await self._taut.wait()
                writer.write(data)
                await writer.drain()
        writer.close()
