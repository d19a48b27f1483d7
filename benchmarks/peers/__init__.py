"""One scene of 50 things drawn and stepped by arena-llm and by other programs, in turn."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Any

from arena.packages import data_of
from benchmarks.figures import OURS, Absent, Apart, Effort, Figures

SIDES = (84, 128, 512)
"""Sides of the pictures in pixels: Animal-AI's learned agents', a common one, and language models'."""

MOST, WARM_UP = 5000, 3
"""Times that a thing is done in a round at most, and before, uncounted."""


Timed = Callable[[int], float]
"""Does something a number of times and returns the seconds that it took."""


class Work(StrEnum):
    """Quantity measured per second; the words are the titles of tables."""

    FRAMES = "frames/s"
    CAMERA = "steps/s with a camera"
    RAYS = "steps/s with rays"
    BOTH = "steps/s with rays and a camera"
    BARE = "steps/s without sensors"

    @property
    def sides(self) -> tuple[int, ...]:
        """Sides of its pictures; a single 0 for none."""
        return (0,) if self in (Work.RAYS, Work.BARE) else SIDES


@dataclass(frozen=True, slots=True)
class Contender:
    """One program that does some of the work.

    `module` has a function `opened(work, side, seed, **options)` that returns a `Timed`, and `about()`, which
    returns the program's versions and OpenGL renderer. `does` is what it draws or simulates for each work,
    `install` the remedy if it is missing.
    """

    name: str
    module: str
    does: Mapping[Work, str]
    options: Mapping[str, Any] = field(default_factory=dict)
    install: str = "reinstall arena-llm"


CONTENDERS = tuple(
    Contender(**row | {"does": {Work(work): what for work, what in row["does"].items()}})
    for row in data_of("benchmarks.peers", "contenders.yaml")
)
"""All that is compared, in the order of the tables."""


def batch_contender(count: int) -> Contender:
    """Our renderer, drawing `count` scenes in one call."""
    does = {Work.FRAMES: f"as {OURS}, {count} scenes in one call of BatchRenderer.frames"}
    return Contender(f"{OURS}, {count} at once", "benchmarks.peers.ours", does, {"batch": count})


@dataclass
class _Row:
    """A contender at one kind of work; `times` fill a slice of time, `reason` is why it cannot be done."""

    contender: Contender
    work: Work
    side: int
    times: int = 0
    reason: str = ""


def compare(contenders: Sequence[Contender], effort: Effort, seed: int, figures: Figures) -> None:
    """Measure all contenders in turn, forward and backward, so that a busy machine affects all alike."""
    rows = [
        _Row(contender, work, side)
        for work in Work
        for side in work.sides
        for contender in contenders
        if work in contender.does
    ]
    with ExitStack() as stack:
        apart = {each.name: stack.enter_context(Apart()) for each in contenders}
        for contender in contenders:
            figures.notes += _about(contender, apart[contender.name])
        # The first round warms up, and finds how often a thing fits into a slice.
        for number in range(effort.rounds + 1):
            for row in rows if number % 2 else reversed(rows):
                if not row.reason:
                    _measure(row, apart[row.contender.name], effort, seed, number, figures)
    figures.notes += dict.fromkeys(
        f"{row.contender.name} is missing ({row.work}): {row.reason}" for row in rows if row.reason
    )


def _about(contender: Contender, apart: Apart) -> list[str]:
    notes = [f"{contender.name}, {work}: {does}." for work, does in contender.does.items()]
    try:
        facts = apart.call(_facts_of, contender.module, install=contender.install)
    except Absent:
        return []
    return [*notes, f"{contender.name} ran with {', '.join(f'{key} {fact}' for key, fact in facts.items())}."]


def _measure(row: _Row, apart: Apart, effort: Effort, seed: int, number: int, figures: Figures) -> None:
    """A row's next rate, or why there is none."""
    what = (row.contender.module, row.work, row.side, seed, tuple(row.contender.options.items()))
    try:
        if not row.times:
            apart.call(_seconds, *what, WARM_UP, install=row.contender.install)
            once = apart.call(_seconds, *what, WARM_UP) / WARM_UP
            least = row.contender.options.get("batch", 1)
            row.times = max(least, min(MOST, round(effort.slice_s / once)))
            return
        rate = row.times / apart.call(_seconds, *what, row.times)
    except Absent as reason:
        row.reason = str(reason)
        return
    side = f"{row.side} x {row.side}" if row.side else "no picture"
    figures.add(row.work, row.contender.name, side, "per second", number, {"scene": rate})


def _facts_of(module: str) -> dict[str, str]:
    return import_module(module).about()


def _seconds(
    module: str, work: Work, side: int, seed: int, options: tuple[tuple[str, Any], ...], count: int
) -> float:
    return _opened(module, work, side, seed, options)(count)


@cache
def _opened(module: str, work: Work, side: int, seed: int, options: tuple[tuple[str, Any], ...]) -> Timed:
    """Open once a process, so that each round continues the last one."""
    return import_module(module).opened(work, side, seed, **dict(options))
