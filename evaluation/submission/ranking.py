"""Submissions in order of their pass rate, missing trials as failed."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from evaluation.submission.model import Submission
from evaluation.submission.rates import recomputed


class Entry(NamedTuple):
    """A submission and its rank, which it shares with those of the same rate."""

    rank: int
    path: Path
    made: Submission


def ranked(found: Sequence[tuple[Path, Submission]]) -> list[tuple[str, list[Entry]]]:
    """The submissions of each set of tasks and trials, the best first, under a title."""
    boards: dict[str, list[tuple[Path, Submission]]] = {}
    for path, made in found:
        boards.setdefault(_title(made), []).append((path, made))
    return [(title, _entries(board)) for title, board in boards.items()]


def _entries(board: Sequence[tuple[Path, Submission]]) -> list[Entry]:
    rated = sorted(((_rate(made), path, made) for path, made in board), key=lambda each: -each[0])
    return [Entry(1 + sum(other > rate for other, _, _ in rated), path, made) for rate, path, made in rated]


def _rate(made: Submission) -> float:
    rate = recomputed(made)[0].pass_rate
    return -1.0 if rate is None else rate


def _title(made: Submission) -> str:
    """The suite, the tasks by number and SHA-256, and the trials."""
    card = made.card
    listed = "".join(f"{task_id} {digest}\n" for task_id, digest in sorted(card.tasks.items()))
    digest = hashlib.sha256(listed.encode()).hexdigest()[:12]
    return f"{card.suite}: {len(card.tasks)} tasks ({digest}), trials of each: {card.trials}"
