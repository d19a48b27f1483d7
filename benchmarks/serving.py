"""How many steps `arena-llm serve` takes: `python -m benchmarks.serving SUITE --reply TEXT`, from a clone."""

import asyncio
import json
import time
from collections.abc import Sequence
from typing import Annotated, Any

import psutil
import typer
from websockets.asyncio.client import ClientConnection, connect

from benchmarks import run, served


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


def main(
    suite: str,
    reply: Annotated[str, typer.Option(help="Reply to every observation.")],
    option: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE of the suite; may be repeated.")
    ] = None,
    clients: int = 64,
    seconds: float = 20,
) -> None:
    """Let clients play at a time, resets included; they take processor time, too."""
    load = psutil.getloadavg()[0]
    steps, own = asyncio.run(throughput(suite, reply, option or (), clients, seconds))
    print(f"{suite}, {clients} clients: {steps:,.0f} steps/s, load {load:.1f} before;", end=" ")
    print(f"the server's own processor time allows {own:,.0f}")


if __name__ == "__main__":
    run(main, "benchmarks.serving")
