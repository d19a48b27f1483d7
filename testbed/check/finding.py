"""What a check can find, as one table of codes."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, TypeVar

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


_E, _W, _N = Level.ERROR, Level.WARNING, Level.NOTE

CODES: dict[str, Code] = {
    "unreadable": Code(_E, "the file does not load"),
    "duplicate-key": Code(_E, "a key is given twice"),
    "not-upgraded": Code(_E, "the file could not be rewritten in the newest spelling"),
    "agent-blocked": Code(_E, "there is no free place for the agent with any seed tried"),
    "too-many": Code(_E, "there are too many objects, or too many without a free place"),
    "enclosed": Code(_W, "a goal is wholly inside a solid object"),
    "unreachable-mark": Code(_W, "the pass mark is above all that can be earned"),
    "time-too-short": Code(_W, "the time limit is too short to drive straight to the nearest goal"),
    "unknown-object": Code(_W, "there is no such object; it is ignored"),
    "nothing-merged": Code(_W, "the last arena merges the next one, and there is none"),
    "blocked": Code(_W, "an object's place is taken; it is left at the arena's corner"),
    "sometimes-blocked": Code(_W, "with some seeds no free place is found for an object or the agent"),
    "grows": Code(_W, "more can be added during an episode than an arena holds"),
    "unsupported": Code(_W, "an object falls or tips at the start"),
    "slides": Code(_W, "an object slides or rolls away at the start"),
    "clamped-position": Code(_W, "a position beyond 40 counts as 40"),
    "outside": Code(_W, "half of an object is beyond the boundary"),
    "clipped-size": Code(_W, "a size is outside the range of its kind"),
    "ignored-key": Code(_W, "the original ignores a key for this object"),
    "unknown-symbol": Code(_W, "a sign board has no such symbol; it shows the default one"),
    "unequal-lists": Code(_W, "a list is shorter than the others; what is missing is random"),
    "no-pass-mark": Code(_W, "the task can be neither passed nor failed"),
    "several-agents": Code(_W, "only the first Agent item counts"),
    "blackouts-ignored": Code(_W, "entries after a negative blackout period are ignored"),
    "blackouts-order": Code(_W, "blackouts are not strictly increasing; newer versions refuse them"),
    "blackouts-late": Code(_W, "a blackout is beyond the time limit; newer versions refuse it"),
    "arena-number": Code(_N, "an arena's number is negative or taken; it counts as another one"),
    "agent-drops": Code(_N, "the agent starts above what carries it"),
    "ignored-value": Code(_N, "the original ignores part of a value for this object"),
    "old-key": Code(_N, "a key has a newer spelling"),
    "old-name": Code(_N, "an object has a newer name"),
}
"""Every code and its level, the worst first; codes are stable, texts are not."""


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
