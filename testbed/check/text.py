"""Findings from the text alone: spelling, blackouts, sizes, positions, lists, keys.

Old keys and object names are rewritten in the newest spelling; the rest of the text stays.
"""

from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from arena.errors import ConfigError, EvaluationError
from arena.files import read_bytes, write_file
from arena.geometry.shapes import ARENA_SIZE
from arena.taskfile.catalog import ALIASES
from arena.taskfile.config import KEYS, ArenaFile
from arena.taskfile.kind import Body, Shape
from arena.taskfile.load import Located, load_located, load_text, nearest
from arena.taskfile.nodes import Place
from arena.taskfile.versions import Version
from testbed.check.finding import Finding, ItemInstance, item_instances


def arena_findings(located: Located, arena_id: int) -> Iterator[Finding]:
    """Findings about an arena as a whole."""
    arena = located.file.arenas[arena_id]
    place = nearest(located.places, ("arenas", arena_id, "blackouts"))
    frames, limit = arena.blackouts, arena.time_limit
    if not frames or frames[0] < 0:
        return
    for one, other in pairwise(frames):
        if other <= one:
            text = f"{other} comes after {one}; frames must increase strictly"
            yield Finding.at(place, "blackouts-order", text)
    if limit and max(frames) > limit:
        text = f"{max(frames)} is beyond the time limit of {limit}, so it never comes"
        yield Finding.at(place, "blackouts-late", text)


def spelling_findings(located: Located) -> Iterator[Finding]:
    """Keys and object names that have a newer spelling."""
    for place, node, new in _older(located):
        if node is place.key:
            yield Finding("old-key", f"{place.spelled}: now spelled {new}", node.start_mark.line + 1)
        else:
            yield Finding.at(place, "old-name", f"{node.value} is now called {new}")


def _older(located: Located) -> Iterator[tuple[Place, yaml.ScalarNode, str]]:
    """Yield nodes of old keys and object names, with newer spelling. Shared ones appear more than once."""
    for path, place in located.places.items():
        key, node = place.key, place.node
        if isinstance(key, yaml.ScalarNode) and (new := newest_key(key.value, path[-1])) != key.value:
            yield place, key, new
        if path[-1:] == ("name",) and isinstance(node, yaml.ScalarNode) and node.value in ALIASES:
            yield place, node, ALIASES[node.value]


def item_findings(located: Located, arena_id: int) -> Iterator[Finding]:
    """Findings about an arena's items that need no layout, in file order."""
    for instance in item_instances(located, arena_id):
        if instance.index == 0:
            yield from chain(_ignored_keys(instance), _short_lists(instance))
        yield from chain(_clipped(instance), _ignored_values(instance), _beyond(instance))


def _ignored_names(instance: ItemInstance) -> tuple[str, ...]:
    """Return the item's fields without effect on this kind of object."""
    if instance.kind is None:
        # The agent has one size and no colour (`TrainingAgent.cs`).
        return ("sizes", "colors")
    symbols = () if "symbol_names" in instance.kind.fields else ("symbol_names",)
    return ("skins", "frozen_agent_delays") + symbols + (() if instance.kind.colourable else ("colors",))


def _ignored_keys(instance: ItemInstance) -> Iterator[Finding]:
    for name in _ignored_names(instance):
        if getattr(instance.item, name):
            yield instance.finding("ignored-key", f"has no effect on {instance.item.name}", name)
    if instance.kind is not None:
        return
    # Of these the agent takes the first entry (`ArenaBuilders.cs` of v3.1.3).
    for name in ("positions", "rotations", "skins", "frozen_agent_delays"):
        count = len(getattr(instance.item, name))
        if count > 1:
            text = f"the agent uses only the first of the {count} entries"
            yield instance.finding("ignored-key", text, name, 1)


def _short_lists(instance: ItemInstance) -> Iterator[Finding]:
    total, kind = instance.item.instances, instance.kind
    for name in ("positions", "rotations", "sizes", "colors") if kind else ():
        count = len(getattr(instance.item, name))
        if 0 < count < total and name not in _ignored_names(instance):
            missing = "0" if kind and name == "rotations" and not kind.random_yaw else "random"
            if name == "colors" and kind and not kind.random_color:
                missing = "the default of the kind"
            text = f"{count} entries for {total} objects; the missing ones are {missing}"
            yield instance.finding("unequal-lists", text, name)


