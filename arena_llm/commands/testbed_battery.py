"""`arena-llm testbed verify`, `generate` and `atlas`."""

import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from arena.errors import ConfigError
from arena_llm.commands.testbed import testbed_app
from arena_llm.engine_option import EngineName, EngineOption, RayAddress, opened
from arena_llm.status import INTERRUPTED

Levels = Annotated[str, typer.Option(help="Levels, such as 1-3 or 1,4.")]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Processes; as many as there are cores where left out.")
]


@testbed_app.command("verify")
def verify_command(
    testbed: Annotated[
        Path | None, typer.Option(help="Folder of task files with their solutions; the shipped battery else.")
    ] = None,
    levels: Annotated[str | None, typer.Option(help="Levels, such as 1-3 or 1,4; all else.")] = None,
    jobs: Jobs = None,
    engine: EngineOption = EngineName.LOCAL,
    ray_address: RayAddress = None,
) -> None:
    """Replay every task's solution, which must pass, and its failure, which must fail; status 1 where not."""
    from testbed import find_tasks, parse_levels
    from testbed.proof.solutions import verify_all
    from testbed.tasks import LEVELS_FOLDER

    folder = testbed or LEVELS_FOLDER
    tasks = find_tasks(parse_levels(levels) if levels else None, folder)
    console, problems, count = Console(soft_wrap=True), 0, 0
    try:
        with (
            opened(engine, ray_address, jobs) as spread,
            closing(verify_all(tasks, folder, spread.jobs, spread)) as verdicts,
            _bar() as bar,
        ):
            for verdict in bar.track(verdicts, total=len(tasks), description="verifying"):
                count += 1
                if verdict.problem:
                    problems += 1
                    console.print(f"{verdict.task_id}: {verdict.problem}", markup=False, highlight=False)
    except KeyboardInterrupt:
        _stopped(f"Stopped after {count} of {len(tasks)} tasks.")
    console.print(
        f"{count - problems} of {count} tasks are proven: solved by one recording, failed by another."
    )
    if problems:
        raise typer.Exit(1)


@testbed_app.command("generate")
def generate_command(
    out: Annotated[Path, typer.Option(help="Folder for the files; a second run into it goes on.")],
    count: Annotated[int, typer.Option(min=1, help="Number of tasks, spread over the paradigms.")] = 30,
    seed: Annotated[int, typer.Option(min=0, help="Another seed draws other tasks.")] = 1,
    levels: Levels = "1-10",
    difficulty: Annotated[
        int | None, typer.Option(min=1, max=3, help="Only paradigms of this difficulty, 1 to 3.")
    ] = None,
    jobs: Jobs = None,
    engine: EngineOption = EngineName.LOCAL,
    ray_address: RayAddress = None,
) -> None:
    """Draw fresh tasks, each proven solvable before it is written, with solutions and a table of demands."""
    from testbed import parse_levels
    from testbed.proof.batch import fresh, make
    from testbed.proof.demands import write_table
    from testbed.proof.similarity import report

    if out.exists() and not out.is_dir():
        raise ConfigError(f"--out: {out} is not a folder")
    orders = fresh(parse_levels(levels), count, seed, difficulty)
    made = 0
    try:
        with opened(engine, ray_address, jobs) as spread:
            with closing(make(orders, out, spread.jobs, spread)) as results, _bar() as bar:
                for _ in bar.track(results, total=len(orders), description="drawing"):
                    made += 1
            table = write_table(out, spread.jobs, spread)
    except KeyboardInterrupt:
        _stopped(f"Stopped with {made} of {count} tasks in {out}; the same command goes on.")
    Console(soft_wrap=True).print(f"{made} tasks in {out}, all solved; demands: {table}. {report(out)}")


@testbed_app.command("atlas")
def atlas_command(
    out: Annotated[Path, typer.Option(help="Folder for the page.")] = Path("atlas"),
    testbed: Annotated[
        Path | None, typer.Option(help="Folder of task files; the shipped battery where left out.")
    ] = None,
    levels: Annotated[str | None, typer.Option(help="Levels, such as 1-3 or 1,4; all else.")] = None,
) -> None:
    """Write a page to browse all tasks: from above with the solution's way, from the agent, in words."""
    from testbed import find_tasks, parse_levels
    from testbed.proof.atlas import write_atlas
    from testbed.tasks import LEVELS_FOLDER

    folder = testbed or LEVELS_FOLDER
    tasks = find_tasks(parse_levels(levels) if levels else None, folder)
    try:
        with _bar() as bar:
            page = write_atlas(tasks, folder, out, lambda entries: bar.track(entries, total=len(tasks)))
    except KeyboardInterrupt:
        _stopped(f"Stopped; {out} is not complete.")
    Console(soft_wrap=True).print(f"Atlas of {len(tasks)} tasks: {page}", markup=False)


def _bar() -> Progress:
    console = Console(stderr=True)
    return Progress(console=console, transient=True, disable=not console.is_terminal)


def _stopped(sentence: str) -> None:
    print(sentence, file=sys.stderr)
    raise typer.Exit(INTERRUPTED) from None
