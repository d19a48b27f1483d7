"""The `arena-llm bench` command."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from arena_llm.console import INTERRUPTED, wide_console

if TYPE_CHECKING:
    from benchmarks import Figures, Plan

COLUMNS = 150
"""Width at which no figure of the table is broken."""


class Group(StrEnum):
    """What can be measured alone."""

    PHYSICS = "physics"
    RESET = "reset"
    FRAMES = "frames"
    RAYS = "rays"
    PEERS = "peers"
    PROFILE = "profile"
    RL = "rl"


_DRAWING = {Group.FRAMES, Group.PEERS, Group.PROFILE, Group.RL}


def bench_command(
    testbed: Annotated[
        Path | None, typer.Option(help="Folder of task files; the shipped battery where left out.")
    ] = None,
    only: Annotated[list[Group] | None, typer.Option(help="Measure this only; may be repeated.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few tasks, seconds, and rough figures.")] = False,
    batch: Annotated[
        int | None, typer.Option(min=2, help="Also draw so many scenes in one call, beside the peers.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the arenas' and the actions' randomness.")] = 0,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="File for every rate that was measured.")
    ] = None,
) -> None:
    """Measure steps, resets, pictures and rays per second, beside other programs, and where time goes.

    `rl` measures what people who train count: environments through gymnasium.make, and many at once.
    """
    from benchmarks import Figures, print_figures
    from benchmarks.machine import load_average
    from benchmarks.report import check_writable, write_json

    plan, facts = _planned(testbed, only, quick, batch, seed)
    if json_file:
        check_writable(json_file)
    facts["load_before"] = load_average()
    figures, interrupted = Figures(), False
    try:
        _measure(plan, figures)
    except KeyboardInterrupt:
        interrupted = True
    facts["load_after"] = load_average()
    console = wide_console(COLUMNS)
    print_figures(console, figures, facts)
    if json_file:
        write_json(json_file, figures.parts, facts, **figures.sections())
        console.print(f"Figures: {json_file}", soft_wrap=True)
    if interrupted:
        print(f"Stopped after {figures.done} of {len(plan)} parts.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)


def _planned(
    testbed: Path | None, only: list[Group] | None, quick: bool, batch: int | None, seed: int
) -> tuple["Plan", dict[str, Any]]:
    """What to measure, and the facts about it; pictures are left out where none can be drawn.

    Raises ConfigError for a wrong folder, RenderError where only pictures are asked for and there are none.
    """
    from arena import RenderError
    from benchmarks import FULL, PARTS, QUICK, Plan, machine_facts, select_tasks
    from benchmarks.peers import CONTENDERS, FULL_ROUNDS, QUICK_ROUNDS, batch_contender
    from benchmarks.rl import FULL_RL, QUICK_RL, RlPlan

    effort = QUICK if quick else FULL
    selection = select_tasks(testbed, effort.every)
    wanted = set(only or Group)
    facts = machine_facts(drawing=bool(wanted & _DRAWING))
    if facts.get("no_opengl"):
        wanted -= {Group.FRAMES, Group.PROFILE}
        if not wanted:
            raise RenderError(facts["no_opengl"])
    rounds = QUICK_ROUNDS if quick else FULL_ROUNDS
    contenders = [*CONTENDERS, *([batch_contender(batch)] if batch else [])]
    rl_effort, drawing = QUICK_RL if quick else FULL_RL, not facts.get("no_opengl")
    plan = Plan(
        [part for part in PARTS if part.group in wanted],
        selection.tasks,
        effort,
        contenders if Group.PEERS in wanted else [],
        Group.PROFILE in wanted,
        rounds,
        seed,
        RlPlan.of(selection.tasks, rl_effort, rounds, seed, drawing) if Group.RL in wanted else None,
    )
    facts |= {"selection": selection.words, "seed": seed, "passes": effort.passes, "rounds": rounds.count}
    return plan, facts | {"quick": quick}


def _measure(plan: "Plan", figures: "Figures") -> None:
    """Do what was planned behind a progress bar."""
    from benchmarks import measure

    console = Console(stderr=True)
    # The bar is drawn between measurements, not by a thread of its own that would disturb them.
    with Progress(
        console=console, transient=True, auto_refresh=False, disable=not console.is_terminal
    ) as progress:
        bar = progress.add_task("", total=plan.advances)
        measure(plan, figures, lambda doing: progress.update(bar, advance=1, description=doing, refresh=True))
