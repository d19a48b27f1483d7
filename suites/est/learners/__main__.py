"""The command line of `python -m suites.est.learners`."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

# NOTEARS has small matrices, for which threads take twenty times longer; read when NumPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from arena.errors import ArenaError, ConfigError
from arena.files import check_output_folder, write_file
from arena.packages import missing_package
from suites.est.learners.result import as_csv, printed, trained


def learners(
    out: Annotated[
        Path | None,
        typer.Option(help="Train, and write policies and results here; those that are there are kept."),
    ] = None,
    learner: Annotated[list[str] | None, typer.Option(help="Only this; may be repeated.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds.")] = 2,
    steps: Annotated[int | None, typer.Option(min=1, help="Training steps [default: the learner's]")] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Test episodes.")] = 10_000,
) -> None:
    """Print learning agents beside the paper's Tables 3 and 4.

    Without --out the rows that come with the package; with it all are trained, tested and written to rows.csv
    in that folder. NOTEARS, which fits a graph in each step, and learners from pictures, of 80 x 60 pixels,
    play at most 500 test episodes.
    """
    if out is None:
        Console().print(printed(trained(), "as trained for this package"))
        return
    check_output_folder(out)
    try:
        from suites.est.learners.run import FEW, LEARNERS, SLOW, learn
    except ModuleNotFoundError as error:
        raise ConfigError(missing_package(error) or str(error)) from None
    wanted = learner or list(LEARNERS)
    if unknown := [name for name in wanted if name not in LEARNERS]:
        raise ConfigError(f"--learner: got {unknown[0]!r}, expected one of {', '.join(LEARNERS)}")
    rows = []
    for name in wanted:
        for seed in range(1, seeds + 1):
            found = learn(name, seed, out, steps, min(episodes, FEW) if name in SLOW else episodes)
            rows += found
            write_file(out / "rows.csv", as_csv(rows))
            print(as_csv(found).partition("\n")[2], end="", flush=True)
    Console().print(printed(rows, f"trained in {out}"))


if __name__ == "__main__":
    try:
        typer.run(learners)
    except ArenaError as error:
        sys.exit(f"suites.est.learners: {error}")
