"""Draw tasks until they are proven. The oracle passes them, and waiting fails them."""

import hashlib
import secrets
from collections.abc import Generator, Sequence
from contextlib import closing
from itertools import count as numbers_from
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from pydantic import BaseModel, ValidationError

from arena import ACTIONS, TURN_RIGHT, ArenaSpec, Episode, EvaluationError, Recording, load_text
from arena.errors import ArenaError, ConfigError
from arena.files import read_bytes, read_text, write_file
from arena.processes import Engine, in_order
from arena.replay import Replay
from testbed.benchmark import COLUMNS, TEST_SEED, ScoredTask, sha256
from testbed.blueprints import FOLDERS, SHIPPED_SEED, VARIANTS, blueprint, condition_of, numbered, text
from testbed.blueprints.blueprint import Draw
from testbed.oracle.motion import waiting
from testbed.oracle.solve import SAFETY_STEPS, guess, solve, solved
from testbed.proof import solutions
from testbed.proof.solutions import Proof
from testbed.tasks import Task, without_notice

MAX_ATTEMPTS = 12
"""Maximum number of draws of one variant. A paradigm that needs more is badly designed."""


class Proven(NamedTuple):
    """A file and the proof that it can be passed and failed."""

    task_id: str
    text: str
    proof: Proof


class Order(NamedTuple):
    """A file to be made: draw, with the first attempt, and id."""

    draw: Draw
    task_id: str


def prove(order: Order) -> Proven:
    """Return the first solved attempt at a draw. Raises EvaluationError if none of the attempts is."""
    problems = []
    for attempt in range(order.draw.attempt, order.draw.attempt + MAX_ATTEMPTS):
        draw = order.draw._replace(attempt=attempt)
        made = text(draw)
        proof = _proof(draw, made, order.task_id)
        if isinstance(proof, Proof):
            return Proven(order.task_id, made, proof)
        problems.append(proof)
    name = condition_of(order.draw).name
    raise EvaluationError(
        f"{order.task_id} ({name}): none of {MAX_ATTEMPTS} draws is proven solvable: {'; '.join(problems)}"
    )


def _proof(draw: Draw, made: str, task_id: str) -> Proof | str:
    """Return the proof of a file, or the reason for none."""
    try:
        spec = load_text(made).arenas[0]
        with closing(Episode(spec, task_id=task_id)) as episode:
            blocked = [thing.kind.name for thing in episode.layout.things if thing.blocked]
            if blocked:
                return f"blocked: {', '.join(blocked)}"
            failure = waited(episode)
    except ArenaError as error:
        return str(error)
    if failure.passed:
        return "doing nothing passes"
    solution = solution_of(draw, spec, task_id)
    if not solved(solution):
        return f"the oracle reaches {solution.total_reward:.2f}"
    return Proof(solution=solution, failure=failure)


def waited(episode: Episode) -> Recording:
    """Return a failing recording. The agent waits, or opens a wrong door without experiments."""
    asks = episode.spec.question is not None
    if asks:
        guess(episode)
    # Such episodes are long, and turning in one direction is one entry of a recording.
    while not episode.done:
        episode.step(TURN_RIGHT if asks else waiting(episode))
    return episode.recording()


def solution_of(draw: Draw, spec: ArenaSpec, task_id: str) -> Recording:
    """Return the oracle's best recording. It takes 4,000 imagined steps, with the draw's pushes."""
    return solve(spec, task_id=task_id, pushes=blueprint(draw).pushes, budget=4_000).recording


def prove_again(tasks: Sequence[Task], folder: Path, jobs: int) -> Generator[str, None, None]:
    """Renew a folder's solution files; yield a sentence per renewed proof. The task files stay. Raises
    EvaluationError if the oracle no longer solves a task; finished proofs are written."""
    kept = dict(solutions.read(folder))
    with closing(in_order(_renewed, [(task, kept[task.id]) for task in tasks], jobs)) as proofs:
        for task, proof in zip(tasks, proofs, strict=True):
            if proof is None:
                continue
            old, kept[task.id] = kept[task.id].solution, proof
            siblings = [kept[other.id] for other in tasks if other.path.parent == task.path.parent]
            solutions.write(siblings, task.path.parent / solutions.FILE)
            yield f"{task.id}: {old.steps} steps before, {proof.solution.steps} now"


