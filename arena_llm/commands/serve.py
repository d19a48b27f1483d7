"""Command `arena-llm serve`."""

from typing import Annotated, Any

import typer

from arena.packages import require
from arena_llm.commands.mcp import listening, serve
from arena_llm.commands.play import Host, Port
from arena_llm.options import Preset, SuiteOption
from evaluation.opened import Opened
from evaluation.suites import DEFAULT


def serve_command(
    suite: SuiteOption = DEFAULT,
    protocol: Preset = None,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    sessions: Annotated[int, typer.Option(min=1, help="Maximum concurrent episodes.")] = 64,
    **choices: Any,
) -> None:
    """Serve a suite as an OpenEnv environment, for training programs.

    Choices that only concern how a model is asked, such as its temperature, have no effect.
    """
    require("openenv")
    from arena_llm.openenv_server import suite_app

    app = suite_app(Opened.named(suite, protocol=protocol, **choices), sessions)
    listener, url = listening(host, port)
    print(f"OpenEnv: {url} ({suite}, {sessions} episodes at a time); Ctrl-C stops.", flush=True)
    serve(app, listener)
