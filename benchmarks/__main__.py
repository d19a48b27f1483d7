"""Speed on this machine beside other programs: `python -m benchmarks`, from a clone."""

import json
import os
import platform
import sys
from collections.abc import Callable
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.files import check_output, write_file
from arena.processes import cores
from arena_llm.console import INTERRUPTED, wide_console
from arena_llm.options import TESTBED_HELP, located_testbed
from benchmarks import run
from benchmarks.figures import FULL, QUICK, Figures
from benchmarks.learning import measure_learning, select_tasks
from benchmarks.peers import CONTENDERS, batch_contender, compare

COLUMNS = 150
"""Console width at which no figure of the tables is wrapped."""

BUSY = 0.5
"""Load per core above which the machine is reported as busy."""

PACKAGES = ("arena-llm", "pybullet", "pybullet-arm64", "numba", "numpy", "pyrender", "miniworld")


class Group(StrEnum):
    """What can be measured separately."""

    PEERS = "peers"
    RL = "rl"


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
    json_file: Annotated[Path | None, typer.Option("--json", help="File for every measured value.")] = None,
) -> None:
    """Measure frames and steps of one scene beside other programs, and environments on the battery's tasks.

    `rl` measures environments by gymnasium.make, one and many. Ctrl-C keeps the figures so far.
    """
    tasks, words = select_tasks(testbed)
    facts = machine_facts() | {"tasks": words, "seed": seed, "quick": quick, "load_before": load_average()}
    figures, interrupted, effort = Figures(), False, QUICK if quick else FULL
    if json_file:
        check_output(json_file)
        _write(json_file, facts, figures)
    try:
        if Group.PEERS in (only or Group):
            compare([*CONTENDERS, *([batch_contender(batch)] if batch else [])], effort, seed, figures)
        if Group.RL in (only or Group):
            measure_learning(tasks, effort, seed, figures)
    except KeyboardInterrupt:
        interrupted = True
    facts["load_after"] = load_average()
    _print(facts, figures)
    if json_file:
        _write(json_file, facts, figures)
    if interrupted:
        print("Stopped early: the tables have what was measured until then.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)


def machine_facts() -> dict[str, Any]:
    """Processor, cores, system and versions."""
    return {
        "processor": _processor(),
        "cores": cores(),
        "system": platform.platform(),
        "versions": {"python": platform.python_version(), **_versions()},
    }


def load_average() -> float | None:
    """Average number of runnable processes over the last minute; None if the system does not report it."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


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
    """The machine, a table for each section, and what may have disturbed the figures."""
    console = wide_console(COLUMNS)
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    notes = [f"{facts['processor']}, {facts['cores']} cores"]
    notes += [f"{facts['system']}; {versions}", f"Tasks: {facts['tasks']}; seed {facts['seed']}"]
    for note in notes:
        console.print(note, highlight=False)
    for table in figures.tables():
        console.print(table)
    load: Callable[[str], float] = lambda when: facts[f"load_{when}"] or 0.0  # noqa: E731
    if load("before") > BUSY * facts["cores"]:
        figures.notes.append(
            f"The machine was busy before (load {load('before'):.2f} on {facts['cores']} cores, afterwards"
            f" {load('after'):.2f}): it is faster when idle."
        )
    for note in figures.notes:
        console.print(note, highlight=False, markup=False)


if __name__ == "__main__":
    run(bench_command, "benchmarks")
