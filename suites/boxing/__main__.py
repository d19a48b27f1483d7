"""The command line of `python -m suites.boxing`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from arena.errors import ArenaError, ConfigError
from arena.files import write_file
from suites.boxing.environments import WORLDS
from suites.boxing.oracle import VERDICTS, as_csv, heading, measured_baselines, printed, rows, table
from suites.boxing.oracle import speed as seconds
from suites.boxing.oracle import verdicts as measured_verdicts

app = typer.Typer(add_completion=False)

Environments = Annotated[list[str] | None, typer.Option("--environment", help="Only this; may be repeated.")]


def _chosen(environments: list[str] | None) -> list[str]:
    if unknown := [name for name in environments or () if name not in WORLDS]:
        raise ConfigError(f"--environment: got {unknown[0]!r}, expected one of {', '.join(WORLDS)}")
    return environments or list(WORLDS)


@app.callback(invoke_without_command=True)
def oracle(
    context: typer.Context,
    environment: Environments = None,
    episodes: Annotated[int, typer.Option(min=2, help="Worlds of each row.")] = 30,
    out: Annotated[Path | None, typer.Option(help="A file to write, as oracle.csv here.")] = None,
) -> None:
    """Print the errors of the Bayes-optimal predictor after 0 to 10 random and best experiments."""
    if context.invoked_subcommand is not None:
        return
    print(heading(), flush=True)
    found = []
    for name in _chosen(environment):
        for row in rows(name, episodes):
            print(printed(row), flush=True)
            found.append(row)
    if out is not None:
        write_file(out, as_csv(found))


@app.command()
def speed(environment: Environments = None) -> None:
    """Print the seconds that 10 experiments take, each the best of 100 random designs."""
    for name in _chosen(environment):
        print(f"{name:15}{seconds(name):.2f} s", flush=True)


@app.command()
def baselines(
    out: Annotated[Path, typer.Option(help="The file to write, as baselines.csv here.")],
    episodes: Annotated[int, typer.Option(min=2, help="Worlds of each row.")] = 1000,
) -> None:
    """Measure the errors of the best answers before any experiment."""
    write_file(out, measured_baselines(episodes))


@app.command()
def verdicts(
    environment: Environments = None,
    worlds: Annotated[int, typer.Option(min=2, help="Worlds of each row.")] = 100,
    best: Annotated[int, typer.Option(min=1, help="Of these, worlds with the best experiments.")] = 100,
    out: Annotated[Path | None, typer.Option(help="A file to write, as verdicts.csv here.")] = None,
) -> None:
    """Print the share of worlds that agents pass that learn nothing, and that perfect inference passes."""
    columns = ("environment", "goal", "mode", "worlds", "best_worlds", *VERDICTS)
    found = []
    for name in _chosen(environment):
        for row in measured_verdicts(name, worlds, min(best, worlds)):
            print(*row, flush=True)
            found.append(row)
    if out is not None:
        write_file(out, table(columns, found))


if __name__ == "__main__":
    try:
        app(standalone_mode=True)
    except ArenaError as error:
        sys.exit(f"suites.boxing: {error}")
