"""Scores of reference agents, a table in each suite, with their conditions."""

import csv
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena.files import read_text
from evaluation.capabilities import agents_of, brought, by_name, players_of
from evaluation.choices.run_choices import shown
from evaluation.suite import Agent, AgentTurn, Suite

FLOORS = ("silent", "garbage", "prior-only")
"""Agents that ignore the task; their highest score is the floor."""

BEST = "ideal"
"""Best agent of a suite."""

FILE = "references.csv"
"""Name of the table, next to the suite's module `references`."""


def by_group(task_id: str, group: int | str) -> str:
    """Scale group of a task: the reports' group."""
    return str(group)


def by_kind(task_id: str, group: int | str) -> str:
    """Scale group of a task: its id without the final number."""
    return task_id.rpartition("-")[0]


class Scale(NamedTuple):
    """Scale of a suite: the object `SCALE` of its module `references`.

    `table` is the file of the scores, which `python -m benchmarks.references SUITE` measures. `scoring` is
    the version of the scoring: to be raised whenever the same replies may get another score. `agents` are the
    suite's own reference agents by role: `ideal`, and `prior-only` and `random` if it has them. `matters`
    names the choices on which their scores depend, `settings` has the choices of each measurement. `group`
    gives the group of a task on the scale, from its id and its group in reports.
    """

    table: Path
    scoring: int
    agents: Mapping[str, str]
    matters: tuple[str, ...] = ()
    settings: tuple[Mapping[str, Any], ...] = ({},)
    group: Callable[[str, int | str], str] = by_group

    def conditions(self, choices: Mapping[str, Any]) -> str:
        """Describe the relevant choices; empty without any."""
        return ", ".join(f"{name} = {shown(choices.get(name))}" for name in self.matters)


class Reference(NamedTuple):
    """Mean score of a reference agent on a group of tasks.

    `conditions` are the relevant choices, in words; `tasks` is the version of the suite's tasks, `scoring`
    that of its scoring. `half` is half the 95 % interval over the `episodes`, each of a task of its own; 0 if
    all had the same score.
    """

    conditions: str
    tasks: str
    scoring: int
    group: str
    agent: str
    episodes: int
    score: float
    half: float

    @property
    def error(self) -> float:
        """Standard error of the score."""
        from evaluation.statistics import student

        return self.half / student(self.episodes - 1) if self.half else 0.0


def scale_of(suite: Suite) -> Scale | None:
    """Find the scale of a suite; None without a module `references`."""
    return brought(suite, "references", "SCALE")


def references(table: Path) -> tuple[Reference, ...]:
    """Read the scores; empty before measurement. Raises ConfigError if unreadable."""
    if not table.is_file():
        return ()
    rows = csv.DictReader(read_text(table).splitlines())
    return tuple(
        Reference(
            *(row["conditions"], row["tasks"], int(row["scoring"]), row["group"], row["agent"]),
            *(int(row["episodes"]), float(row["score"]), float(row["half"])),
        )
        for row in rows
    )


def as_csv(rows: Iterable[Reference]) -> str:
    """Format the table as text."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Reference._fields)
    writer.writerows((*row[:6], f"{row.score:.4g}", f"{row.half:.3g}") for row in rows)
    return out.getvalue()


def floor_of(rows: Sequence[Reference]) -> Reference | None:
    """Find the highest floor score on one group, if any."""
    return max([row for row in rows if row.agent in FLOORS], key=lambda row: row.score, default=None)


def best_of(rows: Sequence[Reference]) -> Reference | None:
    """Find the best agent's score on one group, if any."""
    return next((row for row in rows if row.agent == BEST), None)


def apart(floor: Reference, best: Reference) -> bool:
    """Return whether the best score exceeds the floor's by more than two standard errors."""
    return best.score - floor.score > 2 * math.hypot(floor.error, best.error)


LETTERS = tuple("bcdfghjklmnpqrstvwxz")
"""Letters of garbage. Without vowels and digits it holds no command, name or number."""

MARKS = ("", "", "", ";", ",", ".", ":", "!", "?", "()", "[]", "{}", "<>", '"', "=")
"""Characters after a word of garbage."""


def garbage(rng: np.random.Generator) -> str:
    """Draw 1 to 40 random words that no suite can use."""
    return " ".join(
        "".join(rng.choice(LETTERS, rng.integers(1, 10))) + str(rng.choice(MARKS))
        for _ in range(rng.integers(1, 41))
    )


async def _silent(turn: AgentTurn) -> str:
    return ""


async def _garbage(turn: AgentTurn) -> str:
    replies = sum(message.role == "assistant" for message in turn.messages)
    return garbage(np.random.default_rng([turn.seed, replies]))


RUNNERS: dict[str, Agent] = {"silent": _silent, "garbage": _garbage}
"""Agents of every suite: empty replies, and random unusable text."""


def agent_names(suite: Suite) -> tuple[str, ...]:
    """List the names of a suite's offline agents, for messages."""
    scale = scale_of(suite)
    own = (*agents_of(suite), *players_of(suite), *(scale.agents if scale else ()))
    return tuple(dict.fromkeys((*own, *RUNNERS)))


def offline_agent(suite: Suite, name: str) -> Agent | None:
    """Find an offline agent by name or role, otherwise None."""
    if name in RUNNERS:
        return RUNNERS[name]
    scale = scale_of(suite)
    own = scale.agents.get(name, name) if scale else name
    agent = by_name(agents_of(suite), own)
    if agent is None or own == name:
        return agent
    return lambda turn: agent(turn._replace(name=own))
