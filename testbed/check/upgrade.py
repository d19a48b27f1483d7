"""Rewrite old keys and object names in the newest spelling, and nothing else of the text."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from arena.errors import ConfigError, EvaluationError
from arena.files import read_bytes, write_file
from arena.taskfile.catalog import ALIASES
from arena.taskfile.config import KEYS, ArenaFile
from arena.taskfile.load import Located, load_located, load_text
from arena.taskfile.versions import Version

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Change:
    """One word that was replaced, and its line (from 1)."""

    line: int
    old: str
    new: str


def newest_key(spelled: str, field: str | int) -> str:
    """The newest spelling of a key that sets `field`; the key itself if there is no other."""
    for table in KEYS.values():
        if table.get(spelled) == field:
            return [key for key, sets in table.items() if sets == field][-1]
    return spelled


def upgrade_text(
    text: str, source: str = "<text>", version: str = Version.V3, lenient: bool = False
) -> tuple[str, tuple[Change, ...]]:
    """The text in the newest spelling, and what was changed, from top to bottom.

    Raises ConfigError as `arena.taskfile.load.load_text` does, and if a word cannot be replaced without
    changing the file's meaning (such as an anchor that something else shares).
    """
    before = load_located(text, source, version, lenient=lenient)
    edits = sorted(set(_edits(before)))
    changes: list[Change] = []
    parts: list[str] = []
    here = 0
    for start, end, line, old, new in edits:
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
    """Upgrade a file in place; one that needs nothing is not written. Raises ConfigError as above."""
    raw = read_bytes(path)
    mark = _BOM if raw.startswith(_BOM) else b""
    upgraded, changes = upgrade_text(raw.decode("utf-8-sig"), str(path), version, lenient)
    if changes:
        try:
            write_file(path, mark + upgraded.encode("utf-8"))
        except EvaluationError as error:
            raise ConfigError(str(error)) from None
    return changes


def _edits(located: Located) -> Iterator[tuple[int, int, int, str, str]]:
    """Start and end (characters), line, old word and new word of every edit; shared nodes more than once."""
    for path, place in located.places.items():
        key, node = place.key, place.node
        if isinstance(key, yaml.ScalarNode):
            yield from _edit(key, newest_key(key.value, path[-1]))
        if path[-1:] == ("name",) and isinstance(node, yaml.ScalarNode):
            yield from _edit(node, ALIASES.get(str(node.value), str(node.value)))


def _edit(node: yaml.ScalarNode, new: str) -> Iterator[tuple[int, int, int, str, str]]:
    if node.value != new:
        start, end = node.start_mark, node.end_mark
        yield (start.index, end.index, start.line + 1, node.value, new)


def _meaning(file: ArenaFile) -> ArenaFile:
    """The file with every object under its current name, and without remarks about its text."""
    arenas = {
        arena_id: arena.model_copy(
            update={
                "items": tuple(
                    item.model_copy(update={"name": ALIASES.get(item.name, item.name)})
                    for item in arena.items
                )
            }
        )
        for arena_id, arena in file.arenas.items()
    }
    return file.model_copy(update={"arenas": arenas, "warnings": ()})
