"""Speed on this machine beside other programs: `python -m benchmarks`, from a clone."""

import json
import platform
import sys
from enum import StrEnum
from importlib.metadata import distributions
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer

from arena.files import check_output, write_file
from arena.processes import cores
from arena_llm.console import INTERRUPTED, wide_console
from arena_llm.options import Testbed
from benchmarks import run
from benchmarks.figures import FULL, QUICK, Figures
from benchmarks.learning import Learning, sample, select_tasks
from benchmarks.peers import CONTENDERS, batch_contender, compare

PACKAGES = ("arena-llm", "pybullet", "pybullet-arm64", "numba", "numpy", "miniworld")


class Group(StrEnum):
    """What can be measured separately."""

    PEERS = "peers"
    RL = "rl"


def bench_command(
    testbed: Testbed = None,
    only: Annotated[list[Group] | None, typer.Option(help="Measure only this; may be repeated.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few tasks and rounds: rough figures.")] = False,
    batch: Annotated[
        int | None, typer.Option(min=2, help="Also draw this number of scenes in one call.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of arenas and actions.")] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", help="File for every measured value.")] = None,
) -> None:
    """Measure frames and steps of one scene beside other programs, and environments on the battery's tasks.

    `rl` measures environments by gymnasium.make, one and many. Ctrl-C keeps the figures so far.
    """
    tasks, words = select_tasks(testbed)
    facts = machine_facts() | {"tasks": words, "seed": seed, "quick": quick}
    facts["load_before"] = psutil.getloadavg()[0]
    figures, interrupted, effort = Figures(), False, QUICK if quick else FULL
    if json_file:
        check_output(json_file)
        _write(json_file, facts, figures)
    try:
        if Group.PEERS in (only or Group):
            compare([*CONTENDERS, *([batch_contender(batch)] if batch else [])], effort, seed, figures)
        if Group.RL in (only or Group):
            Learning(sample(tasks, effort.tasks), effort, seed, figures).measure()
    except KeyboardInterrupt:
        interrupted = True
    facts["load_after"] = psutil.getloadavg()[0]
    _print(facts, figures)
    if json_file:
        _write(json_file, facts, figures)
    if interrupted:
        print("Stopped early: the tables have what was measured until then.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)


def machine_facts() -> dict[str, Any]:
    """Processor, cores, system and versions."""
    found = {each.name: each.version for each in distributions() if each.name in PACKAGES}
    return {
        "processor": _processor(),
        "cores": cores(),
        "system": platform.platform(),
        "versions": {"python": platform.python_version(), **found},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())


def _write(path: Path, facts: dict[str, Any], figures: Figures) -> None:
    stored = {"facts": facts, "notes": figures.notes, "figures": figures.frame.to_dict("records")}
    write_file(path, json.dumps(stored, indent=1) + "\n")


def _print(facts: dict[str, Any], figures: Figures) -> None:
    """The machine, a table for each section, and notes."""
    # At this width no figure of the tables is wrapped.
    console = wide_console(150)
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    load = f"load {facts['load_before']:.2f} before and {facts['load_after']:.2f} afterwards"
    notes = [f"{facts['processor']}, {facts['cores']} cores; {load}, and all is faster on an idle machine"]
    notes += [f"{facts['system']}; {versions}", f"Tasks: {facts['tasks']}; seed {facts['seed']}"]
    for note in notes:
        console.print(note, highlight=False)
    for table in figures.tables():
        console.print(table)
    for note in figures.notes:
        console.print(note, highlight=False, markup=False)


if __name__ == "__main__":
    run(bench_command, "benchmarks")
