"""The commands `arena-llm testbed`: check, verify, generate, fetch and browse task files."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from arena_llm.commands.testbed.check import check_command
from arena_llm.commands.testbed.fetch import fetch_command
from arena_llm.console import exit_interrupted, line_console, progress_bar
from arena_llm.options import EngineName, EngineOption, Jobs, Levels, RayAddress, Testbed, open_engine

testbed_app = typer.Typer(help="Check, verify, generate, fetch and browse task files.", no_args_is_help=True)
testbed_app.command("check")(check_command)
testbed_app.command("fetch")(fetch_command)


@testbed_app.command("verify")
def verify_command(
    testbed: Testbed = None,
    levels: Levels = None,
    jobs: Jobs = None,
    engine: EngineOption = EngineName.LOCAL,
    ray_address: RayAddress = None,
) -> None:
    """Replay each task's solution, which must pass, and its failure, which must fail; status 1 otherwise."""
    from testbed import find_tasks, parse_levels
    from testbed.proof.solutions import verify_all
    from testbed.tasks import LEVELS_FOLDER

    folder = testbed or LEVELS_FOLDER
    tasks = find_tasks(parse_levels(levels) if levels else None, folder)
    console, problems, count = line_console(), 0, 0
    try:
        with (
            open_engine(engine, ray_address, jobs) as opened,
            closing(verify_all(tasks, folder, opened.jobs, opened)) as verdicts,
            progress_bar(console) as bar,
        ):
            for verdict in bar.track(verdicts, total=len(tasks), description="verifying"):
                count += 1
                if verdict.problem:
                    problems += 1
                    console.print(f"{verdict.task_id}: {verdict.problem}")
    except KeyboardInterrupt:
        exit_interrupted(f"Stopped after {count} of {len(tasks)} tasks.")
    proven = count - problems
    console.print(f"{proven} of {count} tasks are proven: solved by one recording, failed by another.")
    if problems:
        raise typer.Exit(1)


@testbed_app.command("generate")
def generate_command(
    out: Annotated[Path, typer.Option(help="Folder for the files; a second run continues in it.")],
    count: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of tasks, spread over the paradigms. Default: 30, or as the battery."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Another seed draws other tasks. Default: 1, or a secret one.")
    ] = None,
    hidden: Annotated[
        bool, typer.Option("--hidden", help="Draw a hidden split: as the battery, from a secret seed.")
    ] = False,
    levels: Annotated[str, typer.Option(help="Levels, such as 1-3 or 1,4.")] = "1-10",
    difficulty: Annotated[
        int | None, typer.Option(min=1, max=3, help="Difficulty, 1 to 3. Default: all.")
    ] = None,
    jobs: Jobs = None,
    engine: EngineOption = EngineName.LOCAL,
    ray_address: RayAddress = None,
) -> None:
    """Draw fresh tasks, each proven solvable before it is written, with solutions and a table of demands."""
    from arena.files import check_output_folder
    from testbed import parse_levels
    from testbed.proof.demands import write_table
    from testbed.proof.hidden import hidden_split, whole
    from testbed.proof.prove import fresh, make
    from testbed.proof.similarity import report

    check_output_folder(out)
    chosen = parse_levels(levels)
    split = hidden_split(out, seed) if hidden else None
    count = count or (whole(chosen, difficulty) if split else 30)
    orders = fresh(chosen, count, split.seed if split else 1 if seed is None else seed, difficulty)
    made = 0
    try:
        with open_engine(engine, ray_address, jobs) as opened:
            with closing(make(orders, out, opened.jobs, opened)) as results, progress_bar() as bar:
                for _ in bar.track(results, total=len(orders), description="drawing"):
                    made += 1
            table = write_table(out, opened.jobs, opened)
    except KeyboardInterrupt:
        exit_interrupted(f"Stopped with {made} of {count} tasks in {out}; the same command continues.")
    line_console().print(f"{made} tasks in {out}, all solved; demands: {table}. {report(out)}")
    if split:
        line_console().print(
            f"Keep {out} secret, and logs of it too. To publish, SHA-256 of the seed: {split.commitment}"
        )


@testbed_app.command("atlas")
def atlas_command(
    out: Annotated[Path, typer.Option(help="Folder for the page.")] = Path("atlas"),
    testbed: Testbed = None,
    levels: Levels = None,
) -> None:
    """Write a page to browse all tasks: from above with the solution's path, from the agent, in words."""
    from arena.files import check_output_folder
    from testbed import find_tasks, parse_levels
    from testbed.proof.atlas import write_atlas
    from testbed.tasks import LEVELS_FOLDER

    folder = testbed or LEVELS_FOLDER
    tasks = find_tasks(parse_levels(levels) if levels else None, folder)
    check_output_folder(out)
    try:
        with progress_bar() as bar:
            page = write_atlas(tasks, folder, out, lambda entries: bar.track(entries, total=len(tasks)))
    except KeyboardInterrupt:
        exit_interrupted(f"Stopped; {out} is not complete.")
    line_console().print(f"Atlas of {len(tasks)} tasks: {page}")
