"""A recorded episode of the Unity original, as it lies in files (section 11 of the specification)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from arena import ArenaSpec, RecordingError, ScriptError, load
from arena_llm.fidelity.table import Line, read_table
from llm_control.choices import ArenaChoices
from llm_control.script import Script, parse

HEALTH_TOLERANCE = 0.05
"""Recorded health has one decimal, so a true replay is off by half of its last digit at most."""

_FLOAT_SUMS = 0.002
"""What single precision may add to that in a thousand ticks."""

TURN, SCRIPT, HEALTH = "turn", "script", "health_before_script"
STEPS = "env_steps_executed_by_script"
BEFORE = "cumulative_env_steps_before_script"

_PICTURE = re.compile(r"obs-(\d+)\.(\d+)\.(?:jpe?g|png)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    """One turn as recorded: `steps` that it took, and `health` after it (None where not recorded).

    The last turn may have taken fewer steps than its script asks for, as the episode ended in it.
    """

    place: str
    turn: int
    text: str
    script: Script
    steps: int
    health: float | None = None

    def agrees(self, health: float) -> bool | None:
        """Whether a replay's health is the recorded one; None where none was recorded."""
        return None if self.health is None else abs(health - self.health) <= HEALTH_TOLERANCE + _FLOAT_SUMS


@dataclass(frozen=True, slots=True)
class Trace:
    """A recording: its arena, the idle steps before the first script, its turns and its pictures.

    `pictures` are files by (turn, n): the view after the n-th step of that turn's script. Turn 0 are the
    pictures before the first script, where n counts them from 0.
    """

    name: str
    spec: ArenaSpec
    table: Path
    idle_steps: int
    rows: tuple[Row, ...]
    pictures: Mapping[tuple[int, int], Path]


def read_trace(folder: Path, table: Path | None = None) -> Trace:
    """Read a recording: `arena.yaml`, the pictures `obs-<turn>.<steps>.jpg`, and the table of its turns.

    Without `table` it is `trace.csv` in the folder, or `tutorial-trace.csv` beside the folder. Needed are
    the columns turn, script and health_before_script; those of steps, where there are any, are checked.

    Raises RecordingError where something is missing or contradicts itself, ConfigError for a broken arena.
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
    return Trace(folder.name, spec, path, idle, tuple(_rows(lines)), _pictures(folder))


def _table_of(folder: Path) -> Path:
    places = (folder / "trace.csv", folder.resolve().parent / "tutorial-trace.csv")
    for path in places:
        if path.is_file():
            return path
    raise RecordingError(
        f"no table of the recording's turns: neither {places[0]} nor {places[1]} is there; name it by --table"
    )


def _rows(lines: tuple[Line, ...]) -> Iterator[Row]:
    """Each row with the health that the next one tells: it is the one before the script."""
    rows = [_row(line, last=line is lines[-1]) for line in lines]
    for (row, _), (following, line) in pairwise(zip(rows, lines, strict=True)):
        if following.turn != row.turn + 1:
            raise RecordingError(f"{line.place}: turn: got {following.turn}, expected {row.turn + 1}")
        yield replace(row, health=line.number_in(HEALTH) if line.has(HEALTH) else None)
    yield rows[-1]


def _row(line: Line, last: bool) -> Row:
    text = line.cells[SCRIPT].strip()
    try:
        script = parse(text)
    except ScriptError as error:
        raise RecordingError(f"{line.place}: {SCRIPT}: {error}") from None
    steps = line.integer(STEPS) if line.has(STEPS) else script.steps
    if steps > script.steps or (steps < script.steps and not last):
        raise RecordingError(f"{line.place}: {STEPS}: got {steps}, but {text} takes {script.steps}")
    return Row(line.place, line.integer(TURN), text, script, steps)


def _pictures(folder: Path) -> dict[tuple[int, int], Path]:
    named = ((_PICTURE.fullmatch(path.name), path) for path in sorted(folder.iterdir()))
    return dict(sorted(((int(name[1]), int(name[2])), path) for name, path in named if name))
