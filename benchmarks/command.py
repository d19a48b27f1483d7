"""The command line of `python -m benchmarks`."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from arena_llm.console import INTERRUPTED, wide_console
from arena_llm.options import TESTBED_HELP, located_testbed

if TYPE_CHECKING:
    from benchmarks.benchmark import Figures, Plan

COLUMNS = 150
"""Console width at which no figure of the tables is wrapped."""


class Group(StrEnum):
    """What can be measured separately."""

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
        Path | None, typer.Option(callback=located_testbed, metavar="DIR", help=TESTBED_HELP)
    ] = None,
    only: Annotated[list[Group] | None, typer.Option(help="Measure only this; may be repeated.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few tasks and rounds: rough figures.")] = False,
    batch: Annotated[
        int | None, typer.Option(min=2, help="Also draw this number of scenes in one call.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of arenas and actions.")] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", help="File for every measured rate.")] = None,
) -> None:
    """Measure steps, resets, pictures and rays per second, compare them with other programs, and profile.

    `rl` measures what matters for reinforcement learning: environments by gymnasium.make, one and many.
    """
    from arena.files import check_output
    from benchmarks.benchmark import Figures, print_figures
    from benchmarks.machine import load_average
    from benchmarks.report import write_json

    plan, facts = _planned(testbed, only, quick, batch, seed)
    if json_file:
        check_output(json_file)
        write_json(json_file, [], facts)
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
    """What to measure, and the facts about it; without pictures if none can be drawn.

    Raises ConfigError for a wrong folder, RenderError if only pictures are wanted and none can be drawn.
    """
    from arena import RenderError
    from benchmarks.benchmark import Plan, select_tasks
    from benchmarks.machine import machine_facts
    from benchmarks.measure import FULL, QUICK
    from benchmarks.parts import PARTS
    from benchmarks.peers.contenders import CONTENDERS, batch_contender
    from benchmarks.peers.rounds import FULL_ROUNDS, QUICK_ROUNDS
    from benchmarks.rl.effort import FULL_RL, QUICK_RL
    from benchmarks.rl.measure import RlPlan

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
    """Carry out a plan behind a progress bar."""
    from benchmarks.benchmark import measure

    console = Console(stderr=True)
    # The bar is drawn between measurements: a thread of its own would disturb them.
    with Progress(
        console=console, transient=True, auto_refresh=False, disable=not console.is_terminal
    ) as progress:
        bar = progress.add_task("", total=plan.advances)
        measure(plan, figures, lambda doing: progress.update(bar, advance=1, description=doing, refresh=True))
