"""Episode recorded in the Unity original, read from its files and replayed, with predicted poses."""

import csv
import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from arena import (
    IDLE,
    ArenaSpec,
    ConfigError,
    Episode,
    Event,
    Outcome,
    RecordingError,
    Scene,
    ScriptError,
    load,
)  # fmt: skip
from arena.files import read_text
from arena.replay import play
from arena.scene import Vector
from llm_control.choices import ArenaChoices
from llm_control.script import Script, parse


class Line(NamedTuple):
    """Row of a table: its cells by column, and its line in the file."""

    path: Path
    number: int
    cells: dict[str, str]

    @property
    def place(self) -> str:
        """`file:line`, for messages."""
        return f"{self.path}:{self.number}"

    def integer(self, column: str) -> int:
        """Read a whole number from 0. Raises RecordingError for any other cell."""
        text = self.cells[column].strip()
        if not text.isdecimal():
            raise RecordingError(f"{self.place}: {column}: got {text!r}, expected a whole number")
        return int(text)

    def real(self, column: str) -> float:
        """Read a finite number. Raises RecordingError for any other cell."""
        text = self.cells[column].strip()
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise RecordingError(f"{self.place}: {column}: got {text!r}, expected a number")
        return value

    def has(self, column: str) -> bool:
        """Return whether the row has a value in this column."""
        return bool((self.cells.get(column) or "").strip())


def read_table(path: Path, columns: tuple[str, ...]) -> Iterator[Line]:
    """Read the rows of a CSV file that has at least these columns.

    Raises RecordingError if the file cannot be read, lacks one of the columns or has no rows, and for a row
    that is shorter or longer than the heading.
    """
    try:
        lines = read_text(path).splitlines()
    except ConfigError as error:
        raise RecordingError(str(error)) from None
    table = csv.DictReader(lines)
    heading = table.fieldnames or ()
    missing = [column for column in columns if column not in heading]
    if missing:
        raise RecordingError(
            f"{path}:1: no column {', '.join(missing)}; got {', '.join(heading) or 'nothing'}"
        )
    cells = None
    for cells in table:
        if None in cells or None in cells.values():
            raise RecordingError(f"{path}:{table.line_num}: expected {len(heading)} cells, as in the heading")
        yield Line(path, table.line_num, cells)
    if cells is None:
        raise RecordingError(f"{path}: the table has a heading, but no rows")


HEALTH_TOLERANCE = 0.05
"""Recorded health has one decimal, so an exact replay differs by at most half of its last digit."""

_FLOAT_SUMS = 0.002
"""Error of single precision after a thousand ticks, in addition."""

TURN, SCRIPT, HEALTH = "turn", "script", "health_before_script"
STEPS = "env_steps_executed_by_script"
BEFORE = "cumulative_env_steps_before_script"

_PICTURE = re.compile(r"obs-(\d+)\.(\d+)\.(?:jpe?g|png)", re.IGNORECASE)


class Instant(NamedTuple):
    """Instant of an episode: after the n-th step of a turn; in turn 0, n counts pictures from 0."""

    turn: int
    n: int

    def __str__(self) -> str:
        return f"obs-{self.turn}.{self.n}"


class RecordedTurn(NamedTuple):
    """Recorded turn: its number of steps, and the health after it (None if not recorded).

    The last turn may have fewer steps than its script, as the episode ended in it.
    """

    turn: int
    text: str
    script: Script
    steps: int
    health: float | None = None

    def agrees(self, health: float) -> bool | None:
        """Return whether a replay's health is as recorded; None if not recorded."""
        return None if self.health is None else abs(health - self.health) <= HEALTH_TOLERANCE + _FLOAT_SUMS


class Trace(NamedTuple):
    """Recording: its arena, the idle steps before the first script, its turns and its pictures."""

    name: str
    spec: ArenaSpec
    idle_steps: int
    turns: tuple[RecordedTurn, ...]
    pictures: Mapping[Instant, Path]


