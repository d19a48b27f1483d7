"""The comparison: everything is measured in turn, several times, so that a busy machine affects all alike."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from benchmarks.peers.contenders import OURS, Contender, Work
from benchmarks.peers.worker import Absent, Worker
from benchmarks.result import Spread


@dataclass(frozen=True, slots=True)
class Rounds:
    """How much is measured: `count` rounds over everything, with about `slice_s` seconds for each thing.

    A thing is done at least once and at most `most` times, after `warm_up` uncounted times.
    """

    count: int = 7
    slice_s: float = 0.25
    most: int = 5000
    warm_up: int = 3


FULL_ROUNDS = Rounds()
QUICK_ROUNDS = Rounds(count=3, slice_s=0.05)


@dataclass
class Row:
    """One contender at one kind of work: rates per second, one per round, or why there are none."""

    contender: Contender
    work: Work
    side: int
    times: int = 0
    rates: list[float] = field(default_factory=list)
    reason: str | None = None

    @property
    def spread(self) -> Spread | None:
        """Median, lowest and highest rate; None if nothing was measured."""
        return Spread.of(self.rates) if self.rates else None


@dataclass
class Comparison:
    """All rows, and what each contender reports about itself (versions, OpenGL renderer)."""

    rows: list[Row]
    about: dict[str, dict[str, str]] = field(default_factory=dict)

    def ratio(self, row: Row) -> Spread | None:
        """How many times faster ours is, round by round: median, lowest and highest; None without a pair."""
        ours = next(
            (o for o in self.rows if (o.contender.name, o.work, o.side) == (OURS, row.work, row.side)), None
        )
        if ours is None or ours is row:
            return None
        ratios = [a / b for a, b in zip(ours.rates, row.rates, strict=False)]
        return Spread.of(ratios) if ratios else None


def compare(
    contenders: Sequence[Contender],
    rounds: Rounds,
    seed: int,
    advance: Callable[[str], None] = lambda doing: None,
    into: Comparison | None = None,
    rows: Sequence[Row] | None = None,
) -> Comparison:
    """Measure all contenders, or only `rows` of theirs, forward and backward by turns.

    `into` is filled as rounds finish, so that they survive an interruption. `advance` is called with
    what has been done.
    """
    found = into if into is not None else Comparison([])
    found.rows += rows_of(contenders) if rows is None else rows
    with ExitStack() as stack:
        workers = {c.name: stack.enter_context(Worker(c, seed)) for c in contenders}
        for contender in contenders:
            _introduce(contender, workers[contender.name], found)
            advance(contender.name)
        for row in found.rows:
            _measure(row, workers[row.contender.name], rounds)
            advance(f"{row.contender.name}: {row.work}")
        for number in range(rounds.count):
            for row in found.rows if number % 2 == 0 else reversed(found.rows):
                _measure(row, workers[row.contender.name], rounds)
                advance(f"{row.contender.name}: {row.work}")
    return found


def rows_of(contenders: Sequence[Contender]) -> list[Row]:
    """The table's rows, with those of the same work and size next to each other."""
    return [
        Row(contender, work, side)
        for work in Work
        for side in work.sides
        for contender in contenders
        if work in contender.does
    ]


def advances(contenders: Sequence[Contender], rounds: Rounds, rows: Sequence[Row] | None = None) -> int:
    """How often `compare` calls `advance`."""
    return len(contenders) + (rounds.count + 1) * len(rows_of(contenders) if rows is None else rows)


def _introduce(contender: Contender, worker: Worker, found: Comparison) -> None:
    try:
        found.about[contender.name] = worker.about()
    except Absent as reason:
        if contender.name == OURS:
            # Steps without a camera need no OpenGL; the other rows report it themselves.
            return
        for row in found.rows:
            if row.contender is contender:
                row.reason = str(reason)


def _measure(row: Row, worker: Worker, rounds: Rounds) -> None:
    """Take a row's next rate; at first, warm up and find the number of times that fills a slice."""
    if row.reason is not None:
        return
    try:
        if row.times:
            row.rates.append(row.times / worker.seconds(row.work, row.side, row.times))
        else:
            _prepare(row, worker, rounds)
    except Absent as reason:
        row.reason = str(reason)
        row.rates.clear()


def _prepare(row: Row, worker: Worker, rounds: Rounds) -> None:
    worker.seconds(row.work, row.side, rounds.warm_up)
    once = worker.seconds(row.work, row.side, rounds.warm_up) / rounds.warm_up
    row.times = max(row.contender.options.get("batch", 1), min(rounds.most, round(rounds.slice_s / once)))
