"""EST's reference agents compared with the paper's Table 2: `python -m benchmarks.est`."""

from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from arena.errors import ConfigError
from benchmarks import run
from suites.est.agents import AGENTS, Maker
from suites.est.findings import COLUMNS, published
from suites.est.world import CONTEXT, HORIZON, PRESETS, Floats, Machines, Preset


def main(
    agent: Annotated[list[str] | None, typer.Option(help="Only this; may be repeated.")] = None,
    preset: Annotated[str, typer.Option(help=f"One of {', '.join(PRESETS)}.")] = "est",
    episodes: Annotated[int, typer.Option(min=1, help="Episodes of a run.")] = 10_000,
    runs: Annotated[int, typer.Option(min=2, help="Runs of each agent.")] = 30,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all runs.")] = 0,
) -> None:
    """Play the reference agents and print them; on `est` with the paper's Table 2."""
    if preset not in PRESETS:
        raise ConfigError(f"--preset: got {preset!r}, expected one of {', '.join(PRESETS)}")
    if unknown := [name for name in agent or () if name not in AGENTS]:
        raise ConfigError(f"--agent: got {unknown[0]!r}, expected one of {', '.join(AGENTS)}")
    table = Table(title=f"{preset}: mean of {runs} runs of {episodes:,} episodes ± one run's spread")
    for column in ("agent", *COLUMNS):
        table.add_column(column, justify="right" if column in COLUMNS else "left")
    # The paper played no other machine.
    paper = published() if preset == "est" else {}
    for name in agent or AGENTS:
        found = measure(name, PRESETS[preset], episodes, runs, seed)
        pairs = zip(found.mean(axis=0), found.std(axis=0, ddof=1), strict=True)
        table.add_row(name, *(f"{mean:.2f} ± {spread:.2f}" for mean, spread in pairs))
        if name in paper:
            table.add_row("  paper", *(f"{figure:.2f}" for figure in paper[name]), style="dim")
    Console().print(table)


def measure(agent: str, preset: Preset, episodes: int, runs: int, seed: int) -> Floats:
    """(runs, 4): `COLUMNS` of several runs of an agent, each with a generator of its own."""
    rngs = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(runs))
    return np.array([play(AGENTS[agent], preset, episodes, rng) for rng in rngs])


def play(make: Maker, preset: Preset, episodes: int, rng: np.random.Generator) -> tuple[float, ...]:
    """One run of an agent: the figures of `COLUMNS` over a number of episodes."""
    world = Machines(preset, episodes, rng)
    player = make(preset, episodes, rng)
    solved, total, figures = np.zeros(episodes, np.bool_), np.zeros(episodes), []
    for number in range(1, HORIZON + 1):
        step = world.step(*player.act(world.panels, world.lights))
        solved, total = solved | step.solved, total + step.rewards
        if number in (CONTEXT, HORIZON):
            figures += [100 * float(solved.mean()), float(total.mean())]
    return tuple(figures)


if __name__ == "__main__":
    run(main, "benchmarks.est")
