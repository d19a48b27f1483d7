"""The command line of `python -m suites.scienceworld`."""

import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Annotated

import typer

from arena.errors import ArenaError
from suites.scienceworld.catalogue import kinds, spread
from suites.scienceworld.simulator import World

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.command()
def speed(
    steps: Annotated[int, typer.Option(min=1, help="Of each run.")] = 100,
    runs: Annotated[int, typer.Option(min=1, help="Of both, in turn.")] = 5,
) -> None:
    """Steps per second beside those of the package's own environment, in one run."""
    from scienceworld import ScienceWorldEnv

    theirs, name = ScienceWorldEnv(), "boil"
    ours = World(name, 0, "easy")

    def step(command: str) -> None:
        ours.step(command)
        ours.look(), ours.inventory(), ours.subgoals()

    theirs.load(name, 0, "easy")
    # Both walk through the house, and both run long enough beforehand to be compiled.
    places = ("kitchen", "workshop", "greenhouse", "outside", "bedroom")
    commands = [f"teleport to {places[k % len(places)]}" for k in range(steps)]
    rates: dict[str, list[float]] = {"arena-llm": [], "scienceworld": []}
    for run in range(runs + 1):
        for who, call in (("arena-llm", step), ("scienceworld", theirs.step)):
            rate = _rate(call, commands)
            rates[who] += [rate] if run else []
    for who, found in rates.items():
        print(f"{who}: {median(found):.0f} steps/s ({min(found):.0f} to {max(found):.0f})")
    print(f"ratio: {median(rates['arena-llm']) / median(rates['scienceworld']):.1f}")


@app.command()
def gold(
    variations: Annotated[int, typer.Option(min=1, help="Of each task, at equal distances.")] = 12,
) -> None:
    """The lengths of gold paths without simplifications: the column `gold` of tasks.csv is the longest."""
    for kind in kinds().values():
        lengths = []
        for variation in spread(range(kind.number), variations):
            world = World(kind.name, variation, "", gold=True)
            lengths.append(len(world.gold()))
            world.close()
        print(f"{kind.task}: {min(lengths)} to {max(lengths)}, median {median(lengths):g}", flush=True)


def _rate(step: Callable[[str], object], commands: list[str]) -> float:
    start = time.perf_counter()
    for command in commands:
        step(command)
    return len(commands) / (time.perf_counter() - start)


if __name__ == "__main__":
    try:
        app()
    except ArenaError as error:
        sys.exit(f"suites.scienceworld: {error}")
