"""What can be said of an item from its text alone: sizes, positions, lists, keys without effect."""

from collections.abc import Iterator
from itertools import chain

from arena.geometry.shapes import ARENA_SIZE
from arena.taskfile.kind import Body, Shape
from arena.taskfile.load import Located
from testbed.check.finding import Finding
from testbed.check.subject import Subject, subjects

_NOT_FOR_AGENTS = ("sizes", "colors")
"""The agent has one size and no colour (section 2.1 of the behaviour specification)."""

_FOR_AGENTS_ONLY = ("skins", "frozen_agent_delays")

_FIRST_ONLY = ("positions", "rotations", "skins", "frozen_agent_delays")
"""Of each of these the agent takes the first entry (section 2.6)."""

_PER_INSTANCE = ("positions", "rotations", "sizes", "colors")


def item_findings(located: Located, arena_id: int) -> Iterator[Finding]:
    """Findings about an arena's items that need no layout, in file order."""
    for subject in subjects(located, arena_id):
        if subject.index == 0:
            yield from chain(_ignored_keys(subject), _short_lists(subject))
        yield from chain(_clipped(subject), _ignored_values(subject), _beyond(subject))


def _ignored_names(subject: Subject) -> tuple[str, ...]:
    """Fields of the item that have no effect on this kind of object."""
    if subject.kind is None:
        return _NOT_FOR_AGENTS
    symbols = () if "symbol_names" in subject.kind.fields else ("symbol_names",)
    return _FOR_AGENTS_ONLY + symbols + (() if subject.kind.colourable else ("colors",))


def _ignored_keys(subject: Subject) -> Iterator[Finding]:
    for name in _ignored_names(subject):
        if getattr(subject.item, name):
            place = subject.place(name)
            yield Finding("ignored-key", f"{place.spelled}: has no effect on {subject.item.name}", place.line)
    for name in _FIRST_ONLY if subject.kind is None else ():
        count = len(getattr(subject.item, name))
        if count > 1:
            place = subject.place(name, 1)
            text = f"{place.spelled}: the agent takes the first of the {count} entries only"
            yield Finding("ignored-key", text, place.line)


def _short_lists(subject: Subject) -> Iterator[Finding]:
    total, kind = subject.item.instances, subject.kind
    for name in _PER_INSTANCE if kind else ():
        count = len(getattr(subject.item, name))
        if 0 < count < total and name not in _ignored_names(subject):
            place = subject.place(name)
            missing = "0" if kind and name == "rotations" and not kind.random_yaw else "random"
            if name == "colors" and kind and not kind.random_color:
                missing = "the kind's own"
            text = (
                f"{place.spelled}: {count} entries for {total} objects; those that are missing are {missing}"
            )
            yield Finding("unequal-lists", text, place.line)


def _clipped(subject: Subject) -> Iterator[Finding]:
    kind = subject.kind
    if kind is None or subject.index >= len(subject.item.sizes):
        return
    size, place = subject.size, subject.place("sizes", subject.index)
    asked = {"x": size.x} if kind.is_goal else {"x": size.x, "y": size.y, "z": size.z}
    if kind.is_goal and min(size.x, size.y, size.z) < 0:
        return
    for axis, low, high in zip(asked, kind.minimum, kind.maximum, strict=False):
        got = asked[axis]
        used = min(max(got, low), high)
        if got >= 0 and got != used:
            text = (
                f"{place.spelled}.{axis}: got {got:g}, used {used:g}; {kind.name} takes {low:g} to {high:g}"
            )
            yield Finding("clipped-size", text, place.line)


def _ignored_values(subject: Subject) -> Iterator[Finding]:
    kind = subject.kind
    if kind is None:
        return
    size, height = subject.size, subject.position.y
    if kind.is_goal and subject.item.sizes and size.x >= 0 and not size.x == size.y == size.z:
        place = subject.place("sizes", subject.index)
        yield Finding(
            "ignored-value", f"{place.spelled}: a ball takes x={size.x:g} for all three", place.line
        )
    if height > 0 and (kind.body is Body.ZONE or kind.shape is Shape.TUBE):
        place = subject.place("positions", subject.index)
        text = f"{place.spelled}.y: got {height:g}, ignored; {kind.name} always lies on the floor"
        yield Finding("ignored-value", text, place.line)


def _beyond(subject: Subject) -> Iterator[Finding]:
    place = subject.place("positions", subject.index)
    for axis, value in (("x", subject.position.x), ("z", subject.position.z)):
        if value > ARENA_SIZE:
            text = f"{place.spelled}.{axis}: got {value:g}, used {ARENA_SIZE:g}, the arena's edge"
            yield Finding("clamped-position", text, place.line)
        elif value in (0, ARENA_SIZE):
            text = f"{place.spelled}.{axis}: at {value:g} half of {subject.label} is beyond the boundary"
            yield Finding("outside", text, place.line)
