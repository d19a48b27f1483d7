"""Load test of `arena-llm play`: participants who play concurrently over real websockets.

`python -m benchmarks.people_load --participants 8 --seconds 300` starts a server with a temporary database,
reports the step rate, and finally checks that the database has every step that the pages saw.
"""

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from arena.action import STEP_S
from people.play.page_protocol import PROTOCOL, read_frame
from people.play.security import COOKIE
from people.simulation.game_page import DISPLAY
from people.store import Store

KEYS_EVERY_S = 0.4
"""Interval between changes of the keys; a person changes them two or three times a second."""


@dataclass
class Seen:
    """Measurements of one client; lateness and delay in milliseconds."""

    late_ms: list[float] = field(default_factory=list)
    delay_ms: list[float] = field(default_factory=list)
    key_ms: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    steps: int = 0
    frames: int = 0
    received_bytes: int = 0
    pauses: list[str] = field(default_factory=list)
    episodes: int = 0
    playing_s: float = 0.0


class Client:
    """Plays tasks one after another, pressing random keys."""

    def __init__(
        self, url: str, seed: int, kbytes_per_s: float | None, delay_s: float = 0.0, cookie: str | None = None
    ) -> None:
        self.seen, self._cookie = Seen(), cookie
        self._delay_s, self._replies = delay_s, set[asyncio.Task[None]]()
        self._url, self._random, self._rate = url, random.Random(seed), kbytes_per_s
        self._count = self._trial = self._step = 0
        self._began: float | None = None
        self._pressed_at: float | None = None

    async def play(self, until: float) -> None:
        """Play until that time (Unix seconds)."""
        cookie = self._cookie or await asyncio.to_thread(_cookie, self._url)
        origin = self._url.rstrip("/")
        address = origin.replace("http", "ws", 1) + "/play/socket"
        headers = {"Cookie": f"{COOKIE}={cookie}"}
        async with connect(address, origin=origin, additional_headers=headers, compression=None) as socket:  # type: ignore[arg-type]
            await self._send(socket, "hello", protocol=PROTOCOL)
            keys = asyncio.create_task(self._press(socket))
            try:
                while (left := until - time.time()) > 0:
                    async with asyncio.timeout(left):
                        await self._take(socket, await socket.recv())
            except TimeoutError:
                pass
            finally:
                keys.cancel()
            await self._send(socket, "pause", trial=self._trial, reason="key")
            self._halt()

    async def _take(self, socket: ClientConnection, data: str | bytes) -> None:
        self.seen.received_bytes += len(data)
        if isinstance(data, bytes):
            number, drawn = read_frame(data)
            self.seen.frames += 1
            now = time.time()
            self.seen.delay_ms.append(1000 * (now - drawn.due))
            # The step that was due after the press is the first that the key has changed.
            if self._pressed_at is not None and drawn.due > self._pressed_at:
                self.seen.key_ms.append(1000 * (now - self._pressed_at))
                self._pressed_at = None
            self.seen.sizes.append(drawn.size)
            if self._rate:
                await asyncio.sleep(len(data) / 1000 / self._rate)
            self._reply(socket, "ack", frame=number)
            return
        message = json.loads(data)
        match message["type"]:
            case "trial":
                self._trial, self._step = message["trial"], message["step"]
                await self._send(socket, "start", trial=self._trial, **DISPLAY)
            case "running":
                self._began = time.time()
            case "state":
                self.seen.steps += message["step"] - self._step
                self._step = message["step"]
                self.seen.late_ms += message["late"]
            case "paused":
                self._halt()
                self.seen.pauses.append(message["reason"])
                await self._send(socket, "start", trial=self._trial, **DISPLAY)
            case "ping":
                self._reply(socket, "pong", ping=message["ping"])
            case "end":
                self._halt()
                self.seen.episodes += 1
                await self._send(socket, "next", trial=self._trial)

    def _halt(self) -> None:
        if self._began is not None:
            self.seen.playing_s += time.time() - self._began
            self._began = None

    async def _press(self, socket: ClientConnection) -> None:
        while True:
            await asyncio.sleep(KEYS_EVERY_S * self._random.uniform(0.5, 1.5))
            if self._began is not None:
                self._pressed_at = time.time()
                await self._send(
                    socket, "keys", trial=self._trial, action=self._random.choice((1, 2, 3, 3, 4, 5))
                )

    def _reply(self, socket: ClientConnection, kind: str, **values: Any) -> None:
        """Send a reply as late as over a long distance."""

        async def later() -> None:
            await asyncio.sleep(self._delay_s)
            with suppress(ConnectionClosed):
                await self._send(socket, kind, **values)

        self._replies.add(task := asyncio.create_task(later()))
        task.add_done_callback(self._replies.discard)

    async def _send(self, socket: ClientConnection, kind: str, **values: Any) -> None:
        self._count += 1
        await socket.send(json.dumps({"type": kind, "n": self._count, **values}))


