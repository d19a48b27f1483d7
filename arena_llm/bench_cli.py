"""The `arena-llm bench` command."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from arena_llm.status import INTERRUPTED
from arena_llm.wide import wide_console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena_llm.bench import Effort, Part, Result
    from testbed import Task

COLUMNS = 150
"""Width at which no figure of the table is broken."""


class Group(StrEnum):
    """What can be measured alone."""

    PHYSICS = "physics"
    RESET = "reset"
    FRAMES = "frames"
    RAYS = "rays"


def bench_command(
    testbed: Annotated[
        Path | None, typer.Option(help="Folder of task files; the shipped battery where left out.")
    ] = None,
    only: Annotated[list[Group] | None, typer.Option(help="Measure this only; may be repeated.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few tasks, seconds, and rough figures.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the arenas' and the actions' randomness.")] = 0,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="File for every rate that was measured.")
    ] = None,
) -> None:
    """Measure steps, resets, pictures and rays per second, beside PyBullet on its own."""
    from arena_llm.bench import FULL, PARTS, QUICK, machine_facts, select_tasks
    from arena_llm.bench.machine import load_average
    from arena_llm.bench.report import check_writable, print_results, write_json

    effort = QUICK if quick else FULL
    parts = [part for part in PARTS if not only or part.group in only]
    selection = select_tasks(testbed, effort.every)
    if json_file:
        check_writable(json_file)
    facts = machine_facts(drawing=any(part.group == Group.FRAMES for part in parts))
    facts |= {"selection": selection.words, "seed": seed, "passes": effort.passes, "quick": quick}
    facts["load_before"] = load_average()
    results: list[Result] = []
    interrupted = False
    try:
        _measure(parts, selection.tasks, effort, seed, results)
    except KeyboardInterrupt:
        interrupted = True
    facts["load_after"] = load_average()
    console = wide_console(COLUMNS)
    print_results(console, results, facts)
    if json_file:
        write_json(json_file, results, facts)
        console.print(f"Figures: {json_file}", soft_wrap=True)
    if interrupted:
        print(f"Stopped after {len(results)} of {len(parts)} parts.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)


def _measure(
    parts: "Sequence[Part]", tasks: "Sequence[Task]", effort: "Effort", seed: int, results: "list[Result]"
) -> None:
    """Measure the parts one after another, adding each to `results` when it is done."""
    from arena_llm.bench import measure_part

    console = Console(stderr=True)
    # The bar is drawn between measurements, not by a thread of its own that would disturb them.
    with Progress(
        console=console, transient=True, auto_refresh=False, disable=not console.is_terminal
    ) as progress:
        for part in parts:
            bar = progress.add_task(part.name, total=effort.passes * len(tasks))

            def advance(bar: TaskID = bar) -> None:
                progress.update(bar, advance=1, refresh=True)

            results.append(measure_part(part, tasks, effort, seed, advance))
