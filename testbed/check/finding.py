"""Table of all findings of a check, by code."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, TypeVar

from arena.packages import data_of
from arena.taskfile.config import ArenaSpec, Item, Vector3
from arena.taskfile.kind import Kind
from arena.taskfile.load import Located, nearest
from arena.taskfile.nodes import Place
from arena.taskfile.versions import Version, kind_named


class Level(IntEnum):
    """Severity of a finding; a larger number is worse."""

    NOTE = 0
    """The file works as written, with something to know."""
    WARNING = 1
    """The file can be played, but differs from its text."""
    ERROR = 2
    """The file cannot be played."""

    def __str__(self) -> str:
        return self.name.lower()


class Code(NamedTuple):
    """Kind of finding: level and meaning."""

    level: Level
    meaning: str


CODES = {
    code: Code(Level[level.upper()], meaning)
    for code, (level, meaning) in data_of("testbed.check", "codes.yaml").items()
}
"""Every code and its level, the worst first."""


class Finding(NamedTuple):
    """A finding in a file: code, sentence, line. A code of `CODES`; line from 1, or None."""

    code: str
    text: str
    line: int | None = None

    @classmethod
    def at(cls, place: Place, code: str, text: str, axis: str = "") -> "Finding":
        """Return a finding about a value, or one axis of a vector."""
        return cls(code, f"{place.spelled}{axis and '.' + axis}: {text}", place.line)

    @property
    def level(self) -> Level:
        """Severity of the finding."""
        return CODES[self.code].level


Entry = TypeVar("Entry")

RANDOM = Vector3(x=-1.0, y=-1.0, z=-1.0)
"""Value of a missing position or size (`ArenaBuilders.cs`)."""


@dataclass(frozen=True)
class ItemInstance:
    """Instance `index` of an item. `path` leads to the item in the file."""

    located: Located
    path: tuple[str | int, ...]
    item: Item
    index: int

    @property
    def kind(self) -> Kind | None:
        """The object's row of the catalogue; None for the agent."""
        return None if self.item.name == "Agent" else kind_named(self.item.name, self.version)

    @property
    def version(self) -> Version:
        """The version of Animal-AI that the arena is for."""
        return self.located.file.arenas[int(self.path[1])].version

    @property
    def label(self) -> str:
        """Name of the instance in messages, such as `Wall 3 of items[1]`."""
        number = f"{self.index + 1} of " if self.item.instances > 1 else "of "
        return f"{self.item.name} {number}items[{self.path[-1]}]"

    def place(self, *inside: str | int) -> Place:
        """Return a value's place in the file. It is the item itself if it has no such value."""
        return nearest(self.located.places, (*self.path, *inside))

    def finding(self, code: str, text: str, *inside: str | int, axis: str = "") -> Finding:
        """Return a finding about a value of the item."""
        return Finding.at(self.place(*inside), code, text, axis)

    def entry(self, values: tuple[Entry, ...], missing: Entry) -> Entry:
        """Return the instance's entry of one of the item's lists."""
        return values[self.index] if self.index < len(values) else missing

    @property
    def position(self) -> Vector3:
        """Position as given in the file, metres. Negative is random."""
        return self.entry(self.item.positions, RANDOM)

    @property
    def size(self) -> Vector3:
        """Size as given in the file, metres. Negative is random."""
        return self.entry(self.item.sizes, RANDOM)

    @property
    def has_fixed_position(self) -> bool:
        """True if x and z are given; metres below 0 are random."""
        return min(self.position.x, self.position.z) >= 0

    @property
    def has_fixed_place(self) -> bool:
        """True if position, heading and size of the object are fixed."""
        size = self.size
        turned = self.entry(self.item.rotations, -1.0) >= 0 or not (self.kind and self.kind.random_yaw)
        return self.has_fixed_position and turned and min(size.x, size.y, size.z) >= 0


def item_instances(located: Located, arena_id: int) -> Iterator[ItemInstance]:
    """Return all instances of an arena's items, agents included. They are in file order."""
    arena: ArenaSpec = located.file.arenas[arena_id]
    for number, item in enumerate(arena.items):
        path = ("arenas", arena_id, "items", number)
        for index in range(1 if item.name == "Agent" else item.instances):
            yield ItemInstance(located, path, item, index)