def read_trace(folder: Path, table: Path | None = None) -> Trace:
    """Read a recording: `arena.yaml`, the pictures `obs-<turn>.<steps>.jpg`, and the table of its turns.

    The default `table` is `trace.csv` in the folder, or `tutorial-trace.csv` next to it. It needs the
    columns turn, script and health_before_script; columns of steps are optional, and checked.

    Raises RecordingError if something is missing or contradictory, ConfigError for a broken arena.
    """
    if not folder.is_dir():
        raise RecordingError(f"{folder}: no such folder; expected one with arena.yaml and obs-*.jpg")
    arena = folder / "arena.yaml"
    if not arena.is_file():
        raise RecordingError(f"{arena}: no such file; a recording's folder must contain its arena")
    lines = tuple(read_table(table or _table_of(folder), (TURN, SCRIPT, HEALTH)))
    first = lines[0]
    idle = first.integer(BEFORE) if first.has(BEFORE) else sum(ArenaChoices().initial_idle_steps)
    spec = next(iter(load(arena).arenas.values()))
    named = ((_PICTURE.fullmatch(path.name), path) for path in sorted(folder.iterdir()))
    pictures = dict(sorted((Instant(int(name[1]), int(name[2])), path) for name, path in named if name))
    return Trace(folder.name, spec, idle, tuple(_turns(lines)), pictures)


def _table_of(folder: Path) -> Path:
    places = (folder / "trace.csv", folder.resolve().parent / "tutorial-trace.csv")
    for path in places:
        if path.is_file():
            return path
    raise RecordingError(
        f"no table of the recording's turns: neither {places[0]} nor {places[1]} exists; name it with --table"
    )


def _turns(lines: tuple[Line, ...]) -> Iterator[RecordedTurn]:
    """Read the turns, each with the health before the next one's script."""
    turns = [_turn(line, last=line is lines[-1]) for line in lines]
    for (turn, _), (following, line) in pairwise(zip(turns, lines, strict=True)):
        if following.turn != turn.turn + 1:
            raise RecordingError(f"{line.place}: turn: got {following.turn}, expected {turn.turn + 1}")
        yield turn._replace(health=line.real(HEALTH) if line.has(HEALTH) else None)
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
    return RecordedTurn(line.integer(TURN), text, script, steps)


class PredictedPose(NamedTuple):
    """Predicted state: metres, m/s, and degrees clockwise from +z."""

    x: float
    z: float
    speed: float
    heading: float

    def distance(self, x: float, z: float) -> float:
        """Measure the horizontal distance from a position, metres."""
        return math.hypot(x - self.x, z - self.z)


class Ending(NamedTuple):
    """Recorded total reward and last tick of an episode; None if unknown."""

    total_reward: float | None
    tick: int | None


_TUTORIAL_SHA256 = "a64c7bdf20212e86a7c1364f63e36c7c6083026764a67f1d807aeb342920912e"
_TUTORIAL_POSES = Path(__file__).parent / "tutorial" / "poses.csv"
TUTORIAL_ENDING = Ending(2.74080023, 1281)
"""Recorded total reward of the published tutorial; the tick follows from it: 3 x 0.999 - 1281 / 5000."""


def is_tutorial(trace: Trace) -> bool:
    """Return whether a recording is the published tutorial, by its scripts."""
    scripts = "\n".join(turn.text for turn in trace.turns)
    return hashlib.sha256(scripts.encode()).hexdigest() == _TUTORIAL_SHA256


def read_poses(path: Path) -> dict[int, PredictedPose]:
    """Read predicted poses by turn, from CSV columns turn, x, z, speed and heading.

    Raises RecordingError if it cannot be read or contains a turn twice.
    """
    poses: dict[int, PredictedPose] = {}
    for line in read_table(path, (TURN, *PredictedPose._fields)):
        turn = line.integer(TURN)
        if turn in poses:
            raise RecordingError(f"{line.place}: turn {turn} is duplicated")
        poses[turn] = PredictedPose(*(line.real(column) for column in PredictedPose._fields))
    return poses


