"""Objects that no version has: the original ignores them, and so does a lenient reader, with a remark."""

from collections.abc import Collection, Mapping
from typing import Any

from arena.taskfile.nodes import Path_, Reader


def ignore_unknown(values: Mapping[str, Any], reader: Reader, known: Collection[str]) -> dict[str, Any]:
    """The file's values without objects whose name is not among the known ones.

    Each leaves a remark, and the places of the items behind it move up.
    """
    arenas = values.get("arenas")
    if not isinstance(arenas, dict):
        return dict(values)
    kept = {number: _known_items(arena, number, reader, known) for number, arena in arenas.items()}
    return {**values, "arenas": kept}


def _known_items(arena: Any, number: int, reader: Reader, known: Collection[str]) -> Any:
    items = arena.get("items") if isinstance(arena, dict) else None
    if not isinstance(items, tuple):
        return arena
    here: Path_ = ("arenas", number, "items")
    names = [item.get("name") if isinstance(item, dict) else None for item in items]
    kept = [index for index, name in enumerate(names) if not isinstance(name, str) or name in known]
    for index, name in enumerate(names):
        if index not in kept:
            reader.remark((*here, index, "name"), "unknown-object", f"unknown object {name!r}, ignored")
    left = tuple(_known_parts(items[index], (*here, index), reader, known) for index in kept)
    reader.places = _moved(reader, here, kept)
    return {**arena, "items": left}


def _known_parts(value: Any, here: Path_, reader: Reader, known: Collection[str]) -> Any:
    """An item or operation without rewards and spawned objects that are unknown; such an operation does
    nothing."""
    if isinstance(value, tuple):
        return tuple(_known_parts(each, (*here, index), reader, known) for index, each in enumerate(value))
    if not isinstance(value, dict):
        return value
    spawned = value.get("spawnable")
    name = spawned.get("name") if isinstance(spawned, dict) else None
    if isinstance(name, str) and name not in known:
        reader.remark(here, "unknown-object", f"unknown object {name!r}, ignored")
        return {"type": "noneOperation"}
    parts = {
        key: _known_parts(value[key], (*here, key), reader, known)
        for key in ("operations", "operation", "spawnable")
        if key in value
    }
    return {**value, **parts, **_known_rewards(value, here, reader, known)}


def _known_rewards(
    item: Mapping[str, Any], here: Path_, reader: Reader, known: Collection[str]
) -> dict[str, Any]:
    names = item.get("reward_names")
    if not isinstance(names, tuple):
        return {}
    unknown = [index for index, name in enumerate(names) if isinstance(name, str) and name not in known]
    for index in unknown:
        reader.remark(here, "unknown-object", f"unknown object {names[index]!r} in rewardNames, ignored")
    return {
        key: tuple(each for index, each in enumerate(item[key]) if index not in unknown)
        for key in ("reward_names", "reward_weights", "max_reward_counts")
        if isinstance(item.get(key), tuple)
    }


def _moved(reader: Reader, here: Path_, kept: list[int]) -> dict[Path_, Any]:
    """The places of all values, those of the kept items under their new numbers."""
    now = {old: new for new, old in enumerate(kept)}
    depth = len(here)
    return {
        (*here, now[int(path[depth])], *path[depth + 1 :]) if inside else path: place
        for path, place in reader.places.items()
        if not (inside := path[:depth] == here and len(path) > depth) or path[depth] in now
    }
