"""Speed of the suites, beside the packages that they play: `python -m benchmarks.suite_speed SUITE`."""

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from statistics import median
from typing import Annotated, Any

import typer

from benchmarks import run

Rates = Iterator[Mapping[str, float]]
"""Steps per second in each run, by whose they are."""


class Measured(StrEnum):
    """Suites whose speed is measured."""

    BOXING = "boxing"
    DISCOVERYWORLD = "discoveryworld"
    SCIENCEWORLD = "scienceworld"


def main(
    suite: Annotated[Measured, typer.Argument(help="Name of the suite.")],
    runs: Annotated[int, typer.Option(min=1, help="Runs of both, in turn.")] = 3,
) -> None:
    """Print steps per second beside the package's own; of boxing the seconds for 10 experiments."""
    if suite is Measured.BOXING:
        return boxing()
    rows = list(scienceworld(runs) if suite is Measured.SCIENCEWORLD else discoveryworld(runs))
    found = {who: [row[who] for row in rows] for who in rows[0]}
    for who, rates in found.items():
        print(f"{who}: {median(rates):.1f} steps/s ({min(rates):.1f} to {max(rates):.1f})")
    ours, theirs = map(median, found.values())
    print(f"ratio: {ours / theirs:.1f}")


def boxing() -> None:
    """Seconds of this processor for 10 experiments, each the best of 100 random designs."""
    import numpy as np

    from suites.boxing.environments import WORLDS
    from suites.boxing.oracle import drawn
    from suites.boxing.posterior import RANDOM_DESIGNS, information, posterior_of

    for name in WORLDS:
        world, rng = drawn(name, 0)
        start, posterior = time.process_time(), posterior_of(world, rng)
        for _ in range(10):
            xs = np.array([world.random_design(rng) for _ in range(RANDOM_DESIGNS)])
            x = xs[int(information(world, posterior, xs).argmax())]
            posterior.observe(x, world.observe(x, rng))
        print(f"{name:15}{time.process_time() - start:.2f} s", flush=True)


def scienceworld(runs: int) -> Rates:
    """Along the gold path of the first test variation of a task of each topic."""
    from scienceworld import ScienceWorldEnv

    from suites.scienceworld.catalogue import kinds
    from suites.scienceworld.simulator import World

    theirs = ScienceWorldEnv()
    # The first run is not counted: Java compiles what runs often.
    for number in range(runs + 1):
        seconds, steps = {"arena-llm": 0.0, "scienceworld": 0.0}, 0
        for kind in [kind for kind in kinds().values() if kind.task.endswith("-1")]:
            variation = kind.variations("test")[0]
            ours = World(kind.name, variation, "easy", gold=True)
            theirs.load(kind.name, variation, "easy")
            commands = ours.gold()
            steps += len(commands)
            seconds["arena-llm"] += _seconds(partial(_step, ours), commands)
            seconds["scienceworld"] += _seconds(theirs.step, commands)
            ours.close()
        if number:
            yield {who: steps / taken for who, taken in seconds.items()}


def _step(world: Any, command: str) -> None:
    """What an episode asks for in each step."""
    world.step(command)
    for shown in (world.look, world.inventory, world.subgoals, world.objects):
        shown()


def _seconds(step: Callable[[Any], object], actions: list[Any]) -> float:
    start = time.perf_counter()
    for action in actions:
        step(action)
    return time.perf_counter() - start


THEIRS = """
import contextlib, io, os, sys, tempfile, time
from discoveryworld.DiscoveryWorldAPI import DiscoveryWorldAPI
with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
    os.chdir(folder)
    api = DiscoveryWorldAPI()
    api.loadScenario(sys.argv[1], sys.argv[2], 0)
    api.getAgentObservation(0)
    start = time.perf_counter()
    for way in sys.argv[3:]:
        api.performAgentAction(0, {"action": "MOVE_DIRECTION", "arg1": way})
        api.tick()
        api.getAgentObservation(0)
    print(time.perf_counter() - start, file=sys.stderr)
"""
"""The package as its own agents use it, with pictures; in a process of its own, because ours changes it."""


def discoveryworld(runs: int) -> Rates:
    """In proteomics-normal, 20 steps a run, each with an observation in words."""
    from suites.discoveryworld.catalogue import kinds
    from suites.discoveryworld.names import Names
    from suites.discoveryworld.observation import compact
    from suites.discoveryworld.simulator import World

    ways = [("north", "east", "south", "west")[k // 3 % 4] for k in range(20)]
    kind = kinds()["proteomics-normal"]
    ours, names = World(kind, 0, random.Random(0)), Names(random.Random(1))

    def step(way: str) -> None:
        ours.act({"action": "MOVE_DIRECTION", "arg1": way})
        compact(names.translated(ours.look()), names)

    for _ in range(runs):
        words = [sys.executable, "-c", THEIRS, kind.scenario, kind.difficulty, *ways]
        theirs = subprocess.run(words, capture_output=True, text=True, check=True).stderr.splitlines()[-1]
        yield {"arena-llm": 20 / _seconds(step, ways), "discoveryworld": 20 / float(theirs)}


if __name__ == "__main__":
    run(main, "benchmarks.suite_speed")
