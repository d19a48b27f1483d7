"""Load test of `arena-llm play`: participants who play concurrently over real websockets.

`python -m benchmarks.people_load --participants 8 --seconds 300` starts a server with a temporary database,
reports the step rate, and finally checks that the database has every step that the pages saw.
"""

import random
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from arena.action import STEP_S
from benchmarks import run, served
from people.simulation.visitor import GamePage, Received, Visitor, client_at
from people.store import Store


@dataclass
class Player:
    """Plays tasks one after another, pressing random keys, and keeps what was measured in milliseconds.

    `kbytes_per_s` is the speed at which it reads, `delay_s` the time after which its replies arrive.
    """

    url: str
    seed: int
    kbytes_per_s: float | None = None
    delay_s: float = 0.0
    late_ms: list[float] = field(default_factory=list)
    delay_ms: list[float] = field(default_factory=list)
    key_ms: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    pauses: list[str] = field(default_factory=list)
    steps: int = 0
    received_bytes: int = 0
    episodes: int = 0
    playing_s: float = 0.0

    def play(self, until: float) -> None:
        """Play until that time (Unix seconds)."""
        self._random, self._step = random.Random(self.seed), 0
        self._began: float | None = None
        self._pressed_at: float | None = None
        self._press_next, self._replies = 0.0, list[tuple[float, str, dict[str, int]]]()
        with client_at(self.url) as client:
            visitor = Visitor(client)
            visitor.open()
        with GamePage(self.url, visitor.token) as page:
            # After this time a participant who hears nothing looks whether something is to be sent.
            page.patient, page.timeout_s = False, 0.005
            while time.time() < until:
                self._send(page)
                with suppress(TimeoutError):
                    self._take(page, page.recv())
            page.do("pause", reason="key")
            self._halt()

    def _send(self, page: GamePage) -> None:
        """The replies that are due, and now and then other keys."""
        now = time.time()
        while self._replies and self._replies[0][0] <= now:
            _, kind, values = self._replies.pop(0)
            page.say(kind, **values)
        if self._began is not None and now >= self._press_next:
            # A person changes keys two or three times a second.
            self._press_next = now + 0.4 * self._random.uniform(0.5, 1.5)
            self._pressed_at = now
            page.do("keys", action=self._random.choice((1, 2, 3, 3, 4, 5)))

    def _take(self, page: GamePage, message: Received) -> None:
        match message["type"]:
            case "frame":
                self._see(message)
            case "trial":
                self._step = message["step"]
                page.do("start")
            case "running":
                self._began = time.time()
            case "state":
                self.steps += message["step"] - self._step
                self._step = message["step"]
                self.late_ms += message["late"]
            case "paused":
                self._halt()
                self.pauses.append(message["reason"])
                page.do("start")
            case "ping":
                self._reply("pong", ping=message["ping"])
            case "end":
                self._halt()
                self.episodes += 1
                page.do("next")

    def _see(self, message: Received) -> None:
        drawn, now = message["frame"], time.time()
        self.received_bytes += len(drawn.jpeg)
        self.delay_ms.append(1000 * (now - drawn.due))
        # The step that was due after the press is the first that the key has changed.
        if self._pressed_at is not None and drawn.due > self._pressed_at:
            self.key_ms.append(1000 * (now - self._pressed_at))
            self._pressed_at = None
        self.sizes.append(drawn.size)
        if self.kbytes_per_s:
            time.sleep(len(drawn.jpeg) / 1000 / self.kbytes_per_s)
        self._reply("ack", frame=message["number"])

    def _reply(self, kind: str, **values: int) -> None:
        """Reply as late as over a long distance."""
        self._replies.append((time.time() + self.delay_s, kind, values))

    def _halt(self) -> None:
        if self._began is not None:
            self.playing_s += time.time() - self._began
            self._began = None


def spread(name: str, values: Sequence[float]) -> str:
    """Median, 95th and 99th percentile and largest of times."""
    middle, many, most, largest = np.percentile(values or (np.nan,), (50, 95, 99, 100))
    return f"{name}: median {middle:.1f}, 95 % {many:.1f}, 99 % {most:.1f}, largest {largest:.1f} ms"


def report(players: Sequence[Player]) -> str:
    """Figures that participants have measured."""

    def together(name: str) -> list[Any]:
        return [value for player in players for value in getattr(player, name)]

    sizes, pauses = together("sizes"), together("pauses")
    steps, playing = sum(each.steps for each in players), sum(each.playing_s for each in players)
    rates = [each.steps / each.playing_s for each in players if each.playing_s] or [0.0]
    shares = (f"{size}: {sizes.count(size) / len(sizes):.0%}" for size in sorted(set(sizes)))
    return "\n".join(
        [
            f"{len(players)} participants, {playing / len(players):.0f} s of play each, "
            f"{sum(each.episodes for each in players)} episodes",
            f"steps/s per participant: {np.mean(rates):.2f}, lowest {min(rates):.2f} "
            f"(expected {1 / STEP_S:.2f})",
            spread("step lateness", together("late_ms")),
            spread("frame delay", together("delay_ms")),
            spread("key to frame", together("key_ms")),
            f"frames: {len(sizes)} of {steps} steps ({len(sizes) / max(steps, 1):.1%}), sizes "
            + ", ".join(shares),
            f"{sum(each.received_bytes for each in players) / 1000 / max(playing, 1):.0f} kB/s of frames"
            " per participant",
            f"pauses by the server: {', '.join(sorted(set(pauses))) or 'none'} ({len(pauses)})",
        ]
    )


def lost(database: Path, steps: int) -> int:
    """Steps that the pages saw but the database does not have."""
    with Store(f"sqlite:///{database}") as store:
        trials = (trial for person in store.participants("play") for trial in store.trials(person.id))
        return max(0, steps - sum(len(store.actions(trial.id)) for trial in trials))


def load_test(
    participants: int, seconds: float, slow: float | None = None, delay_ms: float = 0.0
) -> tuple[list[Player], int]:
    """Players on a new server, and the steps that they saw but the database does not have."""
    with ExitStack() as stack:
        database = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "load.db"
        at = stack.enter_context(served("play", "--no-open", "--db", str(database)))[0]
        players = [Player(f"http://{at}", number, slow, delay_ms / 1000) for number in range(participants)]
        until = time.time() + seconds
        threads = stack.enter_context(ThreadPoolExecutor(participants))
        list(threads.map(lambda player: player.play(until), players))
        return players, lost(database, sum(player.steps for player in players))


def main(
    participants: Annotated[int, typer.Option(min=1, help="Participants who play.")] = 8,
    seconds: Annotated[float, typer.Option(min=1, help="Seconds of play.")] = 60,
    slow: Annotated[float | None, typer.Option(help="Speed in kB/s at which each reads.")] = None,
    delay: Annotated[float, typer.Option(min=0, help="Round trip of a frame in ms.")] = 0,
) -> None:
    """Let simulated participants play concurrently, and print how late steps and frames were."""
    players, missing = load_test(participants, seconds, slow, delay)
    print(report(players))
    print(f"steps that the pages saw but the database does not have: {missing}")


if __name__ == "__main__":
    run(main, "benchmarks.people_load")
