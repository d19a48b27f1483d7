"""The command line of `python -m suites.discoveryworld`."""

import random
import sys
import time
from collections.abc import Mapping
from statistics import mean, median
from typing import Annotated, Any

import typer

from arena.errors import ArenaError, EvaluationError
from evaluation.suite import EpisodeSetup, Record
from suites.discoveryworld.catalogue import METRICS, PAPER_SEEDS, Kind, kinds, seed_list, selected
from suites.discoveryworld.names import Names
from suites.discoveryworld.observation import compact
from suites.discoveryworld.original import stepper
from suites.discoveryworld.package import check_installed
from suites.discoveryworld.simulator import World
from suites.discoveryworld.suite import SUITE

app = typer.Typer(add_completion=False, no_args_is_help=True)

WAYS = ("north", "east", "south", "west")


@app.command()
def worlds(
    seeds: Annotated[str, typer.Option(help="Of each world.")] = PAPER_SEEDS,
    steps: Annotated[int, typer.Option(min=1, help="In each world.")] = 5,
) -> None:
    """Load every world and take some steps in it; status 1 if one fails, with the reason."""
    check_installed()
    wanted, start = seed_list(seeds), time.perf_counter()
    failed = 0
    for kind in kinds().values():
        faults = [fault for seed in wanted if (fault := _fault(kind, seed, steps))]
        failed += len(faults)
        print(kind.name, "; ".join(faults) or "loads and steps", flush=True)
    number = len(kinds()) * len(wanted)
    print(f"{number - failed} of {number} worlds in {time.perf_counter() - start:.0f} s")
    raise typer.Exit(int(failed > 0))


def _fault(kind: Kind, seed: int, steps: int) -> str:
    """Why a world cannot be played; empty if it can."""
    try:
        world = World(kind, seed, random.Random(seed))
        for step in range(steps):
            world.act(_move(step))
            world.look()
    except EvaluationError as error:
        return f"seed {seed}: {error}"
    return ""


@app.command()
def speed(
    world: Annotated[str, typer.Option(help="A kind of world.")] = "proteomics-normal",
    steps: Annotated[int, typer.Option(min=1, help="Of each run.")] = 20,
    runs: Annotated[int, typer.Option(min=1, help="Of both, in turn.")] = 3,
) -> None:
    """Steps per second, each with an observation in words, beside the package's own way in the same run."""
    check_installed()
    kind = kinds()[world]
    theirs = stepper(kind.scenario, kind.difficulty)
    ours, names = World(kind, 0, random.Random(0)), Names(random.Random(1))

    def step(action: Mapping[str, Any]) -> None:
        ours.act(action)
        compact(names.translated(ours.look()), names)

    rates: dict[str, list[float]] = {"arena-llm": [], "discoveryworld": []}
    for _ in range(runs):
        for who, call in (("arena-llm", step), ("discoveryworld", theirs)):
            start = time.perf_counter()
            for k in range(steps):
                call(_move(k))
            rates[who].append(steps / (time.perf_counter() - start))
    for who, found in rates.items():
        print(f"{who}: {median(found):.1f} steps/s ({min(found):.1f} to {max(found):.1f})")
    print(f"ratio: {median(rates['arena-llm']) / median(rates['discoveryworld']):.0f}")


@app.command()
def scripts(seeds: Annotated[str, typer.Option(help="Of each world.")] = PAPER_SEEDS) -> None:
    """Play each script in its worlds: what it completes, its share of the points, and its steps."""
    check_installed()
    from suites.discoveryworld.scripts import SCRIPTS

    for script, kind in [(name, kind) for name in SCRIPTS for kind in selected(name)]:
        records = [_record(script, f"{kind.name}-{seed}") for seed in seed_list(seeds)]
        if found := [record.metrics for record in records if record is not None]:
            completion, procedure = (mean(each[what] for each in found) for what in METRICS[1::-1])
            steps = sorted(each["steps"] for each in found)
            print(f"{kind.name}: completion {completion:.2f}, procedure {procedure:.2f}, ", end="")
            print(f"{steps[0]} to {steps[-1]} steps, {len(found)} worlds", flush=True)


def _record(script: str, task_id: str) -> Record | None:
    """What a script did in a world; None if the package cannot load it, which is printed."""
    from suites.discoveryworld.scripts import played

    choices = SUITE.choices()
    task = SUITE.find_task(task_id, choices, None)
    assert task is not None
    try:
        return played(script, EpisodeSetup(SUITE, task, 0, choices, SUITE.prompts())).finish()
    except EvaluationError as error:
        print(f"{task_id}: {error}")
        return None


def _move(step: int) -> dict[str, Any]:
    return {"action": "MOVE_DIRECTION", "arg1": WAYS[step // 3 % 4]}


if __name__ == "__main__":
    try:
        app()
    except ArenaError as error:
        sys.exit(f"suites.discoveryworld: {error}")