def ending_of(trace: Trace, reward: float | None, tick: int | None) -> Ending:
    """Return the recorded ending: the arguments, or that of the published tutorial."""
    known = TUTORIAL_ENDING if is_tutorial(trace) else Ending(None, None)
    return Ending(known.total_reward if reward is None else reward, known.tick if tick is None else tick)


def poses_of(trace: Trace, path: Path | None) -> Mapping[int, PredictedPose]:
    """Read predicted poses of a file, or the shipped ones of the tutorial.

    The README of their folder lists the limits of these.
    """
    path = _TUTORIAL_POSES if path is None and is_tutorial(trace) else path
    return {} if path is None else read_poses(path)


class ReplayedTurn(NamedTuple):
    """Replayed turn: its number of steps, and the state after it (metres, degrees, m/s)."""

    recorded: RecordedTurn
    steps: int
    tick: int
    health: float
    position: Vector
    yaw: float
    speed: float
    events: tuple[Event, ...]

    @property
    def agrees(self) -> bool | None:
        """Return whether health is as recorded; None if not recorded."""
        return self.recorded.agrees(self.health)


class ReplayedEpisode(NamedTuple):
    """Whole replay: turns up to its end, and scenes at the recorded pictures and ends of turns.

    `unreached` are the recorded turns after our end.
    """

    turns: tuple[ReplayedTurn, ...]
    unreached: tuple[RecordedTurn, ...]
    scenes: Mapping[Instant, Scene]
    total_reward: float
    ticks: int
    outcome: Outcome | None

    @property
    def ended(self) -> bool:
        """Return whether the episode was over by the end of the scripts."""
        return self.outcome is not None

    @property
    def judged(self) -> int:
        """Count turns with a recorded health."""
        turns = (*(turn.recorded for turn in self.turns), *self.unreached)
        return sum(turn.health is not None for turn in turns)

    @property
    def agreeing(self) -> int:
        """Count turns that were reached with the recorded health."""
        return sum(turn.agrees is True for turn in self.turns)


def replay(trace: Trace, seed: int = 0) -> ReplayedEpisode:
    """Play a recording's scripts to their end or the episode's; raises LayoutError for a broken arena."""
    scenes: dict[Instant, Scene] = {}
    turns: list[ReplayedTurn] = []
    with Episode(trace.spec, task_id=trace.name, seed=seed) as episode:
        _wait(episode, trace, scenes)
        for turn in trace.turns:
            if episode.done:
                break
            turns.append(_play(episode, turn, trace, scenes))
        return ReplayedEpisode(
            tuple(turns),
            trace.turns[len(turns) :],
            scenes,
            episode.total_reward,
            episode.ticks,
            episode.outcome,
        )


def _wait(episode: Episode, trace: Trace, scenes: dict[Instant, Scene]) -> None:
    """Play the idle steps before the first script: a picture after the first, then every 16."""
    first, between, *_ = ArenaChoices().initial_idle_steps
    for step in range(1, trace.idle_steps + 1):
        if not episode.done:
            episode.step(IDLE)
        number, rest = divmod(step - first, between)
        if not rest and (0, number) in trace.pictures:
            scenes[Instant(0, number)] = episode.scene()


def _play(episode: Episode, turn: RecordedTurn, trace: Trace, scenes: dict[Instant, Scene]) -> ReplayedTurn:
    events: list[Event] = []
    steps = 0
    for steps, moment in enumerate(play(episode, zip(turn.script.actions())), start=1):
        events += moment.events
        if steps == turn.script.steps or (turn.turn, steps) in trace.pictures:
            scenes[Instant(turn.turn, steps)] = episode.scene()
    return ReplayedTurn(
        turn,
        steps,
        episode.ticks,
        episode.health,
        episode.position,
        episode.yaw,
        episode.speed,
        tuple(events),
    )
