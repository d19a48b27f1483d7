"""The command line of `python -m benchmarks.learners`."""

from functools import partial
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.console import Console

from arena.files import atomic_file, check_output_folder
from arena.processes import in_order
from benchmarks import run
from benchmarks.learners import Run
from benchmarks.learners.algorithms import ALGORITHMS
from benchmarks.learners.run import learn
from benchmarks.learners.table import draw_curves, printed
from testbed import parse_levels
from testbed.benchmark import SMALL_BUDGET


def learners(
    out: Annotated[Path, typer.Option(help="Folder of the runs; those that are in it are not repeated.")],
    algorithm: Annotated[list[str] | None, typer.Option(help="Only this; may be repeated.")] = None,
    levels: Annotated[str, typer.Option(help="Such as 1-3 or 1,4.")] = "1-10",
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds.")] = 3,
    steps: Annotated[int, typer.Option(min=3, help="Training steps of each run.")] = SMALL_BUDGET,
    jobs: Annotated[int, typer.Option(min=1, help="Runs at a time.")] = 1,
) -> None:
    """Train every algorithm on every level with every seed, score the test tasks, and make table and curves.

    Seeds are 100, 200 and so on: the 16 arenas of a run have seeds of their own from there. Ctrl-C keeps
    finished runs. Writes results.csv and curves.png.
    """
    check_output_folder(out)
    wanted = algorithm or list(ALGORITHMS)
    if unknown := [name for name in wanted if name not in ALGORITHMS]:
        raise typer.BadParameter(f"got {unknown[0]!r}, expected one of: {', '.join(ALGORITHMS)}")
    runs = [
        Run(name, level, 100 * number)
        for number in range(1, seeds + 1)
        for level in parse_levels(levels)
        for name in wanted
    ]
    found = []
    for result in in_order(partial(learn, out=out, steps=steps), runs, jobs):
        found.append(result)
        print(
            f"{result['algorithm']}, level {result['level']}, seed {result['seed']}: "
            f"{result['normalised']:.2f} [{result['low']:.2f}, {result['high']:.2f}], "
            f"{result['passes']} of {result['test_tasks']} passed",
            flush=True,
        )
    results = pd.DataFrame(found)
    with atomic_file(out / "results.csv") as path:
        results.to_csv(path, index=False)
    with atomic_file(out / "curves.png") as path:
        draw_curves(results, out, path)
    Console().print(printed(results))


if __name__ == "__main__":
    run(learners, "benchmarks.learners")
