"""The figures of a benchmark, as a table and as JSON."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.files import write_file
from benchmarks.parts import PARTS
from benchmarks.result import Result, Spread

SLOWEST = 5
"""Number of slowest tasks that are named."""

NOISY = 0.15
"""Passes that differ by more than this share of their median are called noisy."""

SHARED = 0.95
"""Less processor time per second than this means that something else used the processor."""

BUSY = 0.5
"""Load per core above which the machine is reported as busy."""

_PARTS = {part.name: part for part in PARTS}


def print_machine(console: Console, facts: dict[str, Any]) -> None:
    """The machine, its software, and what was measured."""
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    loads = " -> ".join(
        "?" if load is None else f"{load:.2f}" for load in (facts["load_before"], facts["load_after"])
    )
    usable = facts["usable_cores"] or "?"
    drawing = f"; OpenGL: {facts['opengl'] or 'none'}" if "opengl" in facts else ""
    for line in (
        f"{facts['processor']}; {facts['cores']} cores, {usable} usable; load {loads}{drawing}",
        f"{facts['system']}; {versions}",
        f"{facts['selection']}; seed {facts['seed']}, {facts['passes']} passes, {facts['rounds']} rounds,"
        " one process at a time",
    ):
        console.print(line, highlight=False)


def print_parts(console: Console, results: Sequence[Result], facts: dict[str, Any]) -> None:
    """A table with one row per part, the slowest tasks, and what may have disturbed the figures."""
    console.print(_table(results))
    console.print(
        "Ratio: our speed in units of the peer's, task by task, median and quartiles. CPU: processor time"
        " used per second.",
        highlight=False,
    )
    for result in results:
        if result.name in ("physics", "reset"):
            slowest = ", ".join(f"{task} ({_number(rate)})" for task, rate in result.slowest(SLOWEST))
            console.print(f"Slowest in {result.name}: {slowest}", highlight=False)
    for note in _notes(results, facts):
        console.print(note)


def as_dict(results: Sequence[Result], facts: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Plain values for JSON: the machine, the options, and every measured rate.

    `more` are further sections by name.
    """
    return {"facts": facts, "parts": [_part_dict(result) for result in results], **more}


def write_json(path: Path, results: Sequence[Result], facts: dict[str, Any], **more: Any) -> None:
    """Store everything that was measured; `more` are further sections by name."""
    write_file(path, json.dumps(as_dict(results, facts, **more), indent=1) + "\n")


def _part_dict(result: Result) -> dict[str, Any]:
    part = _PARTS[result.name]
    median, slow = result.milliseconds
    return {
        "name": result.name,
        "unit": f"{part.unit} per second",
        "peer": part.peer,
        "median_over_tasks": result.median_task,
        "total": result.total._asdict(),
        "peer_total": result.peer_total._asdict(),
        "ratio": result.ratio._asdict(),
        "milliseconds": {"median": median, "percentile_95": slow},
        "noise": result.noise,
        "cpu": result.cpu,
        "slowest": [{"task": task, "rate": rate} for task, rate in result.slowest(SLOWEST)],
        "tasks": list(result.tasks),
        "rates": result.ours.tolist(),
        "peer_rates": result.theirs.tolist(),
    }


def _table(results: Sequence[Result]) -> Table:
    table = Table(
        title="per second; in brackets the lowest and the highest pass; ms: median task (95 % of tasks)",
        title_justify="left",
    )
    for heading in (
        "measured",
        "median task",
        "all tasks",
        "ms",
        "peer in the same run",
        "peer",
        "ratio",
        "CPU",
    ):
        left = heading in ("measured", "peer in the same run")
        table.add_column(heading, justify="left" if left else "right")
    for result in results:
        part = _PARTS[result.name]
        median, slow = result.milliseconds
        table.add_row(
            result.name if part.unit in result.name else f"{result.name}: {part.unit}",
            _number(result.median_task),
            spread_words(result.total),
            f"{median:.3g} ({slow:.3g})",
            part.peer,
            spread_words(result.peer_total),
            f"{result.ratio.median:.2f} [{result.ratio.low:.2f}-{result.ratio.high:.2f}]",
            f"{result.cpu:.2f}",
        )
    return table


def _notes(results: Sequence[Result], facts: dict[str, Any]) -> list[Text]:
    notes = []
    for result in results:
        if result.name == "physics":
            ours, peer = 3 * result.total.median, 3 * result.peer_total.median
            notes.append(Text(f"In ticks, three a step: {ours:,.0f}/s, bare PyBullet {peer:,.0f}/s."))
    noisy = [f"{result.name} ({result.noise:.0%})" for result in results if result.noise > NOISY]
    if noisy:
        notes.append(Text(f"Noisy, passes differ by: {', '.join(noisy)}.", style="yellow"))
    shared = [f"{result.name} ({result.cpu:.2f})" for result in results if result.cpu < SHARED]
    if shared:
        note = f"Something else used the processor during: {', '.join(shared)}; alone it is faster."
        notes.append(Text(note, style="yellow"))
    if busy := busy_words(facts):
        notes.append(Text(busy, style="yellow"))
    return notes


def busy_words(facts: dict[str, Any]) -> str | None:
    """A note if the machine was busy before."""
    load, cores = facts["load_before"], facts["usable_cores"] or facts["cores"]
    if load is None or not cores or load / cores <= BUSY:
        return None
    return f"The machine was busy before (load {load:.2f} on {cores} cores): it is faster when idle."


def spread_words(spread: Spread) -> str:
    """Median [lowest-highest]."""
    return f"{_number(spread.median)} [{_number(spread.low)}-{_number(spread.high)}]"


def _number(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.1f}"
