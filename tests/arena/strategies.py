"""Random arenas, task files and actions, derived from the arena's own tables.

A kind, a YAML key or a field that is added there is drawn here without a change.
"""

from collections.abc import Callable, Iterable, Mapping
from math import ceil
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import yaml
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from arena import ACTIONS, Action, ArenaFile, ArenaSpec
from arena.geometry.shapes import ARENA_SIZE
from arena.taskfile.catalog import ALIASES, KINDS
from arena.taskfile.config import (
    KEYS,
    MODELS,
    OPERATIONS,
    Item,
    LimitedInvocations,
    OperationFromList,
    ToggleObject,
    Vector3,
)
from arena.taskfile.kind import Kind
from arena.taskfile.versions import Version, kind_named

NAMES = ("Agent", *(name for name in (*KINDS, *ALIASES) if not KINDS[ALIASES.get(name, name)].internal))
OLD_NAMES = tuple(n for n in NAMES if n == "Agent" or not KINDS[ALIASES.get(n, n)].new_in_4)
OLD_KINDS = {name: kind_named(name, Version.V3) for name in OLD_NAMES if name in KINDS}
"""Every kind that the default version has."""

TAGS = {model: tag for tag, model in MODELS.items()}


def examples(share: float) -> Callable[[Any], Any]:
    """A property's settings: its share of the profile's number of examples (see tests/conftest.py)."""
    profile = settings()
    checks = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture)
    return settings(
        max_examples=ceil(profile.max_examples * share), deadline=None, suppress_health_check=checks
    )


# Everything that a file may hold, from the types of `ArenaSpec`.


NESTING = (LimitedInvocations, OperationFromList, ToggleObject)
"""Operations that hold operations, or an item that may have some."""

DEEPEST = 3
"""Operations hold one another so deep here. A file may do so until MAX_DEPTH, but Hypothesis prints a deep
counterexample in exponential time, so that a failure would look like a test that never ends."""


def values(annotation: Any, constraints: Iterable[Any] = (), depth: int = 0) -> SearchStrategy[Any]:
    """Any value of a field's type, inside its bounds, in `depth` operations."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        extra = [m for c in inner[1:] for m in (c.metadata if isinstance(c, FieldInfo) else [c])]
        return values(inner[0], extra, depth)
    if origin in (Union, UnionType):
        parts = [part for part in inner if depth < DEEPEST or part not in NESTING]
        return st.one_of(*(values(part, constraints, depth) for part in parts))
    if origin is Literal:
        return st.sampled_from(inner)
    if origin is tuple:
        return st.lists(values(inner[0], (), depth), max_size=3).map(tuple)
    if origin is Mapping:
        return st.dictionaries(values(inner[0]), values(inner[1]), min_size=1, max_size=2)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return models(annotation, depth + (annotation in NESTING))
    low, high = (
        next((getattr(c, bound) for c in constraints if hasattr(c, bound)), None) for bound in ("ge", "le")
    )
    plain: dict[Any, SearchStrategy[Any]] = {
        float: st.floats(low, high, allow_nan=False, allow_infinity=False),
        int: st.integers(-(10**30) if low is None else low, 10**30 if high is None else high),
        bool: st.booleans(),
        str: st.text(max_size=8),
        NoneType: st.none(),
    }
    return plain[annotation]


def models(model: type[BaseModel], depth: int = 0) -> SearchStrategy[Any]:
    """Any value of a specification's type that a file can hold, in `depth` operations."""
    known = {"type", *KEYS[TAGS[model]].values()}
    fields = {
        name: _NAMED[model, name]
        if (model, name) in _NAMED
        else values(field.annotation, field.metadata, depth)
        for name, field in model.model_fields.items()
        if name in known
    }
    return st.builds(model, **fields)


_NAMED: dict[tuple[type[BaseModel], str], SearchStrategy[Any]] = {
    (ArenaFile, "laboratory"): st.just(True),
    (ArenaSpec, "question"): st.none(),
    (Item, "name"): st.sampled_from(NAMES),
    (Item, "reward_names"): st.lists(st.sampled_from(NAMES), max_size=2).map(tuple),
    (ArenaSpec, "blackouts"): st.lists(st.integers(0, 10**6), max_size=3, unique=True).map(
        lambda frames: tuple(sorted(frames))
    )
    | st.integers(-(10**6), -1).map(lambda period: (period,)),
}
"""Fields that hold more than their type says."""


@st.composite
def documents(draw: st.DrawFn, file: ArenaFile) -> str:
    """A task file as text: any spelling of each key, with or without tags, in flow or block style."""
    tags, flow = draw(st.booleans()), draw(st.booleans())

    def node(value: Any) -> yaml.Node:
        if isinstance(value, BaseModel):
            tag = TAGS[type(value)]
            spellings: dict[str, list[str]] = {}
            for key, name in KEYS[tag].items():
                spellings.setdefault(name, []).append(key)
            kept = {name: getattr(value, name) for name in draw(st.permutations(list(spellings)))}
            keys = {draw(st.sampled_from(spellings[name])): entry for name, entry in kept.items()}
            named = tags or tag in OPERATIONS
            return mapping(f"!{tag}" if named else "tag:yaml.org,2002:map", keys)
        if isinstance(value, dict):
            return mapping("tag:yaml.org,2002:map", value)
        if isinstance(value, tuple):
            return yaml.SequenceNode(
                "tag:yaml.org,2002:seq", [node(entry) for entry in value], flow_style=flow
            )
        scalar = yaml.SafeDumper("").represent_data(value)
        # Text that looks like a number is text only in quotes.
        scalar.style = '"' if isinstance(value, str) else None
        return scalar

    def mapping(tag: str, entries: dict[Any, Any]) -> yaml.MappingNode:
        pairs = [(yaml.SafeDumper("").represent_data(key), node(entry)) for key, entry in entries.items()]
        return yaml.MappingNode(tag, pairs, flow_style=flow)

    # PyYAML writes other text where the indentation exceeds the width.
    return str(yaml.serialize(node(file), Dumper=yaml.SafeDumper, width=draw(st.integers(60, 200))))


