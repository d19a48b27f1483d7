"""Measured figures: one table of values by contender and round, with their spreads and ratios."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import pandas as pd
import psutil

from arena.closing import Closing
from arena.errors import ArenaError, EvaluationError

OURS = "arena-llm"
"""The name of what all others are compared with."""

PATIENCE_S = 300.0
"""A process that does not answer within this time is given up."""


class Effort(NamedTuple):
    """Amount of measurement.

    Contenders do their work in `rounds` rounds, for about `slice_s` seconds each. Environments repeat
    everything in `passes`: `steps` on each of `tasks` tasks, `vector_steps` of many together, resets of
    `tasks` tasks and of `generated` ones, scenes of `objects` things.
    """

    rounds: int = 7
    slice_s: float = 0.25
    passes: int = 3
    tasks: int = 20
    generated: int = 20
    steps: int = 100
    vector_steps: int = 100
    objects: tuple[int, ...] = (10, 50, 100, 200)


FULL = Effort()
QUICK = Effort(3, 0.05, 2, 3, 2, 20, 10, (10, 50))


@dataclass
class Figures:
    """All values so far: of a section's contender (`name`) in a column, in each round, of each subject."""

    rows: list[tuple[Any, ...]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(
        self, section: str, name: str, column: str, unit: str, number: int, values: Mapping[str, float]
    ) -> None:
        """Add a round's values by their subjects; the terminal says what was done."""
        self.rows += [(section, name, column, unit, key, number, float(each)) for key, each in values.items()]
        if sys.stderr.isatty():
            print(f"\r\x1b[K{section}: {name} {column}", end="\r", file=sys.stderr, flush=True)

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each value."""
        columns = ["section", "name", "column", "unit", "subject", "round", "value"]
        return pd.DataFrame(self.rows, columns=columns)


def spreads(frame: pd.DataFrame) -> pd.DataFrame:
    """By name and column: the median subject of each round, as median, lowest and highest over rounds.

    With several subjects also the median and two percentiles over these, each by its median round.
    """
    cell = ["name", "column"]
    over_rounds = frame.groupby([*cell, "round"], sort=False)["value"].median().groupby(cell, sort=False)
    subjects = frame.groupby([*cell, "subject"], sort=False)["value"].median().groupby(cell, sort=False)
    return over_rounds.agg(["median", "min", "max"]).assign(
        subjects=subjects.size(),
        middle=subjects.median(),
        **{"10 %": subjects.quantile(0.1), "90 %": subjects.quantile(0.9)},
    )


def ratios(frame: pd.DataFrame) -> pd.DataFrame:
    """Divide our values by the others', round by round: median, lowest and highest."""
    key = ["column", "round"]
    ours = frame[frame["name"] == OURS][[*key, "value"]]
    others = frame[~frame["name"].str.startswith(OURS)].merge(ours, on=key, suffixes=("", " of ours"))
    times = others.assign(value=others["value of ours"] / others["value"])
    return times.groupby(["name", "column"], sort=False)["value"].agg(["median", "min", "max"])


def number(value: float) -> str:
    """A value in three digits or more."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


class Absent(EvaluationError):
    """Something cannot be measured; the message is the reason."""


class Apart(Closing):
    """A silent process of its own, in which functions are called; a context manager that ends it."""

    def __init__(self) -> None:
        self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _be_silent)

    @cached_property
    def _process(self) -> psutil.Process:
        return psutil.Process(self._pool.submit(os.getpid).result())

    def call(self, function: Callable[..., Any], *arguments: Any, install: str = "") -> Any:
        """Call a function there and return its result. Raises Absent with the reason without an answer."""
        try:
            assert self._process
            answer, reason = self._pool.submit(_answer, function, arguments, install).result(PATIENCE_S)
        except TimeoutError:
            raise Absent(f"it did not answer within {PATIENCE_S:g} s") from None
        except BrokenProcessPool:
            raise Absent("its process ended without an answer, as a broken driver makes it") from None
        if reason is not None:
            raise Absent(reason)
        return answer

    def close(self) -> None:
        """End the process, whatever it does."""
        with suppress(psutil.NoSuchProcess, BrokenProcessPool):
            self._process.kill()
        self._pool.shutdown()


def _be_silent() -> None:
    """Peers print to the terminal; Ctrl-C reaches every process of it, and the parent ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _answer(function: Callable[..., Any], arguments: Any, install: str) -> tuple[Any, str | None]:
    """A result, or why there is none, whatever a peer raises."""
    try:
        return function(*arguments), None
    except ModuleNotFoundError as error:
        return None, f"{error.name} is not installed; {install}"
    except ArenaError as error:
        return None, str(error)
    except Exception as error:
        return None, f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