def _renewed(work: tuple[Task, Proof]) -> Proof | None:
    """Return a new proof of a file, None if still reproduced. Its actions stay the same if they still pass;
    otherwise the oracle finds new ones."""
    task, proof = work
    if not solutions.verify(task, proof).problem:
        return None
    with closing(Episode(task.spec, task_id=task.id)) as episode:
        failure = waited(episode)
    with Replay(proof.solution, task.spec) as replay:
        solution = replay.to_end().recording()
    if solved(solution):
        return Proof(solution=solution, failure=failure)
    draw = Draw.of_text(read_text(task.path), str(task.path))
    solution = solution_of(draw, task.spec, task.id)
    if not solved(solution) or failure.passed:
        raise EvaluationError(
            f"{task.path}: the oracle reaches {solution.total_reward:.2f}, doing nothing "
            f"{failure.total_reward:.2f}"
        )
    return Proof(solution=solution, failure=failure)


def fresh(levels: Sequence[int], count: int, seed: int, difficulty: int | None) -> list[Order]:
    """Yield orders of `count` new tasks, spread evenly over conditions. Conditions are those of the levels,
    of one difficulty if given. Raises ConfigError for the seed of the shipped battery."""
    if seed == SHIPPED_SEED:
        raise ConfigError(f"--seed: got {seed}, which draws the shipped battery; choose another")
    draws = (
        Draw(level, task, variant, seed)
        for variant in numbers_from(1)
        for level, task in numbered(levels, difficulty)
    )
    chosen = islice(draws, count)
    return sorted(Order(draw, f"{draw.level:02d}-{draw.task:02d}-{draw.variant:04d}") for draw in chosen)


def shipped(levels: Sequence[int]) -> list[Order]:
    """Orders of the shipped files."""
    return [
        Order(draw, f"{draw.level:02d}-{draw.task:02d}-{draw.variant:02d}")
        for draw in _every(levels, SHIPPED_SEED)
    ]


def _every(levels: Sequence[int], seed: int) -> list[Draw]:
    """Return the draws of all variants of all tasks of levels."""
    return [Draw(*each, variant, seed) for each in numbered(levels) for variant in VARIANTS]


def made_before(folder: Path, orders: Sequence[Order]) -> dict[str, Proof]:
    """Return the ordered files' proofs of an earlier run into a folder. Raises ConfigError if the folder has
    other task files."""
    kept = solutions.read(folder)
    ordered = {order.task_id: order.draw for order in orders}
    proofs = {}
    levels = sorted({order.draw.level for order in orders})
    for path in sorted(p for level in levels for p in (folder / FOLDERS[level]).glob("*.yaml")):
        found = read_text(path)
        draw = Draw.of_text(found, str(path))
        if ordered.get(path.stem) != draw._replace(attempt=0):
            raise ConfigError(
                f"{path}: this file belongs to another order; choose an empty folder with --out"
            )
        if without_notice(found.encode()) != without_notice(text(draw).encode()):
            raise ConfigError(f"{path}: this version draws a different task; choose an empty folder")
        if path.stem in kept:
            proofs[path.stem] = kept[path.stem]
    return proofs