def _clipped(instance: ItemInstance) -> Iterator[Finding]:
    kind, size = instance.kind, instance.size
    if kind is None or instance.index >= len(instance.item.sizes):
        return
    if kind.is_goal and min(size.x, size.y, size.z) < 0:
        return
    given = {"x": size.x} if kind.is_goal else {"x": size.x, "y": size.y, "z": size.z}
    for axis, low, high in zip(given, kind.minimum, kind.maximum, strict=False):
        got = given[axis]
        used = min(max(got, low), high)
        if got >= 0 and got != used:
            text = f"got {got:g}, used {used:g}; {kind.name} takes {low:g} to {high:g}"
            yield instance.finding("clipped-size", text, "sizes", instance.index, axis=axis)


def _ignored_values(instance: ItemInstance) -> Iterator[Finding]:
    kind = instance.kind
    if kind is None:
        return
    size, height = instance.size, instance.position.y
    if kind.is_goal and instance.item.sizes and size.x >= 0 and not size.x == size.y == size.z:
        text = f"a ball uses x={size.x:g} for all three"
        yield instance.finding("ignored-value", text, "sizes", instance.index)
    if height > 0 and (kind.body is Body.ZONE or kind.shape is Shape.TUBE):
        text = f"got {height:g}, ignored; {kind.name} always lies on the floor"
        yield instance.finding("ignored-value", text, "positions", instance.index, axis="y")


def _beyond(instance: ItemInstance) -> Iterator[Finding]:
    for axis, value in (("x", instance.position.x), ("z", instance.position.z)):
        if value > ARENA_SIZE:
            text = f"got {value:g}, used {ARENA_SIZE:g}, the arena's edge"
            yield instance.finding("clamped-position", text, "positions", instance.index, axis=axis)
        elif value in (0, ARENA_SIZE):
            text = f"at {value:g} half of {instance.label} is beyond the boundary"
            yield instance.finding("outside", text, "positions", instance.index, axis=axis)


_BOM = b"\xef\xbb\xbf"


class Change(NamedTuple):
    """One word that was replaced, and its line (from 1)."""

    line: int
    old: str
    new: str


def newest_key(spelled: str, field: str | int) -> str:
    """Return the newest spelling of a key that sets `field`. The key itself if there is no other."""
    for table in KEYS.values():
        if table.get(spelled) == field:
            return [key for key, sets in table.items() if sets == field][-1]
    return spelled


def upgrade_text(
    text: str, source: str = "<text>", version: str = Version.V3, lenient: bool = False
) -> tuple[str, tuple[Change, ...]]:
    """Return the text in the newest spelling, and the changes.

    Changes are from top to bottom. Raises ConfigError as `arena.taskfile.load.load_text` does, and if a word
    cannot be replaced without changing the file's meaning (such as an anchor that another key shares).
    """
    before = load_located(text, source, version, lenient=lenient)
    older = [(node.start_mark, node.end_mark.index, node.value, new) for _, node, new in _older(before)]
    edits = {(start.index, end, start.line + 1, old, new) for start, end, old, new in older}
    changes: list[Change] = []
    parts: list[str] = []
    here = 0
    for start, end, line, old, new in sorted(edits):
        head, found, tail = text[start:end].rpartition(old)
        if found:
            parts += [text[here:start], head, new, tail]
            changes.append(Change(line, old, new))
            here = end
    upgraded = "".join([*parts, text[here:]])
    if _meaning(load_text(upgraded, source, version, lenient=lenient)) != _meaning(before.file):
        line = changes[0].line if changes else 1
        raise ConfigError(f"{source}:{line}: cannot be upgraded without a change of meaning; left as it is")
    return upgraded, tuple(changes)


def upgrade_file(path: Path, version: str = Version.V3, lenient: bool = False) -> tuple[Change, ...]:
    """Upgrade a file in place if needed. Raises ConfigError as `upgrade_text` does."""
    raw = read_bytes(path)
    mark = _BOM if raw.startswith(_BOM) else b""
    upgraded, changes = upgrade_text(raw.decode("utf-8-sig"), str(path), version, lenient)
    if changes:
        try:
            write_file(path, mark + upgraded.encode("utf-8"))
        except EvaluationError as error:
            raise ConfigError(str(error)) from None
    return changes


def _meaning(file: ArenaFile) -> dict[str, Any]:
    """Return the file's values under current names, without remarks about its text."""
    values = file.model_dump(exclude={"warnings"}, serialize_as_any=True)
    for item in chain.from_iterable(arena["items"] for arena in values["arenas"].values()):
        item["name"] = ALIASES.get(item["name"], item["name"])
    return values
