"""Draw and prove many tasks in several processes, and write them as they are made."""

from collections.abc import Generator, Sequence
from contextlib import closing
from itertools import cycle
from operator import attrgetter
from pathlib import Path

from arena.errors import ConfigError
from arena.files import read_text, write_file
from arena.parallel import Engine, in_order
from testbed.blueprints import CONDITIONS, FOLDERS, SHIPPED_SEED, VARIANTS, Draw, text
from testbed.notice import without_notice
from testbed.proof import solutions
from testbed.proof.prove import Order, Proven, prove
from testbed.proof.solutions import Proof


def fresh(levels: Sequence[int], count: int, seed: int, difficulty: int | None) -> list[Order]:
    """Orders of `count` new tasks, spread evenly over the levels' conditions, of one difficulty if given.

    Raises ConfigError for the seed of the shipped battery.
    """
    if seed == SHIPPED_SEED:
        raise ConfigError(f"--seed: got {seed}, expected another: {seed} draws the shipped battery")
    draws = [
        (level, number)
        for level in levels
        for number, each in enumerate(CONDITIONS[level], start=1)
        if difficulty in (None, each.difficulty)
    ]
    chosen = [draw for draw, _ in zip(cycle(draws), range(count), strict=False)]
    counted: dict[tuple[int, int], int] = {}
    orders = []
    for level, number in chosen:
        variant = counted[level, number] = counted.get((level, number), 0) + 1
        orders.append(Order(Draw(level, number, variant, seed), f"{level:02d}-{number:02d}-{variant:04d}"))
    return sorted(orders)


def shipped(levels: Sequence[int]) -> list[Order]:
    """Orders of the files of the shipped battery."""
    return [
        Order(Draw(level, number, variant, SHIPPED_SEED), f"{level:02d}-{number:02d}-{variant:02d}")
        for level in levels
        for number in range(1, len(CONDITIONS[level]) + 1)
        for variant in VARIANTS
    ]


def made_before(folder: Path, orders: Sequence[Order]) -> dict[str, Proof]:
    """The proofs of those ordered files that an earlier run into the same folder completed.

    Raises ConfigError if the folder has other task files.
    """
    kept = solutions.read(folder)
    ordered = {order.task_id: order.draw for order in orders}
    proofs = {}
    levels = sorted({order.draw.level for order in orders})
    for path in sorted(p for level in levels for p in (folder / FOLDERS[level]).glob("*.yaml")):
        found = read_text(path)
        draw = Draw.of_text(found, str(path))
        if ordered.get(path.stem) != draw._replace(attempt=0):
            raise ConfigError(f"{path}: this file is of another order; choose an empty folder with --out")
        if without_notice(found.encode()) != without_notice(text(draw).encode()):
            raise ConfigError(f"{path}: not what this version makes of its draw; choose an empty folder")
        if path.stem in kept:
            proofs[path.stem] = kept[path.stem]
    return proofs


def make(
    orders: Sequence[Order], folder: Path, jobs: int, engine: Engine | None = None
) -> Generator[Proven | Proof, None, None]:
    """Make the ordered tasks, level by level; those already in the folder are kept and yielded as proofs.

    A level's solutions are written after each of its tasks, so an interrupted run keeps what it has made.
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
            _write(proven, of_level, folder / FOLDERS[order.draw.level])
            yield proven


def _write(proven: Proven, of_level: Sequence[Proof], folder: Path) -> None:
    """Write a task file, then all proofs of its level; raises EvaluationError."""
    write_file(folder / f"{proven.task_id}.yaml", proven.text)
    solutions.write(of_level, folder / solutions.FILE)
