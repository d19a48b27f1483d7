"""The command line of `python -m suites.est`."""

import sys
from typing import Annotated

import typer
from rich.console import Console

from arena.errors import ArenaError, ConfigError
from suites.est.agents import AGENTS
from suites.est.table import measure, printed, published
from suites.est.world import PRESETS


def table(
    agent: Annotated[list[str] | None, typer.Option(help="Only this; may be repeated.")] = None,
    preset: Annotated[str, typer.Option(help=f"One of {', '.join(PRESETS)}.")] = "est",
    episodes: Annotated[int, typer.Option(min=1, help="Episodes of a run.")] = 10_000,
    runs: Annotated[int, typer.Option(min=2, help="Runs of each agent.")] = 30,
    seed: Annotated[int, typer.Option(min=0, help="Of all runs.")] = 0,
) -> None:
    """Play the reference agents and print them; on `est` beside the paper's Table 2."""
    if preset not in PRESETS:
        raise ConfigError(f"--preset: got {preset!r}, expected one of {', '.join(PRESETS)}")
    chosen = agent or list(AGENTS)
    if unknown := [name for name in chosen if name not in AGENTS]:
        raise ConfigError(f"--agent: got {unknown[0]!r}, expected one of {', '.join(AGENTS)}")
    measured = [measure(name, PRESETS[preset], episodes, runs, seed) for name in chosen]
    title = f"{preset}: mean of {runs} runs of {episodes:,} episodes ± one run's spread"
    # The paper played no other machine.
    Console().print(printed(measured, title, published() if preset == "est" else {}))


if __name__ == "__main__":
    try:
        typer.run(table)
    except ArenaError as error:
        sys.exit(f"suites.est: {error}")