# Arenas that can be played.

COORDINATES = st.sampled_from([0.0, 0.5, 1.0, 20.0, 39.5, 40.0, 41.0, -1.0]) | st.floats(0, ARENA_SIZE)
HEIGHTS = st.sampled_from([0.0, 0.0, 0.0, 0.1, 1.0, 2.0]) | st.floats(0, 8)
YAWS = st.sampled_from([0.0, 45.0, 90.0, 135.0, 180.0, 270.0, 360.0, -1.0]) | st.floats(0, 360)
PLACES = st.builds(Vector3, x=COORDINATES, y=HEIGHTS, z=COORDINATES)


def sizes(kind: Kind) -> SearchStrategy[Vector3]:
    """A size in and around the range of a kind; mostly small, so that several things fit."""
    components = [
        st.floats(low, min(high, 4 * low + 4)) | st.sampled_from([0.0, low, high, -1.0])
        for low, high in zip(kind.minimum, kind.maximum, strict=True)
    ]
    return st.builds(Vector3, **dict(zip("xyz", components, strict=True)))


@st.composite
def items(draw: st.DrawFn, names: tuple[str, ...] = NAMES[1:]) -> Item:
    """Up to three things of one kind; lists may be too short, which makes the rest random."""
    name = draw(st.sampled_from(names))
    return Item(
        name=name,
        positions=tuple(draw(st.lists(PLACES, max_size=3))),
        rotations=tuple(draw(st.lists(YAWS, max_size=3))),
        sizes=tuple(draw(st.lists(sizes(KINDS[ALIASES.get(name, name)]), max_size=3))),
    )


@st.composite
def agents(draw: st.DrawFn) -> Item:
    """An agent somewhere, now and then frozen for a while."""
    frozen = draw(st.sampled_from([(), (), (0.3,), (0.0,)]))
    return Item(name="Agent", positions=(draw(PLACES),), rotations=(draw(YAWS),), frozen_agent_delays=frozen)


@st.composite
def arenas(draw: st.DrawFn, names: tuple[str, ...] = NAMES[1:], agent: bool = False) -> ArenaSpec:
    """Up to six items at random; with `agent`, one is an agent, which the others then keep clear of."""
    first = draw(st.lists(agents(), min_size=agent, max_size=1))
    return ArenaSpec(
        time_limit=draw(st.sampled_from([0, 1, 10, 250])),
        pass_mark=draw(st.sampled_from([None, 0.0, 0.5])),
        items=(*first, *draw(st.lists(items(names), max_size=6))),
        blackouts=draw(st.sampled_from([(), (5, 10), (-20,), (0, 3)])),
    )


@st.composite
def crammed(draw: st.DrawFn, names: tuple[str, ...] = tuple(OLD_KINDS)) -> ArenaSpec:
    """Things around an agent within reach: towers, flush and thin walls, wedges, ramps, tunnels."""
    middle = draw(st.sampled_from([1.5, 20.0, 38.5]))
    around = st.floats(-4, 4).map(lambda away: min(max(middle + away, 0.0), ARENA_SIZE))
    parts = [Item(name="Agent", positions=(Vector3(x=middle, z=20.0),), rotations=(draw(YAWS),))]
    for _ in range(draw(st.integers(1, 6))):
        kind = OLD_KINDS[draw(st.sampled_from(names))]
        size = draw(sizes(kind))
        x, z = draw(around), 20.0 + draw(st.floats(-4, 4))
        # A tower stands flush: each of its things starts on top of the one below.
        count = draw(st.integers(1, 4))
        heights = [max(size.y, kind.minimum[1]) * level for level in range(count)]
        parts.append(
            Item(
                name=kind.name,
                positions=tuple(Vector3(x=x, y=height, z=z) for height in heights),
                rotations=(draw(st.sampled_from([0.0, 45.0, 90.0]) | st.floats(0, 360)),) * count,
                sizes=(size,) * count,
            )
        )
    return ArenaSpec(time_limit=250, pass_mark=0.0, items=tuple(parts))


@st.composite
def drives(draw: st.DrawFn, most: int = 60, actions: tuple[Action, ...] = ACTIONS) -> list[Action]:
    """Actions for up to `most` steps, in runs, as people and models give them."""
    runs = draw(st.lists(st.tuples(st.sampled_from(actions), st.integers(1, 20)), min_size=1, max_size=8))
    return [action for action, count in runs for _ in range(count)][:most]
