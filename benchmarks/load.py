"""Clients of our servers: people who play concurrently, and training programs that step episodes."""

import asyncio
import json
import random
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from websockets.asyncio.client import ClientConnection, connect

from benchmarks import served
from people.simulation.visitor import GamePage, Received, Visitor, client_at
from people.store import Store


@dataclass
class Player:
    """Plays tasks one after another, pressing random keys, and keeps delays in milliseconds."""

    url: str
    seed: int
    delay_ms: list[float] = field(default_factory=list)
    key_ms: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    steps: int = 0
    playing_s: float = 0.0

    def play(self, until: float) -> None:
        """Play until that time (Unix seconds)."""
        self._random, self._step = random.Random(self.seed), 0
        self._began: float | None = None
        self._pressed_at: float | None = None
        self._press_next = 0.0
        with client_at(self.url) as client:
            visitor = Visitor(client)
            visitor.open()
        with GamePage(self.url, visitor.token) as page:
            # After this time a participant who hears nothing looks whether something is to be sent.
            page.patient, page.timeout_s = False, 0.005
            while time.time() < until:
                self._press(page)
                with suppress(TimeoutError):
                    self._take(page, page.recv())
            page.do("pause", reason="key")
            self._halt()

    def _press(self, page: GamePage) -> None:
        now = time.time()
        if self._began is not None and now >= self._press_next:
            # A person changes keys two or three times a second.
            self._press_next = now + 0.4 * self._random.uniform(0.5, 1.5)
            self._pressed_at = now
            page.do("keys", action=self._random.choice((1, 2, 3, 3, 4, 5)))

    def _take(self, page: GamePage, message: Received) -> None:
        match message["type"]:
            case "frame":
                self._see(page, message)
            case "trial":
                self._step = message["step"]
                page.do("start")
            case "running":
                self._began = time.time()
            case "state":
                self.steps += message["step"] - self._step
                self._step = message["step"]
            case "paused":
                self._halt()
                page.do("start")
            case "ping":
                page.say("pong", ping=message["ping"])
            case "end":
                self._halt()
                page.do("next")

    def _see(self, page: GamePage, message: Received) -> None:
        drawn, now = message["frame"], time.time()
        self.delay_ms.append(1000 * (now - drawn.due))
        # The step that was due after the press is the first that the key has changed.
        if self._pressed_at is not None and drawn.due > self._pressed_at:
            self.key_ms.append(1000 * (now - self._pressed_at))
            self._pressed_at = None
        self.sizes.append(drawn.size)
        page.say("ack", frame=message["number"])

    def _halt(self) -> None:
        if self._began is not None:
            self.playing_s += time.time() - self._began
            self._began = None


def lost(database: Path, steps: int) -> int:
    """Steps that the pages saw but the database does not have."""
    with Store(f"sqlite:///{database}") as store:
        trials = (trial for person in store.participants("play") for trial in store.trials(person.id))
        return max(0, steps - sum(len(store.actions(trial.id)) for trial in trials))


def load_test(participants: int, seconds: float) -> tuple[list[Player], int]:
    """Players on a new server, and the steps that they saw but the database does not have."""
    with ExitStack() as stack:
        database = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "load.db"
        at = stack.enter_context(served("play", "--no-open", "--db", str(database)))[0]
        players = [Player(f"http://{at}", number) for number in range(participants)]
        until = time.time() + seconds
        threads = stack.enter_context(ThreadPoolExecutor(participants))
        list(threads.map(lambda player: player.play(until), players))
        # Steps are written within 100 ms, later on a busy machine.
        time.sleep(2)
        return players, lost(database, sum(player.steps for player in players))


async def ask(socket: ClientConnection, kind: str, **data: Any) -> Any:
    """The server's answer to a message."""
    await socket.send(json.dumps({"type": kind, "data": data}))
    return json.loads(await socket.recv())["data"]


async def play(url: str, reply: str, until: float) -> int:
    """Play episodes until that time; how many replies were played."""
    steps = 0
    async with connect(url, compression=None) as socket:
        while time.monotonic() < until:
            now = await ask(socket, "reset")
            while not now["done"] and time.monotonic() < until:
                now, steps = await ask(socket, "step", reply=reply), steps + 1
    return steps


async def steps_of(url: str, clients: int, reply: str, seconds: float) -> int:
    """The steps of all clients together."""
    until = time.monotonic() + seconds
    return sum(await asyncio.gather(*(play(url, reply, until) for _ in range(clients))))


async def throughput(
    suite: str, reply: str, options: Sequence[str], clients: int, seconds: float
) -> tuple[float, float]:
    """Steps per second of all clients, and those that the server's own processor time allows."""
    chosen = [word for each in options for word in f"--{each}".split("=", 1)]
    with served("serve", "--suite", suite, *chosen) as (place, process):
        url = f"ws://{place}/ws"
        await steps_of(url, clients, reply, 2)
        before = psutil.Process(process).cpu_times()
        steps = await steps_of(url, clients, reply, seconds)
        after = psutil.Process(process).cpu_times()
    return steps / seconds, steps / (after.user + after.system - before.user - before.system)