def make(
    orders: Sequence[Order], folder: Path, jobs: int, engine: Engine | None = None
) -> Generator[Proven | Proof, None, None]:
    """Make the ordered tasks, level by level; yield their proofs.

    Those already in the folder are kept. A level's solutions are written after each of its tasks, so an
    interrupted run keeps its results. Raises EvaluationError if a file cannot be written.
    """
    before = made_before(folder, orders)
    proofs: dict[int, list[Proof]] = {}
    for order in orders:
        if order.task_id in before:
            proofs.setdefault(order.draw.level, []).append(before[order.task_id])
    yield from before.values()
    wanted = [order for order in orders if order.task_id not in before]
    processes = min(jobs, max(len(wanted), 1))
    with closing(in_order(prove, wanted, processes, engine, attrgetter("task_id"))) as results:
        for order, proven in zip(wanted, results, strict=True):
            of_level = proofs.setdefault(order.draw.level, [])
            of_level.append(proven.proof)
            level_folder = folder / FOLDERS[order.draw.level]
            write_file(level_folder / f"{proven.task_id}.yaml", proven.text)
            solutions.write(of_level, level_folder / solutions.FILE)
            yield proven


def write_test_tasks(path: Path, levels: Sequence[int], jobs: int) -> None:
    """Draw and prove the test tasks of levels, and write the file. Raises EvaluationError as `prove` does."""
    with closing(in_order(scored, _every(levels, TEST_SEED), jobs)) as tasks:
        rows = [(*task.draw[:3], task.draw.attempt, *task[1:]) for task in tasks]
    write_file(path, pd.DataFrame(rows, columns=COLUMNS).to_csv(index=False, lineterminator="\n"))


def scored(draw: Draw) -> ScoredTask:
    """Return the first proven attempt, with random and oracle rewards."""
    proven = prove(Order(draw, draw.task_id))
    made = Draw.of_text(proven.text, proven.task_id)
    rng = np.random.default_rng([TEST_SEED, *map(int, proven.task_id.split("-"))])
    with closing(Episode(load_text(proven.text).arenas[0], task_id=proven.task_id)) as episode:
        random = random_reward(episode, rng)
    return ScoredTask(made, sha256(proven.text), random, proven.proof.solution.total_reward)


def random_reward(episode: Episode, rng: np.random.Generator) -> float:
    """Return the total reward of random actions. Each step's is drawn uniformly from the nine."""
    while not episode.done and episode.steps < SAFETY_STEPS:
        episode.step(ACTIONS[rng.integers(len(ACTIONS))])
    return episode.total_reward


SPLIT_FILE = "split.json"
"""File of a hidden split: secret seed, and public facts. It lies next to the levels."""


class HiddenSplit(BaseModel, frozen=True, extra="forbid"):
    """The secret seed of a folder of tasks."""

    seed: int
    commitment: str


def commitment(seed: int) -> str:
    """SHA-256 of a seed, to publish before a result. With the seed, anyone can later draw the same files."""
    return hashlib.sha256(f"arena-llm hidden split {seed}".encode()).hexdigest()


def hidden_split(folder: Path, seed: int | None) -> HiddenSplit:
    """Return a folder's split, or one of a given or new seed.

    An earlier run began the folder's. It is written to the folder. Raises ConfigError if the folder has a
    split of another seed or a broken one, EvaluationError if it cannot be written.
    """
    path = folder / SPLIT_FILE
    if path.exists():
        try:
            found = HiddenSplit.model_validate_json(read_bytes(path))
        except (OSError, ValidationError):
            raise ConfigError(f"{path}: cannot be read as a hidden split; choose an empty folder") from None
        if seed not in (None, found.seed):
            raise ConfigError(f"--seed: {path} has another seed; choose another folder or leave out --seed")
        return found
    # 128 bits keep the seed from being found by drawing tasks until they match the commitment.
    drawn = secrets.randbits(128) if seed is None else seed
    split = HiddenSplit(seed=drawn, commitment=commitment(drawn))
    write_file(path, split.model_dump_json(indent=1) + "\n")
    return split


def whole(levels: tuple[int, ...], difficulty: int | None) -> int:
    """Return the battery's number of tasks of levels, optionally of one difficulty."""
    return len(VARIANTS) * len(numbered(levels, difficulty))
