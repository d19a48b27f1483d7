"""The test tasks of the benchmark of learned policies: `python -m testbed.proof --test-tasks`."""

import csv
import io
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np

from arena import ACTIONS, Episode, load_text
from arena.files import write_file
from arena.parallel import in_order
from testbed.benchmark import TEST_SEED, sha256
from testbed.blueprints import CONDITIONS, VARIANTS, Draw
from testbed.proof.prove import Order, Proven, prove


class Row(NamedTuple):
    """A line of the file; rewards are those of whole episodes."""

    level: int
    task: int
    variant: int
    attempt: int
    sha256: str
    random: float
    oracle: float


def write_test_tasks(path: Path, levels: Sequence[int], jobs: int) -> None:
    """Draw and prove the test tasks of levels, and write the file. Raises EvaluationError as `prove` does."""
    draws = [
        Draw(level, number, variant, TEST_SEED)
        for level in levels
        for number in range(1, len(CONDITIONS[level]) + 1)
        for variant in VARIANTS
    ]
    content = io.StringIO()
    table = csv.writer(content, lineterminator="\n")
    table.writerow(Row._fields)
    with closing(in_order(scored, draws, jobs)) as rows:
        table.writerows(rows)
    write_file(path, content.getvalue())


def scored(draw: Draw) -> Row:
    """The first proven attempt at a draw, with the rewards of random actions and of the oracle."""
    proven = prove(Order(draw, draw.task_id))
    made = Draw.of_text(proven.text, proven.task_id)
    return Row(
        made.level,
        made.task,
        made.variant,
        made.attempt,
        sha256(proven.text),
        random_reward(proven),
        proven.proof.solution.total_reward,
    )


def random_reward(proven: Proven) -> float:
    """Reward of actions drawn uniformly from the nine, one for each step."""
    spec, words = load_text(proven.text).arenas[0], map(int, proven.task_id.split("-"))
    rng = np.random.default_rng([TEST_SEED, *words])
    with closing(Episode(spec, task_id=proven.task_id)) as episode:
        while not episode.done:
            episode.step(ACTIONS[rng.integers(len(ACTIONS))])
        return episode.total_reward
