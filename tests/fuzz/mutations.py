"""Seeded mutations of files: bytes, lines, numbers, words, and the structure of YAML and JSON."""

import copy
import json
import random
import re
from typing import Any

import yaml

from arena.taskfile.catalog import ALIASES, KINDS
from arena.taskfile.config import KEYS

NUMBERS = [
    "nan", ".nan", "inf", "-.inf", "1e400", "-1", "0", "-0.0", "1e308", "1e-320", "9" * 20, "0x10", "'1'",
    "1:30", "~", "!!int",
]  # fmt: skip
WORDS = ["Agent", "wall", "x", *KEYS, *KINDS, *ALIASES, *(key for table in KEYS.values() for key in table)]
SNIPPETS = [
    b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"\r\n", b"\t", b"\x85", b"\xe2\x80\xa8", b"%YAML 9.9\n---\n",
    b"---\n", b"...\n", b"&a ", b"*a", b"<<: *a\n", b"!!python/object/apply:os.system ['true']", b"? ",
    b"[" * 3000, b"{a: " * 3000, b"- " * 3000, b"'", b'"', b"|\n", b">9\n", b"#", b"@",
    b"`", b"\xf0\x9f\x90\xbc",
]  # fmt: skip
EVERYWHERE = [(b"\n", b"\r\n"), (b"  ", b"\t"), (b"!", b"!!"), (b": ", b":")]
"""What is replaced by what in a whole file."""

VALUES: list[Any] = [
    None, "", "x", -1, 0, 10**18, 1e300, True, [], {}, [[]], {"x": {"x": 1}}, "1e400", "\x00",
]  # fmt: skip


def mutated(data: bytes, rng: random.Random) -> bytes:
    """A file with one to four changes."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        change = rng.choice([_bytes, _snippet, _line, _word, _word, _word, _structure, _everywhere])
        data = change(data, rng)
    return data


def _everywhere(data: bytes, rng: random.Random) -> bytes:
    return data.replace(*rng.choice(EVERYWHERE))


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
