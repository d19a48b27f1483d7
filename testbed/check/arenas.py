"""Findings about an arena and its spelling that need no build."""

from collections.abc import Iterator
from itertools import pairwise

import yaml

from arena.taskfile.advice import advice
from arena.taskfile.catalog import ALIASES
from arena.taskfile.config import ArenaSpec
from arena.taskfile.load import Located, nearest
from testbed.check.finding import Finding
from testbed.check.upgrade import newest_key


def arena_findings(located: Located, arena_id: int) -> Iterator[Finding]:
    """Findings about an arena as a whole."""
    arena = located.file.arenas[arena_id]
    for remark in advice(arena):
        place = nearest(located.places, ("arenas", arena_id, *remark.path))
        yield Finding.at(place, remark.code, remark.text)
    place = nearest(located.places, ("arenas", arena_id, "blackouts"))
    for code, text in _blackouts(arena):
        yield Finding.at(place, code, text)


def _blackouts(arena: ArenaSpec) -> Iterator[tuple[str, str]]:
    frames, limit = arena.blackouts, arena.time_limit
    if not frames or frames[0] < 0:
        return
    for one, other in pairwise(frames):
        if other <= one:
            yield "blackouts-order", f"{other} comes after {one}; frames must increase strictly"
    if limit and max(frames) > limit:
        yield "blackouts-late", f"{max(frames)} is beyond the time limit of {limit}, so it never comes"


def spelling_findings(located: Located) -> Iterator[Finding]:
    """Keys and object names that have a newer spelling."""
    for path, place in located.places.items():
        if isinstance(place.key, yaml.ScalarNode):
            new = newest_key(place.key.value, path[-1])
            if new != place.key.value:
                line = place.key.start_mark.line + 1
                yield Finding("old-key", f"{place.spelled}: now spelled {new}", line)
        if path[-1:] == ("name",) and isinstance(place.node, yaml.ScalarNode) and place.node.value in ALIASES:
            text = f"{place.node.value} is now called {ALIASES[place.node.value]}"
            yield Finding.at(place, "old-name", text)
