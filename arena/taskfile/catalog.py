"""Table of all kinds of objects, `kinds.yaml`. The file describes the addition of a kind."""

from collections.abc import Callable, Mapping
from typing import Any

from arena.packages import data_of
from arena.scene import Vector
from arena.taskfile.kind import Body, Change, Ends, Kind, Settings, Shape, Spawner


def _facts(said: Mapping[str, Any]) -> dict[str, Any]:
    return {fact: _READ.get(fact, frozen)(value) for fact, value in said.items()}


def frozen(value: Any) -> Any:
    """Return a file's value with tuples in place of lists."""
    return tuple(map(frozen, value)) if isinstance(value, list) else value


_READ: dict[str, Callable[[Any], Any]] = {
    **{"shape": Shape, "body": Body, "ends": Ends, "change": Change, "in_4": _facts, "in_41": _facts},
    **dict.fromkeys(("defaults", "fixed"), lambda said: Settings(**said)),
    "spawner": lambda said: Spawner(**_facts(said)),
}
"""Conversions of facts from the file's values."""


def _kind(name: str, size: Any = None, **said: Any) -> Kind:
    bounds = {} if size is None else {"minimum": size, "maximum": size}
    return Kind(name, **_facts(bounds | said))


_DATA = data_of("arena.taskfile", "kinds.yaml")

PALETTE: tuple[Vector, ...] = frozen(_DATA["palette"])
"""Colours of numbered things, sRGB: blue, orange, purple, white, black, turquoise."""

KINDS: dict[str, Kind] = {name: _kind(name, **said) for name, said in _DATA["kinds"].items()}
"""All kinds by current name. That is the one of v3.1.3, or of the first version that has them."""

LAMP_SIZE: Vector = KINDS["LitLamp"].minimum

ALIASES: dict[str, str] = {older: kind.name for kind in KINDS.values() for older in kind.older}
"""Names in older files, and the current name of each (`YAMLclasses.cs`)."""
