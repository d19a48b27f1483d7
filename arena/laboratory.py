"""The machine of a laboratory arena: pads make experiments, a lamp shows their outcomes, a door decides."""

from collections.abc import Iterable
from dataclasses import replace

from arena.errors import LayoutError
from arena.geometry.placed import SHRINK, Layout, Placed
from arena.geometry.shapes import plate_place
from arena.mechanisms import Door, Stage, in_arena
from arena.rules import Event, EventKind
from arena.science import Experiments, Seen
from arena.science.families import MachineQuestion, truth
from arena.taskfile.catalog import KINDS
from arena.taskfile.config import Item
from arena.taskfile.versions import kind_in

FOOD_M = 1.0
"""Diameter of the ball behind the right door, metres."""

BEHIND_M = 1.5
"""Distance of its centre from that of the door, along the door's z, metres."""

_NEAR = 0.05
"""Gap between an agent and a door at which this opens, metres."""

_UNSEEN = Item(name="Threshold", zone_visible=False)


class Laboratory:
    """Puts tokens on the machine's plate and takes them off, lights its lamp, and opens one door."""

    def __init__(self, question: MachineQuestion, seed: int, task_id: str, trial: int, stage: Stage) -> None:
        """What is hidden is that of seed, task and trial.

        Raises LayoutError if one of the things has no free place.
        """
        self._hidden, self._most = question.hidden, question.experiments
        self._truth = truth(question, seed, task_id, trial)
        self._tokens, self._pads = _numbered(stage, "Token"), _numbered(stage, "Pad")
        self._doors, (self._machine,) = _numbered(stage, "MarkedDoor"), _numbered(stage, "Machine")
        self._thresholds = [index for index, _ in _numbered(stage, "Threshold")]
        self._on, self._seen = 0, list[Seen]()
        self._inside = [frozenset[int]() for _ in stage.accounts]
        self._door: int | None = None

    @property
    def experiments(self) -> Experiments:
        """What has happened so far."""
        return Experiments(tuple(self._seen), self._door)

    def act(self, stage: Stage) -> Iterable[Event]:
        """Make the experiments of pads that were entered, and open the door that is touched first.

        Without an agent in a zone there is nothing to do.
        """
        for agent, account in enumerate(stage.accounts):
            entered, self._inside[agent] = account.zones - self._inside[agent], account.zones
            for number, (index, _) in enumerate(self._pads):
                if index in entered:
                    yield self._change(stage, number)
            for number, index in enumerate(self._thresholds):
                if index in entered and self._door is None:
                    yield self._open(stage, number)

    def _change(self, stage: Stage, number: int) -> Event:
        """Put a token on the plate, or take it off, and see whether the lamp is lit."""
        machine, at = self._machine
        if len(self._seen) == self._most:
            return Event(stage.tick, EventKind.NO_EXPERIMENT, machine, at.kind.name, 0.0)
        self._on ^= 1 << number
        self._move(stage, number)
        lit = self._hidden.happen(self._truth, self._on, stage.rng)
        self._seen.append(Seen(self._on, lit))
        # The machine is followed by its lamps, lit and dark.
        stage.world.show(machine + 1, bool(lit))
        stage.world.show(machine + 2, not lit)
        there = ", ".join(str(each) for each in range(len(self._tokens)) if self._on >> each & 1)
        detail = f"{'lit' if lit else 'dark'} with {there or 'nothing'} on the plate"
        return Event(stage.tick, EventKind.EXPERIMENT, machine, at.kind.name, 0.0, detail=detail)

    def _move(self, stage: Stage, number: int) -> None:
        """Move a token to its place on the plate, or back to where it was at the start."""
        (index, token), (_, machine) = self._tokens[number], self._machine
        on_plate = in_arena(machine, plate_place(machine.size, number, token.size[1]))
        at = on_plate if self._on >> number & 1 else token.position
        stage.world.resize(index, token.size, at)

    def _open(self, stage: Stage, number: int) -> Event:
        """Open a door for good; food appears behind it if it is the right one."""
        self._door, (index, door) = number, self._doors[number]
        stage.world.show(self._thresholds[number], False)
        stage.mechanisms.append(Door(index, door, stage.seconds))
        if number == self._hidden.doors[self._truth]:
            stage.add(_food(stage, door))
        return Event(stage.tick, EventKind.DOOR, index, door.kind.name, 0.0, detail=f"door {number}")


def with_thresholds(layout: Layout) -> Layout:
    """The layout with an unseen zone around each door, by which it is noticed that an agent touches it."""
    zones = [
        replace(door, kind=KINDS["Threshold"], size=(x + 2 * _NEAR, y, z + 2 * _NEAR), item=_UNSEEN)
        for door in layout.things
        if door.kind.name == "MarkedDoor"
        for x, y, z in (door.size,)
    ]
    return replace(layout, things=(*layout.things, *zones))


def _numbered(stage: Stage, name: str) -> list[tuple[int, Placed]]:
    """Index and place of each thing of a kind, in the order of their numbers."""
    things = stage.world.layout.things
    found = [(index, placed) for index, placed in enumerate(things) if placed.kind.name == name]
    if any(placed.blocked for _, placed in found):
        raise LayoutError(f"no free place for one of the {len(found)} {name} objects; give it room")
    return found


def _food(stage: Stage, door: Placed) -> Placed:
    diameter = SHRINK * FOOD_M
    at = in_arena(door, (0.0, FOOD_M / 2, BEHIND_M))
    return Placed(kind_in("GoodGoal", stage.spec.version), (diameter,) * 3, at, 0.0, None)
