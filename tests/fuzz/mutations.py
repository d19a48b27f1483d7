"""Seeded mutations of files: bytes, lines, numbers, words, and the structure of YAML and JSON."""

import copy
import json
import random
import re
from typing import Any

import yaml

from tests.arena.test_fuzz import NUMBERS, SNIPPETS, WORDS

VALUES: list[Any] = [
    None, "", "x", -1, 0, 10**18, 1e300, True, [], {}, [[]], {"x": {"x": 1}}, "1e400", "\x00",
]  # fmt: skip


def mutated(data: bytes, rng: random.Random) -> bytes:
    """A file with one to four changes."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        data = rng.choice([_bytes, _snippet, _line, _word, _word, _word, _structure])(data, rng)
    return data


def _bytes(data: bytes, rng: random.Random) -> bytes:
    at = rng.randint(0, len(data))
    return rng.choice([data[:at], data[:at] + rng.randbytes(rng.randint(1, 4)) + data[at + 1 :]])


def _snippet(data: bytes, rng: random.Random) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + rng.choice(SNIPPETS) + data[at:]


def _line(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    here, there = rng.randrange(len(lines)), rng.randrange(len(lines))
    changed = [*lines[:here], *lines[here + 1 :]]
    moved = rng.choice(
        [[], [lines[here]] * 2, [lines[here]] * 300, [b" " * rng.randint(0, 9) + lines[here].lstrip()]]
    )
    return b"".join([*changed[:there], *moved, *changed[there:]])


def _word(data: bytes, rng: random.Random) -> bytes:
    pattern, new = rng.choice([(rb"-?\d[\d.]*", rng.choice(NUMBERS)), (rb"[A-Za-z_]\w*", rng.choice(WORDS))])
    found = list(re.finditer(pattern, data))
    if not found:
        return data
    chosen = rng.choice(found)
    return data[: chosen.start()] + new.encode() + data[chosen.end() :]


def _structure(data: bytes, rng: random.Random) -> bytes:
    """Another value somewhere in the tree of a YAML or JSON file; without its tags."""
    try:
        tree = yaml.load(re.sub(rb"!\w+", b"", data), Loader=yaml.CSafeLoader)
    except Exception:
        return data
    places = list(_places(tree))
    if not places:
        return data
    holder, key = rng.choice(places)
    try:
        holder[key] = copy.deepcopy(rng.choice([*VALUES, [holder[key]] * rng.choice([0, 2, 1200]), tree]))
        return json.dumps(tree).encode()
    except (TypeError, ValueError, RecursionError):
        return data


def _places(tree: Any) -> Any:
    for key in tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield tree, key
        yield from _places(tree[key])
