"""What a check can find, as one table of codes."""

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
    """It works as written, with something to know."""
    WARNING = 1
    """It can be played, but something differs from what the file says."""
    ERROR = 2
    """It cannot be played."""

    def __str__(self) -> str:
        return self.name.lower()


class Code(NamedTuple):
    """One kind of finding: its level, and what it means."""

    level: Level
    meaning: str


CODES = {
    code: Code(Level[level.upper()], meaning)
    for code, (level, meaning) in data_of("testbed.check", "codes.yaml").items()
}
"""Every code and its level, the worst first."""


class Finding(NamedTuple):
    """Something found in a file: a code of `CODES`, a sentence, and its line from 1, None if it has none."""

    code: str
    text: str
    line: int | None = None

    @classmethod
    def at(cls, place: Place, code: str, text: str, axis: str = "") -> "Finding":
        """A finding about a value of the file, or about one axis of a vector."""
        return cls(code, f"{place.spelled}{axis and '.' + axis}: {text}", place.line)

    @property
    def level(self) -> Level:
        """Its severity."""
        return CODES[self.code].level


Entry = TypeVar("Entry")

RANDOM = Vector3(x=-1.0, y=-1.0, z=-1.0)
"""What a missing position or size counts as (`ArenaBuilders.cs`)."""


@dataclass(frozen=True)
class ItemInstance:
    """Instance `index` of an item; `path` leads to the item in the file."""

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
        """Its name in messages, such as `Wall 3 of items[1]`."""
        number = f"{self.index + 1} of " if self.item.instances > 1 else "of "
        return f"{self.item.name} {number}items[{self.path[-1]}]"

    def place(self, *inside: str | int) -> Place:
        """Where a value of the item stands in the file; the item itself if it has no such value."""
        return nearest(self.located.places, (*self.path, *inside))

    def finding(self, code: str, text: str, *inside: str | int, axis: str = "") -> Finding:
        """A finding about a value of the item."""
        return Finding.at(self.place(*inside), code, text, axis)

    def entry(self, values: tuple[Entry, ...], missing: Entry) -> Entry:
        """This instance's entry of one of the item's lists."""
        return values[self.index] if self.index < len(values) else missing

    @property
    def position(self) -> Vector3:
        """As given in the file; metres, negative is random."""
        return self.entry(self.item.positions, RANDOM)

    @property
    def size(self) -> Vector3:
        """As given in the file; metres, negative is random."""
        return self.entry(self.item.sizes, RANDOM)

    @property
    def has_fixed_position(self) -> bool:
        """Whether x and z are given; metres below 0 are random."""
        return min(self.position.x, self.position.z) >= 0

    @property
    def has_fixed_place(self) -> bool:
        """Whether nothing in an object's position, heading and size is random."""
        size = self.size
        turned = self.entry(self.item.rotations, -1.0) >= 0 or not (self.kind and self.kind.random_yaw)
        return self.has_fixed_position and turned and min(size.x, size.y, size.z) >= 0


def item_instances(located: Located, arena_id: int) -> Iterator[ItemInstance]:
    """Every instance of every item of an arena, agents too, in file order."""
    arena: ArenaSpec = located.file.arenas[arena_id]
    for number, item in enumerate(arena.items):
        path = ("arenas", arena_id, "items", number)
        for index in range(1 if item.name == "Agent" else item.instances):
            yield ItemInstance(located, path, item, index)
