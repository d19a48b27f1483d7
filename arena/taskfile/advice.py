"""Remarks on valid arenas in which something has no effect."""

from collections.abc import Iterator
from typing import NamedTuple

from arena.taskfile.catalog import ALIASES
from arena.taskfile.config import ArenaSpec
from arena.taskfile.symbols import EXPECTED, is_symbol


class Advice(NamedTuple):
    """A remark on an arena: a stable code, a sentence, and the path of the value that it is about."""

    code: str
    text: str
    path: tuple[str | int, ...] = ()


def advice(arena: ArenaSpec) -> Iterator[Advice]:
    """All remarks on an arena that do not require building it."""
    if arena.pass_mark is None:
        yield Advice(
            "no-pass-mark", "no pass mark; the task can be played but not passed or failed (unmarked)"
        )
    if arena.blackouts and arena.blackouts[0] < 0 and len(arena.blackouts) > 1:
        yield Advice(
            "blackouts-ignored", "blackouts start with a negative period, so the other entries are ignored"
        )
    if sum(item.name == "Agent" for item in arena.items) > 1 and not arena.version.is_4:
        yield Advice("several-agents", "several Agent items; only the first is used before version 4")
    if arena.merge_next and arena.then is None:
        yield Advice("nothing-merged", "there is no next arena to merge", ("merge_next",))
    yield from _symbols(arena)


def _symbols(arena: ArenaSpec) -> Iterator[Advice]:
    for index, item in enumerate(arena.items):
        for number, name in enumerate(item.symbol_names):
            if ALIASES.get(item.name, item.name) == "SignBoard" and not is_symbol(name):
                text = f"got the symbol {name!r}, shown as the default one; expected {EXPECTED}"
                yield Advice("unknown-symbol", text, ("items", index, "symbol_names", number))
