"""Command `arena-llm mcp`."""

import os
import secrets
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.packages import require
from arena_llm.commands.play import Host, Port
from arena_llm.interrupts import work_begins
from arena_llm.options import Preset, SuiteOption
from evaluation.opened import Episodes, Opened
from evaluation.suites import DEFAULT

if TYPE_CHECKING:
    from arena_llm.mcp_server import Seats


def mcp_command(
    suite: SuiteOption = DEFAULT,
    protocol: Preset = None,
    http: Annotated[bool, typer.Option("--http", help="HTTP instead of standard streams.")] = False,
    host: Host = "127.0.0.1",
    port: Port = 8421,
    token: Annotated[
        str | None, typer.Option(envvar="ARENA_LLM_TOKEN", help="Bearer token for HTTP. Default: a new one.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Agent's name. Default: that of its program.")] = None,
    sessions: Annotated[int, typer.Option(min=1, help="Maximum concurrent episodes.")] = 64,
    log_dir: Annotated[Path, typer.Option(help="Folder for logs.")] = Path("logs"),
    **choices: Any,
) -> None:
    """Let agents of other programs play a suite by MCP, with logs.

    Choices that only concern how a model is asked, such as its temperature, have no effect.
    """
    require("mcp")
    from arena_llm.mcp_server import Seats, mcp_server
    from evaluation.report_folder import check_writable

    check_writable(log_dir)
    seats = Seats(Episodes(Opened.named(suite, protocol=protocol, **choices), sessions), log_dir, name)
    if not http:
        _on_standard_streams(seats)
        return
    listener, url = listening(host, port)
    made = None if token else secrets.token_urlsafe(24)
    print(f"MCP: {url}mcp; Ctrl-C stops.{f' Token: {made}' if made else ''}", flush=True)
    serve(mcp_server(seats, token or made, url).streamable_http_app(host=host), listener)


def listening(host: str, port: int) -> tuple[socket.socket, str]:
    """Open a listening socket; return it and its URL with a slash at the end. Raises EvaluationError."""
    from people.serving import bound, url_of

    listener = bound(host, port)
    listener.listen(1024)
    work_begins()
    return listener, url_of(host, listener)


def serve(app: Any, listener: socket.socket) -> None:
    """Serve an application until Ctrl-C or SIGTERM."""
    import uvicorn

    config = uvicorn.Config(app, log_level="error", ws_per_message_deflate=False, timeout_graceful_shutdown=2)
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run([listener])


def _on_standard_streams(seats: "Seats") -> None:
    import anyio

    from arena_llm.mcp_server import mcp_server

    async def stop_on_signal() -> None:
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for number in signals:
                await seats.close()
                print("arena-llm: stopped", file=sys.stderr, flush=True)
                # A thread waits for the client's next line, and Python would wait for the thread.
                os._exit(128 + number)

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stop_on_signal)
            await mcp_server(seats).run_stdio_async()
            tasks.cancel_scope.cancel()

    anyio.run(run)
