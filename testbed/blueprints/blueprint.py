"""A task before it is a file, and the file's text."""

import re
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from arena.errors import ConfigError
from arena.science.families import Question
from testbed.tasks import LINES, MOTIONS

NUMBERED = ("Token", "Slider", "Roller", "Field", "Pad", "BlockPad", "Block", "MarkedDoor")
"""Kinds whose instances are numbered in a file."""

Rng = np.random.Generator
Point = tuple[float, float, float]
Color = tuple[int, int, int]

GREY: Color = (153, 153, 153)
BLUE: Color = (0, 0, 255)
PINK: Color = (255, 0, 255)
"""Colours of walls and ramps, as in the 2019 battery."""


class Push(NamedTuple):
    """One push of the intended solution: place, bearing and driven steps.

    Stand at x, z (metres), face `bearing` (degrees), drive `steps`. At full drive from rest, 10 steps and the
    braking after them cover 8 m, 5 cover 3 m; a hit object slides on for many metres. If the push is
    `gentle`, the agent comes to rest after each step, so that the pushed object stays with it: a step is then
    about 0.36 m. Keep 1.2 m from the object, so as not to touch it while lining up.
    """

    x: float
    z: float
    bearing: float
    steps: int
    gentle: bool = False


class Object(NamedTuple):
    """One object of a task: kind, place, size, yaw and colour.

    The place is in metres (y is the bottom), the yaw in degrees. All values are fixed: walls, ramps and
    tunnels need a colour, and everything except balls and the agent needs a size.
    """

    kind: str
    place: Point
    size: Point | None = None
    yaw: float = 0
    color: Color | None = None
    symbol: str = ""


class Blueprint(NamedTuple):
    """A task: goal, required capacities, intended solution, and arena.

    `capacities` are those that the level and the paradigm require, most important first. `time_limit` and
    `blackouts` are in the clock's units of five ticks: the light changes at each, or blinks with one negative
    period. `pushes` are those of the intended solution, if any; the paths between and after them are planned.
    """

    goal: str
    capacities: tuple[str, ...]
    solution: str
    objects: tuple[Object, ...]
    time_limit: int = 250
    pass_mark: float = 0
    blackouts: tuple[int, ...] = ()
    pushes: tuple[Push, ...] = ()
    question: Question | None = None


def task(goal: str, capacities: tuple[str, ...], solution: str, *objects: Object, **others: Any) -> Blueprint:
    """Return a blueprint with these objects and other fields. The file lists objects in this order."""
    return Blueprint(goal, capacities, solution, objects, **others)


def to_yaml(task: Blueprint, notes: Sequence[str] = ()) -> str:
    """Return the task as a file in Animal-AI's v3 format. `notes` are further lines of its header."""
    lines = [
        f"# Goal: {task.goal}",
        f"# Capacities: {', '.join(task.capacities)}",
        f"# Solution: {task.solution}",
        *(f"# {note}" for note in notes),
        *LINES,
        "!ArenaConfig",
        *(["laboratory: true"] if task.question else []),
        "arenas:",
        "  0: !Arena",
        f"    pass_mark: {task.pass_mark:g}",
        f"    t: {task.time_limit}",
    ]
    if task.blackouts:
        lines.append(f"    blackouts: [{', '.join(map(str, task.blackouts))}]")
    if task.question:
        lines.append(f"    question: !{task.question.family.capitalize()} {_listed(task.question)}")
    lines.append("    items:")
    # Things with a number are instances of one item.
    for _, things in groupby(task.objects, lambda thing: thing.kind if thing.kind in NUMBERED else id(thing)):
        lines += _item(list(things))
    return "\n".join(lines) + "\n"


def _item(things: Sequence[Object]) -> list[str]:
    """Return an item with an instance for each thing; all or none have sizes, colours and symbols."""
    lines = ["    - !Item", f"      name: {things[0].kind}", "      positions:"]
    lines += [f"      - {_vector(thing.place)}" for thing in things]
    lines.append(f"      rotations: [{', '.join(f'{round(thing.yaw, 1) % 360:g}' for thing in things)}]")
    if sizes := [thing.size for thing in things if thing.size is not None]:
        lines += ["      sizes:", *(f"      - {_vector(size)}" for size in sizes)]
    if colors := [thing.color for thing in things if thing.color is not None]:
        lines += ["      colors:", *(f"      - !RGB {{r: {r}, g: {g}, b: {b}}}" for r, g, b in colors)]
    if symbols := [thing.symbol for thing in things if thing.symbol]:
        lines.append(f"      symbolNames: {symbols}")
    return lines


def _listed(question: Question) -> str:
    """Return a question's values, without defaults, as YAML in one line."""
    facts = question.model_dump(mode="json", exclude_defaults=True)
    written = (
        f"{key}: [{', '.join(value)}]" if isinstance(value, list) else f"{key}: {value}"
        for key, value in facts.items()
    )
    return f"{{{', '.join(written)}}}"


def _vector(point: Point) -> str:
    x, y, z = (round(value, 2) + 0.0 for value in point)
    return f"!Vector3 {{x: {x:g}, y: {y:g}, z: {z:g}}}"


Paradigm = Callable[..., Blueprint]
"""A function of a random generator and of its own, named parameters."""

DIFFICULTIES = (1, 2, 3)


class Condition:
    """One task of a level: paradigm, difficulty here (1 to 3), parameters. Its variants differ in the random
    choices of the paradigm: places, sides, colours."""

    def __init__(self, paradigm: Paradigm, difficulty: int, **parameters: object) -> None:
        """`parameters` are those of the paradigm's function."""
        self.paradigm, self.difficulty, self.parameters = paradigm, difficulty, parameters

    @property
    def name(self) -> str:
        """The paradigm's name in words."""
        return self.paradigm.__name__.replace("_", " ")

    def drawn(self, rng: Rng, **more: object) -> Blueprint:
        """Return a variant; `more` are parameters in which variants differ."""
        return self.paradigm(rng, **self.parameters, **more)


class Draw(NamedTuple):
    """The variant of a task: all that a file depends on. `attempt` counts draws that were discarded because
    they could not be solved, from 0."""

    level: int
    task: int
    variant: int
    seed: int
    attempt: int = 0

    @property
    def task_id(self) -> str:
        """The id LL-TT-V of a task that is generated or scored."""
        return f"{self.level:02d}-{self.task:02d}-{self.variant}"

    @property
    def grade(self) -> int:
        """Number of the motion of a laboratory's variant (`testbed.tasks.MOTIONS`), from 1."""
        return 1 + (self.variant - 1) % len(MOTIONS)

    @property
    def note(self) -> str:
        """Header line of a file, which suffices to make it again."""
        return (
            f"Drawn: level {self.level}, task {self.task}, variant {self.variant}, "
            f"seed {self.seed}, attempt {self.attempt}"
        )

    @classmethod
    def of_text(cls, text: str, where: str) -> "Draw":
        """Read the draw from a file's header. Raises ConfigError, naming `where`, without one."""
        found = _NOTE.search(text)
        if found is None:
            raise ConfigError(
                f"{where}: its header has no line '# Drawn: ...': it was not made by a blueprint"
            )
        return cls(*map(int, found.groups()))

    def rng(self) -> Rng:
        """Return the generator of this draw alone."""
        return np.random.default_rng([self.seed, self.level, self.task, self.variant, self.attempt])


_NOTE = re.compile(r"# Drawn: level (\d+), task (\d+), variant (\d+), seed (\d+), attempt (\d+)\n")
