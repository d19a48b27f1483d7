"""A hidden split: the battery drawn again from a secret seed, to compare with the public files."""

import hashlib
import secrets
from pathlib import Path

from pydantic import BaseModel, ValidationError

from arena.errors import ConfigError
from arena.files import read_bytes, write_file
from testbed.blueprints import CONDITIONS, VARIANTS
from testbed.blueprints.blueprint import DIFFICULTIES

FILE = "split.json"
"""Beside the levels of a hidden split: its seed, which must stay secret, and what may be published."""

SEED_BITS = 128
"""Enough that nobody finds the seed by drawing tasks until they agree with the commitment."""


class HiddenSplit(BaseModel, frozen=True, extra="forbid"):
    """The secret seed of a folder of tasks."""

    seed: int
    commitment: str


def commitment(seed: int) -> str:
    """SHA-256 of a seed, to publish before a result; with the seed, anyone can later draw the same files."""
    return hashlib.sha256(f"arena-llm hidden split {seed}".encode()).hexdigest()


def hidden_split(folder: Path, seed: int | None) -> HiddenSplit:
    """The split that an earlier run into the folder began, or one of this seed, or of a new secret one.

    It is written to the folder. Raises ConfigError if the folder has a split of another seed or a broken one,
    EvaluationError if it cannot be written.
    """
    path = folder / FILE
    if path.exists():
        try:
            found = HiddenSplit.model_validate_json(read_bytes(path))
        except (OSError, ValidationError):
            raise ConfigError(f"{path}: no hidden split can be read; choose an empty folder") from None
        if seed not in (None, found.seed):
            raise ConfigError(f"--seed: {path} is of another seed; choose another folder or leave it out")
        return found
    drawn = secrets.randbits(SEED_BITS) if seed is None else seed
    split = HiddenSplit(seed=drawn, commitment=commitment(drawn))
    write_file(path, split.model_dump_json(indent=1) + "\n")
    return split


def whole(levels: tuple[int, ...], difficulty: int | None) -> int:
    """Number of tasks that the battery has of these levels, of one difficulty if given."""
    wanted = DIFFICULTIES if difficulty is None else (difficulty,)
    return len(VARIANTS) * sum(each.difficulty in wanted for level in levels for each in CONDITIONS[level])
