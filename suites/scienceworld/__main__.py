"""The command line of `python -m suites.scienceworld`."""

import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Annotated

import typer

from arena.errors import ArenaError
from suites.scienceworld.catalogue import kinds, spread
from suites.scienceworld.reproduction import first_differences
from suites.scienceworld.simulator import World

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.command()
def speed(runs: Annotated[int, typer.Option(min=1, help="Of both, in turn.")] = 3) -> None:
    """Steps per second beside those of the package's own environment, in one run.

    Both play the gold path of the first test variation of a task of each topic.
    """
    from scienceworld import ScienceWorldEnv

    theirs, rates = ScienceWorldEnv(), {"arena-llm": list[float](), "scienceworld": list[float]()}
    first = [kind for kind in kinds().values() if kind.task.endswith("-1")]
    # The first run is not counted: Java compiles what runs often.
    for run in range(runs + 1):
        seconds, steps = dict.fromkeys(rates, 0.0), 0
        for kind in first:
            variation = kind.variations("test")[0]
            ours = World(kind.name, variation, "easy", gold=True)
            theirs.load(kind.name, variation, "easy")
            commands = ours.gold()
            steps += len(commands)
            seconds["arena-llm"] += _seconds(partial(_step, ours), commands)
            seconds["scienceworld"] += _seconds(theirs.step, commands)
            ours.close()
        for who in rates:
            rates[who] += [steps / seconds[who]] if run else []
    for who, found in rates.items():
        print(f"{who}: {median(found):.0f} steps/s ({min(found):.0f} to {max(found):.0f})")
    print(f"ratio: {median(rates['arena-llm']) / median(rates['scienceworld']):.1f}")


def _step(world: World, command: str) -> None:
    """What an episode asks for in each step."""
    world.step(command)
    world.look()
    world.inventory()
    world.subgoals()
    world.objects()


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


@app.command()
def reproduction(
    tasks: Annotated[str, typer.Option(help="Their numbers, with commas; default: all.")] = "",
    steps: Annotated[int, typer.Option(min=1, help="Random valid commands in each task.")] = 100,
    processes: Annotated[int, typer.Option(min=2, help="Each with a Java of its own.")] = 3,
) -> None:
    """Compare all texts of the same commands, interleaved by each process in an order of its own.

    The status is 1 if one differs.
    """
    chosen = tasks.split(",") if tasks else list(kinds())
    found = first_differences(chosen, steps, processes)
    differ = {task: step for task, step in found.items() if step is not None}
    for task, step in differ.items():
        print(f"{task}: differs from step {step} on")
    same = len(chosen) - len(differ)
    print(f"{same} of {len(chosen)} tasks: the same texts in {processes} processes, {steps} steps each")
    sys.exit(bool(differ))


def _seconds(step: Callable[[str], object], commands: list[str]) -> float:
    start = time.perf_counter()
    for command in commands:
        step(command)
    return time.perf_counter() - start


if __name__ == "__main__":
    try:
        app()
    except ArenaError as error:
        sys.exit(f"suites.scienceworld: {error}")
