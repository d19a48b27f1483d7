"""Tables of the objects and of the versions, from the catalog and `arena.taskfile.versions`."""

import ast
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import pairwise, product
from typing import Any

from arena.geometry.placed import Placed, changing_values
from arena.mechanisms import settings_of
from arena.rules import HOT_ZONE_FACTOR, HOT_ZONE_LEAST
from arena.scene import Vector
from arena.taskfile.catalog import ALIASES, KINDS
from arena.taskfile.config import KEYS, Item
from arena.taskfile.kind import Body, Change, Ends, Kind
from arena.taskfile.versions import DIFFERENCES, Differences, Version, kind_in, kind_named
from docs._generate import Rows, code, number, tabled

_ENDS = {Ends.NEVER: "goes on", Ends.ALWAYS: "ends", Ends.LAST: "ends with the last"}


def public_kinds() -> list[Kind]:
    """The kinds that a file may ask for, as the oldest version that has them does."""
    return [kind for kind in KINDS.values() if not kind.internal]


def in_version(name: str, version: Version) -> Kind | None:
    """A kind as a version has it; None if it has none."""
    try:
        return kind_named(name, version)
    except KeyError:
        return None


def objects_section() -> str:
    """A heading and a list of facts for each kind."""
    return "\n\n".join(f"### {kind.name}\n\n{_facts(kind)}" for kind in public_kinds())


@tabled("kind", "`initialValues`", "`finalValues`")
def changing_table() -> Rows:
    """Default behaviour of changing balls."""
    named = [kind.name for kind in public_kinds() if kind.change is not Change.NONE]
    return ((code(name), *map(number, changing_values(_placed(name)))) for name in (*named, "AntiDecayGoal"))


@tabled("kind", "version", "seconds between", "seconds to ripen", "first size", "last size", "number")
def spawners_table() -> Rows:
    """Default behaviour of spawners, in either version."""
    for kind, version in product(public_kinds(), ("3.1.3", "4")):
        if kind.spawner:
            yield code(kind.name), version, *_settings(kind.name, version)


@tabled("difference", *Version)
def versions_table() -> Rows:
    """Every difference between the versions; most of those of single objects are in their own lists."""
    docs = docstrings(Differences)
    for field in fields(Differences):
        yield docs[field.name], *(_said(getattr(DIFFERENCES[each], field.name)) for each in Version)
    boards, zones = ([kind_in(name, each) for each in Version] for name in ("SignBoard", "DeathZone"))
    yield "Bounds of a sign board's size components", *(_said((k.minimum[0], k.maximum[0])) for k in boards)
    yield "The tag that rays report for a death zone", *(_said(kind.tag) for kind in zones)


def _settings(name: str, version: str) -> Iterator[str]:
    settings = settings_of(_placed(name), DIFFERENCES[Version(version)])
    yield from map(number, settings[:-1])
    yield "without end" if settings.most < 0 else str(settings.most)


def _placed(name: str) -> Placed:
    nothing = (0.0, 0.0, 0.0)
    return Placed(KINDS[ALIASES.get(name, name)], nothing, nothing, 0.0, None, item=Item(name=name))


def _facts(kind: Kind) -> str:
    both = {version: in_version(kind.name, version) for version in (Version.V3, Version.V4)}
    newest = {field: key for key, field in KEYS["Item"].items()}
    facts = {
        "older name": ", ".join(code(old) for old, new in ALIASES.items() if new == kind.name),
        "version": "all" if both[Version.V3] else "4",
        "files": "only with `laboratory: true`" if kind.laboratory else "",
        "size": _by_version(both, _size),
        "mass": _by_version(both, _mass),
        "friction": number(kind.friction) if kind.body is not Body.ZONE else "",
        "reward": _reward(kind),
        "episode": _by_version(both, lambda each: _ENDS[each.ends]) if kind.reward or kind.is_goal else "",
        "colour": _by_version(both, _color),
        "keys of its own": ", ".join(code(newest[field]) for field in kind.fields),
    }
    picture = f"![{kind.name}](pictures/{kind.name}.png)\n\n"
    lines = "\n".join(f"- {name}: {fact}" for name, fact in facts.items() if fact)
    return f"{picture}{kind.meaning}\n\n{lines}"


def _by_version(both: Mapping[Version, Kind | None], say: Any) -> str:
    """A fact, for each version if they differ."""
    facts = {version: say(kind) for version, kind in both.items() if kind is not None}
    if len(set(facts.values())) == 1:
        return str(next(iter(facts.values())))
    return "; ".join(f"{fact} (version {version})" for version, fact in facts.items())


def _size(kind: Kind) -> str:
    stretched = "" if kind.stretch == (1.0, 1.0, 1.0) else f", built {_metres(kind.stretch)} times as large"
    if kind.change is not Change.NONE:
        return f"diameter is its {'final' if kind.change is Change.RIPEN else 'initial'} value"
    if kind.minimum == kind.maximum:
        return f"always {_metres(kind.minimum)} m{stretched}"
    if kind.is_goal:
        return f"diameter {number(kind.minimum[0])} to {number(kind.maximum[0])} m"
    return f"{_metres(kind.minimum)} to {_metres(kind.maximum)} m (x, y, z){stretched}"


def _metres(size: Vector) -> str:
    return " x ".join(map(number, size))


def _mass(kind: Kind) -> str:
    if kind.body is Body.ZONE:
        return "none, a zone"
    return "fixed" if kind.body is Body.STATIC else f"{number(kind.mass)} kg"


def _reward(kind: Kind) -> str:
    if kind.name == "HotZone":
        return f"-{HOT_ZONE_LEAST:g} a tick, or {HOT_ZONE_FACTOR:g} times the clock's where that is more"
    if kind.body is Body.ZONE:
        return number(kind.reward) if kind.reward else ""
    if not kind.is_goal:
        return ""
    if kind.change is not Change.NONE:
        return "its value"
    return f"{kind.reward:+g} x diameter" if kind.reward else "0"


def _color(kind: Kind) -> str:
    if not kind.colourable:
        return "its own"
    if kind.palette:
        return "`colors`, or one of six by its number"
    return "`colors`, random by default" if kind.random_color else "`colors`, or its own"


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, tuple):
        return ", ".join(map(number, value))
    return str(value)


def docstrings(described: Any) -> dict[str, str]:
    """Return the first paragraph of the docstring below each variable of a module or field of a class."""
    declared: Any = ast.parse(inspect.getsource(described))
    found = {}
    for above, below in pairwise(declared.body[0].body if isinstance(described, type) else declared.body):
        if isinstance(above, ast.AnnAssign | ast.Assign) and isinstance(below, ast.Expr):
            text = inspect.cleandoc(str(ast.literal_eval(below.value))).split("\n\n")[0]
            name = above.target if isinstance(above, ast.AnnAssign) else above.targets[0]
            found[ast.unparse(name)] = " ".join(text.split()).rstrip(".")
    return found
