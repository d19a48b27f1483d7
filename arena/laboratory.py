"""Laboratory arenas: pads begin experiments, apparatus shows outcomes, one door opens."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol

from arena.errors import LayoutError
from arena.geometry.placed import SHRINK, Layout, Placed
from arena.geometry.shapes import PLATE_HEIGHT, SEGMENTS, lit_segments, plate_place
from arena.mechanisms import Door, Stage, in_arena
from arena.rules import Event, EventKind
from arena.scene import Vector, local
from arena.science import Experiments, Seen
from arena.science.families import ENTRY_M, WIDEST_M, InstrumentQuestion, Question, truth
from arena.science.words import seen
from arena.taskfile.catalog import KINDS
from arena.taskfile.config import Item
from arena.taskfile.versions import kind_in

FOOD_M = 1.0
"""Diameter of the ball behind the right door, metres."""

MOVES_S = 3.0
"""Seconds for which everything slides or rolls. Only the final place is informative."""

_NEAR = 0.05
"""Gap between an agent and a door that opens the door, metres."""

_UNSEEN = Item(name="Threshold", zone_visible=False)


class Apparatus(Protocol):
    """Equipment that makes experiments."""

    def chosen(self, pad: int) -> int:
        """Return the experiment's number of a pad, by default the pad's own."""
        return pad

    def show(self, stage: Stage, experiment: int, outcome: int) -> float:
        """Begin to show an outcome; return the seconds until it is seen."""


class Laboratory:
    """Mechanism that runs the experiments of pads and opens one door."""

    def __init__(self, question: Question, seed: int, task_id: str, trial: int, stage: Stage) -> None:
        """Draw the hidden state by seed, task and trial. Raises LayoutError if a thing has no free place."""
        self._question, self._hidden = question, question.hidden
        self._truth = truth(question, seed, task_id, trial)
        self._apparatus = _APPARATUS[question.family](question, stage)
        # Pads are driven onto, or blocks are pushed onto them; a token is on the plate while its pad has one.
        self._pushed = stage.spec.has_blocks
        self._blocks = [index for index, _ in _numbered(stage, "Block")]
        self._pads = _numbered(stage, "BlockPad" if self._pushed else "Pad")
        self._lifted = self._pushed and question.family == "machine"
        self._doors = _numbered(stage, "MarkedDoor")
        self._thresholds = [index for index, _ in _numbered(stage, "Threshold")]
        self._seen = list[Seen]()
        self._pending: tuple[Seen, int, float] | None = None
        self._pressed = frozenset[int]()
        self._door: int | None = None

    @property
    def experiments(self) -> Experiments:
        """Experiments and opened door so far."""
        return Experiments(tuple(self._seen), self._door)

    def act(self, stage: Stage) -> Iterable[Event]:
        """Run the experiments of entered pads, and open the door touched first."""
        yield from self._end(stage)
        touched = frozenset[int]().union(*(account.zones for account in stage.accounts))
        before, self._pressed = self._pressed, self._pads_pressed(stage, touched)
        for number in sorted(before ^ self._pressed if self._lifted else self._pressed - before):
            yield from self._begin(stage, number)
        for number, index in enumerate(self._thresholds):
            if index in touched and self._door is None:
                yield self._open(stage, number)

    def _pads_pressed(self, stage: Stage, touched: frozenset[int]) -> frozenset[int]:
        """Return numbers of the pads under an agent or a block's centre."""
        if not self._pushed:
            return frozenset(number for number, (index, _) in enumerate(self._pads) if index in touched)
        blocks = [stage.world.things.position(index) for index in self._blocks]
        pads = enumerate(self._pads)
        return frozenset(number for number, (_, pad) in pads if any(is_over(pad, at) for at in blocks))

    def show(self, stage: Stage, seen: Seen) -> None:
        """Show an outcome of an experiment that was not made."""
        self._apparatus.show(stage, *seen)

    def _begin(self, stage: Stage, pad: int) -> Iterable[Event]:
        """Begin the experiment of a pad if one is allowed."""
        used_up = len(self._seen) == self._question.experiments
        if used_up or self._pending:
            why = "no experiments are left" if used_up else "something still moves"
            yield self._of_pad(stage, EventKind.NO_EXPERIMENT, pad, why)
            return
        experiment = self._apparatus.chosen(pad)
        outcome = self._hidden.happen(self._truth, experiment, stage.chance.rng)
        due = stage.seconds + self._apparatus.show(stage, experiment, outcome)
        self._pending = Seen(experiment, outcome), pad, due
        yield from self._end(stage)

    def _end(self, stage: Stage) -> Iterable[Event]:
        """Record the experiment whose outcome is shown by now."""
        if self._pending and stage.seconds >= self._pending[2]:
            happened, pad, _ = self._pending
            self._pending = None
            self._seen.append(happened)
            said = seen(self._question, *happened)
            yield self._of_pad(stage, EventKind.EXPERIMENT, pad, said)

    def _of_pad(self, stage: Stage, kind: EventKind, pad: int, detail: str) -> Event:
        index, placed = self._pads[pad]
        return Event(stage.tick, kind, index, placed.kind.name, 0.0, detail=detail)

    def _open(self, stage: Stage, number: int) -> Event:
        """Open a door for good. Food appears behind the right one."""
        self._door, (index, door) = number, self._doors[number]
        stage.world.show(self._thresholds[number], False)
        stage.mechanisms.append(Door(index, door, stage.seconds))
        if number == self._hidden.doors[self._truth]:
            # The food's centre is 1.5 m from that of the door, along the door's z.
            size, at = (SHRINK * FOOD_M,) * 3, in_arena(door, (0.0, FOOD_M / 2, 1.5))
            stage.add(Placed(kind_in("GoodGoal", stage.spec.version), size, at, 0.0, None))
        return Event(stage.tick, EventKind.DOOR, index, door.kind.name, 0.0, detail=f"door {number}")