def _cookie(url: str) -> str:
    """The token that a server gives to a new participant."""
    cookies = httpx.get(url, timeout=30).cookies
    assert COOKIE in cookies, f"{url} sent no cookie"
    return cookies[COOKIE]


def percentile(values: list[float], percent: float) -> float:
    """The smallest value that `percent` of the values do not exceed; NaN if there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(percent / 100 * len(ordered)))] if ordered else float("nan")


def report(clients: list[Client], lost: int | None) -> str:
    """What clients have measured; `lost` is the number of steps that are missing in the database."""
    seen = [client.seen for client in clients]
    late = [value for one in seen for value in one.late_ms]
    delay = [value for one in seen for value in one.delay_ms]
    key = [value for one in seen for value in one.key_ms]
    sizes = [size for one in seen for size in one.sizes]
    steps, frames = sum(one.steps for one in seen), sum(one.frames for one in seen)
    playing = sum(one.playing_s for one in seen)
    rates = [one.steps / one.playing_s for one in seen if one.playing_s]
    pauses = [reason for one in seen for reason in one.pauses]
    lines = [
        f"{len(seen)} participants, {playing / len(seen):.0f} s of play each, "
        f"{sum(one.episodes for one in seen)} episodes",
        f"steps/s per participant: {sum(rates) / max(len(rates), 1):.2f}, lowest {min(rates, default=0):.2f} "
        f"(expected {1 / STEP_S:.2f})",
        *(
            f"{name}: median {percentile(values, 50):.1f}, 99 % {percentile(values, 99):.1f}, "
            f"largest {max(values, default=float('nan')):.1f} ms"
            for name, values in (("step lateness", late), ("frame delay", delay), ("key to frame", key))
        ),
        f"frames: {frames} of {steps} steps ({100 * frames / max(steps, 1):.1f} %), sizes "
        + ", ".join(f"{size}: {100 * sizes.count(size) / len(sizes):.0f} %" for size in sorted(set(sizes))),
        f"{sum(one.received_bytes for one in seen) / 1000 / max(playing, 1):.0f} kB/s per participant",
        "pauses by the server: "
        + (", ".join(sorted(set(pauses))) + f" ({len(pauses)})" if pauses else "none"),
    ]
    if lost is not None:
        lines.append(f"steps that the pages saw but the database does not have: {lost}")
    return "\n".join(lines)


async def play(
    url: str, participants: int, seconds: float, kbytes_per_s: float | None, delay_s: float = 0.0
) -> list[Client]:
    """Let a number of clients play for a time.

    A slow client reads only `kbytes_per_s`; a distant one replies to frames `delay_s` later.
    """
    clients = [Client(url, seed, kbytes_per_s, delay_s) for seed in range(participants)]
    until = time.time() + seconds
    await asyncio.gather(*(client.play(until) for client in clients))
    return clients


def _lost(database: Path, steps: int) -> int:
    with Store(f"sqlite:///{database}") as store:
        stored = sum(
            len(store.actions(trial.id))
            for participant in store.participants("play")
            for trial in store.trials(participant.id)
        )
    return max(0, steps - stored)


@contextmanager
def served(*words: str) -> Iterator[str]:
    """The address of a new server, without a slash at its end; it ends with the block."""
    command = [sys.executable, "-m", "arena_llm", *words, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            found = (re.search(r"http://[^/\s]+", line) for line in server.stdout or ())
            yield next(each[0] for each in found if each)
        finally:
            server.terminate()


def main() -> None:
    """Run the load test."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.people_load", description=__doc__)
    parser.add_argument("--participants", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--levels", default="1-10", help="levels of the shipped battery to play")
    parser.add_argument("--workers", help="worker processes of the server")
    parser.add_argument("--slow", type=float, metavar="KB/S", help="speed at which each client reads")
    parser.add_argument("--delay", type=float, default=0, metavar="MS", help="round trip of a frame")
    parser.add_argument("--url", help="a running server (default: a new one)")
    chosen = parser.parse_args()
    how = (chosen.participants, chosen.seconds, chosen.slow, chosen.delay / 1000)
    if chosen.url:
        print(report(asyncio.run(play(chosen.url, *how)), None))
        return
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "load.db"
        words = ["play", "--levels", chosen.levels, "--no-open", "--db", str(database)]
        with served(*words, *(["--workers", chosen.workers] if chosen.workers else [])) as url:
            clients = asyncio.run(play(url, *how))
        print(report(clients, _lost(database, sum(client.seen.steps for client in clients))))


if __name__ == "__main__":
    main()
