"""Server of a suite by the Model Context Protocol, for agents of any program."""

import secrets
import sys
import time
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from anyio import CancelScope
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from arena.errors import ArenaError, EvaluationError
from evaluation.episode import Shown
from evaluation.inspect_task.kept import KeptRun
from evaluation.opened import Episodes, OpenEpisode
from render.image import encoded

T = TypeVar("T")

IDLE_S = 1800.0
"""An episode that is not played for so long ends, when another one begins, as not finished."""


@dataclass
class Seat:
    """Episode of an agent; `session` is its transport's, or None."""

    episode: OpenEpisode
    run: KeptRun
    session: str | None
    played_at: float = field(default_factory=time.monotonic)


class Seats:
    """Episodes of agents, by secret ids.

    Each agent has one log, by its name or else the one of its program, and plays each task once.
    """

    def __init__(self, episodes: Episodes, folder: Path, name: str | None = None) -> None:
        self.episodes, self._folder, self._name = episodes, folder, name
        self._runs: dict[str, KeptRun] = {}
        self._seats: dict[str, Seat] = {}

    async def begin(self, task_id: str, program: str, session: str | None) -> Shown:
        """Begin a task, by default the agent's next; return episode id and first messages."""
        for idle in [*self._seats.values()]:
            if time.monotonic() - idle.played_at > IDLE_S:
                await self._end(idle)
        name = self._name or program
        run = self._runs.setdefault(name, KeptRun(self.episodes.opened, "mcp", name, self._folder))
        task = task_id or next((each for each in self.episodes.tasks if each not in run.begun), "")
        if not task or task in run.begun:
            raise EvaluationError(f"{task_id or 'every task'}: begun before, and an agent plays each once")
        episode, key = self.episodes.begin(task), secrets.token_hex(8)
        try:
            await run.begin(episode.setup.task)
        except EvaluationError:
            episode.close()
            raise
        self._seats[key] = seat = Seat(episode, run, session)
        if seat.episode.record is not None:
            await self._end(seat)
        return (f"Episode {key}, task {task}.", *episode.shown)

    async def act(self, key: str, session: str | None, reply: str) -> Shown:
        """Play a reply; return the next messages."""
        seat = self._seat(key, session)
        seat.played_at = time.monotonic()
        seat.episode.reply(reply)
        if seat.episode.record is not None:
            await self._end(seat)
        return seat.episode.shown

    async def finish(self, key: str, session: str | None) -> str:
        """End an episode, if it is not over; return its outcome."""
        seat = self._seat(key, session)
        await self._end(seat)
        return seat.episode.finish().summary

    async def close(self) -> None:
        """End running episodes as not finished, and complete the logs, or explain why not."""
        for seat in self._seats.values():
            if seat.episode.is_open:
                seat.run.add(seat.episode)
        for run in self._runs.values():
            try:
                await run.write()
            except EvaluationError as error:
                print(f"arena-llm: {error}", file=sys.stderr, flush=True)

    def _seat(self, key: str, session: str | None) -> Seat:
        seat = self._seats.get(key)
        if seat is None or seat.session != session:
            raise EvaluationError(f"no episode {key!r} of yours is open; call begin")
        return seat

    async def _end(self, seat: Seat) -> None:
        if seat.episode.is_open:
            seat.run.add(seat.episode)
            await seat.run.write("started")


class OneToken:
    """Access by one token."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the token's client; None for a wrong token."""
        right = secrets.compare_digest(token.encode(), self._token)
        return AccessToken(token=token, client_id="agent", scopes=[]) if right else None


def mcp_server(seats: Seats, token: str | None = None, url: Any = None) -> MCPServer[Any]:
    """Make the server, whose episodes end with it; over HTTP at `url`, clients must send the `token`."""

    @asynccontextmanager
    async def lifespan(_: MCPServer[Any]) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            with CancelScope(shield=True):
                await seats.close()

    suite, rules = seats.episodes.opened.suite, seats.episodes.rules
    server: MCPServer[Any] = MCPServer(
        f"arena-llm-{suite.name}",
        instructions=f"Call begin, then act until the episode is over.\n\n{rules}",
        version=suite.versions()["arena-llm"],
        lifespan=lifespan,
        log_level="ERROR",
        token_verifier=OneToken(token) if token else None,
        auth=AuthSettings(issuer_url=url, resource_server_url=None) if token else None,
    )
    server.prompt("rules", description="The rules of an episode.")(lambda: rules)
    server.resource(f"rules://{suite.name}", name="rules", mime_type="text/plain")(lambda: rules)
    _add_tools(server, seats)
    return server


def _add_tools(server: MCPServer[Any], seats: Seats) -> None:
    def session(ctx: Context) -> str | None:
        return (ctx.headers or {}).get("mcp-session-id")

    def content(shown: Shown) -> list[Any]:
        kind = seats.episodes.opened.choices.image_format
        return [p if isinstance(p, str) else Image(data=encoded(p, kind), format=kind) for p in shown]

    @server.tool(structured_output=False)
    async def begin(ctx: Context, task: str = "") -> list[Any]:
        """Begin an episode of a task, by default your next one: its id, the rules and what you see."""
        client = ctx.session.client_params
        name = client.client_info.name if client else "unknown"
        return content(await _explained(seats.begin(task, name, session(ctx))))

    @server.tool(structured_output=False)
    async def act(ctx: Context, episode: str, reply: str) -> list[Any]:
        """Reply in an episode as its rules say, and see the result."""
        return content(await _explained(seats.act(episode, session(ctx), reply)))

    @server.tool(structured_output=False)
    async def finish(ctx: Context, episode: str) -> str:
        """End an episode; one that is not over counts as failed."""
        return await _explained(seats.finish(episode, session(ctx)))


async def _explained(answer: Awaitable[T]) -> T:
    """Answer an agent's call, or explain its error in a sentence."""
    try:
        return await answer
    except ArenaError as error:
        raise ToolError(str(error)) from None