class Plate(Apparatus):
    """The machine: pads put tokens on its plate or take them off. The lamp is lit or dark."""

    def __init__(self, question: Question, stage: Stage) -> None:
        """Start with an empty plate."""
        self._tokens, (self._machine,) = _numbered(stage, "Token"), _numbered(stage, "Machine")
        self._on = 0

    def chosen(self, pad: int) -> int:
        """Return the plate's tokens after a pad has toggled its token."""
        self._on ^= 1 << pad
        return self._on

    def show(self, stage: Stage, experiment: int, outcome: int) -> float:
        """Place the tokens on the plate, and switch the lamp."""
        machine, at = self._machine
        for number, (index, token) in enumerate(self._tokens):
            place = in_arena(at, plate_place(at.size, number, token.size[1]))
            stage.world.place(index, place if experiment >> number & 1 else token.position)
        # The machine is followed by its lamps, lit and dark.
        stage.world.show(machine + 1, bool(outcome))
        stage.world.show(machine + 2, not outcome)
        return 0.0


class Pan(Apparatus):
    """The meter: a pad puts its token on the pan. It replaces the last one, and a number appears."""

    def __init__(self, question: Question, stage: Stage) -> None:
        """Start with an empty pan and no number."""
        assert isinstance(question, InstrumentQuestion)
        self._question = question
        self._tokens, (self._meter,) = _numbered(stage, "Token"), _numbered(stage, "Meter")

    def show(self, stage: Stage, experiment: int, outcome: int) -> float:
        """Weigh a token."""
        meter, at = self._meter
        for number, (index, token) in enumerate(self._tokens):
            pan = in_arena(at, (0.0, PLATE_HEIGHT + token.size[1] / 2, -0.1))
            stage.world.place(index, pan if number == experiment else token.position)
        lit = lit_segments(self._question.reading(outcome))
        # The meter is followed by the segments of its digits.
        for segment in range(SEGMENTS):
            stage.world.show(meter + 1 + segment, segment in lit)
        return 0.0


class Course(Apparatus):
    """Tracks on which things slide or roll to a whole metre."""

    def __init__(self, question: Question, stage: Stage) -> None:
        """Place everything at its start."""
        self._rolls = question.family == "floor"
        self._things = _numbered(stage, "Roller" if self._rolls else "Slider")

    def show(self, stage: Stage, experiment: int, outcome: int) -> float:
        """Move one thing from its start, and put everything else back."""
        for other, placed in self._things:
            stage.world.place(other, placed.position)
        index, start = self._things[experiment]
        path = _rolled(outcome - WIDEST_M) if self._rolls else _slid(outcome)
        stage.mechanisms.append(Run(index, start, path, stage))
        return MOVES_S


def _rolled(metres: int) -> Callable[[float], Vector]:
    """Return a path across the floor: constant speed forward, growing speed sideways."""
    return lambda share: (metres * share**2, 0.0, (2 * ENTRY_M + 1) * share)


def _slid(metres: int) -> Callable[[float], Vector]:
    """Return a path straight forward with falling speed."""
    return lambda share: (0.0, 0.0, metres * (1 - (1 - share) ** 2))


class Run:
    """A thing in motion along its path."""

    def __init__(self, index: int, start: Placed, path: Callable[[float], Vector], stage: Stage) -> None:
        """Take the `path`: metres in the start's frame by share of time. The share is 0 to 1."""
        self._index, self._start, self._path, self._since_s = index, start, path, stage.seconds

    def act(self, stage: Stage) -> Iterable[Event]:
        """Move the thing until the time is over."""
        share = min((stage.seconds - self._since_s) / MOVES_S, 1.0)
        stage.world.place(self._index, self._start.within(self._path(share)))
        if share == 1.0:
            stage.mechanisms.remove(self)
        return ()


_APPARATUS: dict[str, Callable[[Question, Stage], Apparatus]] = {
    "machine": Plate, "slopes": Course, "instrument": Pan, "floor": Course,
}  # fmt: skip


def with_thresholds(layout: Layout) -> Layout:
    """Return the layout with an unseen zone around each door. It detects agents that touch the door."""
    zones = [
        replace(door, kind=KINDS["Threshold"], size=(x + 2 * _NEAR, y, z + 2 * _NEAR), item=_UNSEEN)
        for door in layout.things
        if door.kind.name == "MarkedDoor"
        for x, y, z in (door.size,)
    ]
    return layout._replace(things=(*layout.things, *zones))


def _numbered(stage: Stage, name: str) -> list[tuple[int, Placed]]:
    """Return index and place of a kind's things, by their numbers."""
    things = stage.world.layout.things
    found = [(index, placed) for index, placed in enumerate(things) if placed.kind.name == name]
    if any(placed.blocked for _, placed in found):
        raise LayoutError(f"no free place for one of the {len(found)} {name} objects; give it room")
    return found


def is_over(pad: Placed, at: Vector) -> bool:
    """Return whether a place is over a pad, seen from above."""
    east, north = at[0] - pad.position[0], at[2] - pad.position[2]
    width, _, depth = pad.size
    # Most blocks are far from most pads, and this is asked in every tick in which something moves.
    if max(abs(east), abs(north)) > (width + depth) / 2:
        return False
    x, _, z = local((east, 0.0, north), pad.yaw)
    return abs(x) <= width / 2 and abs(z) <= depth / 2
