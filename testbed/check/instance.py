"""One instance of an item, with its place in the file."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arena.taskfile.config import ArenaSpec, Item, Vector3
from arena.taskfile.kind import Kind
from arena.taskfile.load import Located, nearest
from arena.taskfile.nodes import Place
from arena.taskfile.versions import Version, kind_named
from testbed.check.finding import Finding

RANDOM = Vector3(x=-1.0, y=-1.0, z=-1.0)
"""What a missing position or size counts as (section 8.2 of the behaviour specification)."""


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

    def entry(self, values: tuple[Any, ...], missing: Any) -> Any:
        """This instance's entry of one of the item's lists."""
        return values[self.index] if self.index < len(values) else missing

    @property
    def position(self) -> Vector3:
        """As given in the file; metres, negative is random."""
        found: Vector3 = self.entry(self.item.positions, RANDOM)
        return found

    @property
    def size(self) -> Vector3:
        """As given in the file; metres, negative is random."""
        found: Vector3 = self.entry(self.item.sizes, RANDOM)
        return found

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
