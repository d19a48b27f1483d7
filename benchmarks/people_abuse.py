"""Does a running game notice a crowd, and clients that never finish their requests?

`python -m benchmarks.people_abuse` starts a study with a temporary database. One participant plays, first
alone and then while 3,000 connections with unfinished requests are kept open and 500 people a minute sign up.
"""

import argparse
import asyncio
import itertools
import random
import resource
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from benchmarks.people_load import Client, percentile, report, served
from people.play.security import COOKIE

STUDY = """\
name: crowd
title: A crowd
consent: {version: "1", text: Please take part.}
participants: {from: free}
test: {tasks: children, order: latin-square}
"""

STARTS = (
    b"",
    b"GET / HT",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: ",
    b"POST /consent HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nanswer=",
)
"""Requests that are begun and never finished."""

ADDRESSES = (("127.0.0.2", 0), ("127.0.0.3", 0))
"""Of whom they come; the participants have another."""


@dataclass
class Crowd:
    """What was done to the server; times in milliseconds."""

    opened: int = 0
    closed: int = 0
    refused: int = 0
    sign_up_ms: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    async def keep_open(self, port: int, start: bytes, address: tuple[str, int]) -> None:
        """Keep a connection open that never finishes a request; a second after it is closed, open another."""
        while True:
            await asyncio.sleep(random.uniform(0.5, 1.5))
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=address)
            except OSError:
                self.refused += 1
                continue
            self.opened += 1
            writer.write(start)
            with suppress(OSError):
                await reader.read()
            self.closed += 1
            writer.close()

    async def sign_up(self, client: httpx.AsyncClient, code: str) -> str | None:
        """The cookie of a new participant, None if the server does not let them in."""
        began = time.perf_counter()
        try:
            await client.post("/consent", data={"answer": "agree"})
            answer = await client.post("/id", data={"code": code, "agreed": "1"})
        except httpx.HTTPError as error:
            self.failures.append(type(error).__name__)
            return None
        self.sign_up_ms.append(1000 * (time.perf_counter() - began))
        if answer.status_code != 303:
            self.failures.append(f"status {answer.status_code}")
        return answer.cookies.get(COOKIE)

    async def keep_signing_up(self, client: httpx.AsyncClient, per_minute: float) -> None:
        """Sign people up at regular intervals, whether or not the server keeps pace."""
        async with asyncio.TaskGroup() as people:
            for number in itertools.count():
                client.cookies.clear()
                people.create_task(self.sign_up(client, f"c{number}"))
                await asyncio.sleep(60 / per_minute)

    def report(self, seconds: float) -> str:
        """What was done, and how long people waited."""
        waits = self.sign_up_ms
        problems = f"; {len(self.failures)} failed: {sorted(set(self.failures))}" if self.failures else ""
        return (
            f"unfinished requests: {self.opened} opened, {self.closed} closed by the server, "
            f"{self.refused} refused\n"
            f"sign-ups: {60 * len(waits) / seconds:.0f} a minute, median {percentile(waits, 50):.0f}, "
            f"99 % {percentile(waits, 99):.0f}, largest {max(waits, default=float('nan')):.0f} ms{problems}"
        )


async def measure(url: str, half_open: int, per_minute: float, seconds: float) -> None:
    """Print what a player gets alone, and in a crowd."""
    port, crowd = httpx.URL(url).port or 80, Crowd()
    async with httpx.AsyncClient(base_url=url, headers={"origin": url}, timeout=60) as client:
        cookie = await crowd.sign_up(client, "player")
        assert cookie is not None, crowd.failures
        alone = Client(url, 1, None, cookie=cookie)
        await alone.play(time.time() + seconds / 2)
        print(f"Alone: {report([alone], None)}\n", flush=True)
        crowd = Crowd()
        tasks = [
            asyncio.create_task(crowd.keep_open(port, STARTS[k % len(STARTS)], ADDRESSES[k % len(ADDRESSES)]))
            for k in range(half_open)
        ]
        tasks.append(asyncio.create_task(crowd.keep_signing_up(client, per_minute)))
        player = Client(url, 2, None, cookie=cookie)
        await player.play(time.time() + seconds)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    print(f"In the crowd: {report([player], None)}\n{crowd.report(seconds)}", flush=True)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.people_abuse", description=__doc__)
    parser.add_argument("--half-open", type=int, default=3000, help="connections with unfinished requests")
    parser.add_argument("--sign-ups", type=float, default=500, help="people who sign up in a minute")
    parser.add_argument("--seconds", type=float, default=60)
    chosen = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, chosen.half_open + 1000), most))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "study.yaml").write_text(STUDY, encoding="utf-8")
        with served("study", f"{folder}/study.yaml", "--db", f"{folder}/crowd.db") as url:
            asyncio.run(measure(url, chosen.half_open, chosen.sign_ups, chosen.seconds))


if __name__ == "__main__":
    main()
