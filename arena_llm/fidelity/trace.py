"""An episode recorded in the Unity original, read from its files."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from arena import ArenaSpec, RecordingError, ScriptError, load
from arena_llm.fidelity.table import Line, read_table
from llm_control.choices import ArenaChoices
from llm_control.script import Script, parse

HEALTH_TOLERANCE = 0.05
"""Recorded health has one decimal, so an exact replay differs by at most half of its last digit."""

_FLOAT_SUMS = 0.002
"""Error of single precision after a thousand ticks, in addition."""

TURN, SCRIPT, HEALTH = "turn", "script", "health_before_script"
STEPS = "env_steps_executed_by_script"
BEFORE = "cumulative_env_steps_before_script"

_PICTURE = re.compile(r"obs-(\d+)\.(\d+)\.(?:jpe?g|png)", re.IGNORECASE)


class Instant(NamedTuple):
    """An instant of an episode: after the n-th step of a turn; in turn 0, n counts pictures from 0."""

    turn: int
    n: int

    def __str__(self) -> str:
        return f"obs-{self.turn}.{self.n}"


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One recorded turn: its number of steps, and the health after it (None if it was not recorded).

    The last turn may have fewer steps than its script, as the episode ended in it.
    """

    place: str
    turn: int
    text: str
    script: Script
    steps: int
    health: float | None = None

    def agrees(self, health: float) -> bool | None:
        """Whether a replay's health is as recorded; None if it was not recorded."""
        return None if self.health is None else abs(health - self.health) <= HEALTH_TOLERANCE + _FLOAT_SUMS


@dataclass(frozen=True, slots=True)
class Trace:
    """A recording: its arena, the idle steps before the first script, its turns and its pictures."""

    name: str
    spec: ArenaSpec
    table: Path
    idle_steps: int
    turns: tuple[RecordedTurn, ...]
    pictures: Mapping[Instant, Path]


def read_trace(folder: Path, table: Path | None = None) -> Trace:
    """Read a recording: `arena.yaml`, the pictures `obs-<turn>.<steps>.jpg`, and the table of its turns.

    The default `table` is `trace.csv` in the folder, or `tutorial-trace.csv` beside the folder. It needs the
    columns turn, script and health_before_script; columns of steps are optional, and checked.

    Raises RecordingError if something is missing or contradictory, ConfigError for a broken arena.
    """
    if not folder.is_dir():
        raise RecordingError(f"{folder}: no such folder; expected one with arena.yaml and obs-*.jpg")
    arena = folder / "arena.yaml"
    if not arena.is_file():
        raise RecordingError(f"{arena}: not there; the folder of a recording holds its arena's file")
    path = table or _table_of(folder)
    lines = tuple(read_table(path, (TURN, SCRIPT, HEALTH)))
    first = lines[0]
    idle = first.integer(BEFORE) if first.has(BEFORE) else sum(ArenaChoices().initial_idle_steps)
    spec = next(iter(load(arena).arenas.values()))
    return Trace(folder.name, spec, path, idle, tuple(_turns(lines)), _pictures(folder))


def _table_of(folder: Path) -> Path:
    places = (folder / "trace.csv", folder.resolve().parent / "tutorial-trace.csv")
    for path in places:
        if path.is_file():
            return path
    raise RecordingError(
        f"no table of the recording's turns: neither {places[0]} nor {places[1]} is there; name it by --table"
    )


def _turns(lines: tuple[Line, ...]) -> Iterator[RecordedTurn]:
    """The turns, each with the health before the next one's script."""
    turns = [_turn(line, last=line is lines[-1]) for line in lines]
    for (turn, _), (following, line) in pairwise(zip(turns, lines, strict=True)):
        if following.turn != turn.turn + 1:
            raise RecordingError(f"{line.place}: turn: got {following.turn}, expected {turn.turn + 1}")
        yield replace(turn, health=line.real(HEALTH) if line.has(HEALTH) else None)
    yield turns[-1]


def _turn(line: Line, last: bool) -> RecordedTurn:
    text = line.cells[SCRIPT].strip()
    try:
        script = parse(text)
    except ScriptError as error:
        raise RecordingError(f"{line.place}: {SCRIPT}: {error}") from None
    steps = line.integer(STEPS) if line.has(STEPS) else script.steps
    if steps > script.steps or (steps < script.steps and not last):
        raise RecordingError(f"{line.place}: {STEPS}: got {steps}, but {text} takes {script.steps}")
    return RecordedTurn(line.place, line.integer(TURN), text, script, steps)


def _pictures(folder: Path) -> dict[Instant, Path]:
    named = ((_PICTURE.fullmatch(path.name), path) for path in sorted(folder.iterdir()))
    return dict(sorted((Instant(int(name[1]), int(name[2])), path) for name, path in named if name))
