"""Failure reasons of an episode, by the world's state in its replay and by the replies.

Every failed episode has one failure: the first of `Failure` whose definition it meets; `signs` gives all.
Thresholds are our choice, stated in the definitions that the report prints.
"""

from collections.abc import Callable
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from arena import EventKind, Move, Outcome
from arena.packages import data_of
from arena.rules import TICKS_PER_UNIT
from render.camera import FIRST_PERSON_FOV_DEG
from report.arena.replay import NEAR, Moment, Trace

OVER = 1.0
"""Metres by which the distance to a goal that was nearly reached grows again in an overshoot."""

STUCK = 0.1
"""Metres; a free agent makes 0.137 m in its second step from rest and more in every later one."""

CONFINED = 3.0
"""Metres from the middle of its path that a trapped agent never leaves."""

LEAST_DRIVING = 30
"""Driving steps below which no agent is called trapped or blocked."""


class Failure(StrEnum):
    """Kinds of failure, the one that decides first; the report prints their definitions."""

    RED_BALL = "touched a red ball"
    DEATH_ZONE = "died in a zone"
    WRONG_CHOICE = "wrong choice"
    TOO_SLOW = "too slow"
    HOT_ZONE = "lost its health in a hot zone"
    OPERATION = "ended by a button or zone"
    REFUSED = "refused"
    SYNTAX = "syntax"
    NEVER_SAW = "never saw the goal"
    TRAPPED = "trapped"
    OVERSHOT = "overshot"
    TURNED_AWAY = "saw it and turned away"
    BLOCKED = "control error"
    TIMED_OUT = "timed out"

    @property
    def definition(self) -> str:
        """Define the failure."""
        numbers = {"least": LEAST_DRIVING, "stuck": STUCK, "confined": CONFINED, "near": NEAR, "over": OVER}
        return str(data_of("report.arena", "failures.yaml")[self]).format(**numbers)


class Replies(NamedTuple):
    """The number of replies, and how many of them were no scripts or were refused."""

    number: int
    invalid: int = 0
    refused: int = 0


class Case(NamedTuple):
    """A failed episode: its replay, its replies, and what its arena demands."""

    trace: Trace
    replies: Replies
    pass_mark: float | None
    time_limit: int

    @property
    def lasted(self) -> bool:
        """Return whether time or health alone ended the episode."""
        return self.trace.outcome in (Outcome.HEALTH, Outcome.STOPPED, None)


def signs(case: Case) -> tuple[Failure, ...]:
    """All failures whose definitions the episode meets, the deciding one first; timed out stands alone."""
    return tuple(failure for failure, holds in _TESTS.items() if holds(case)) or (Failure.TIMED_OUT,)


def _wrong_choice(case: Case) -> bool:
    trace = case.trace
    if trace.outcome is not Outcome.GOAL:
        return trace.outcome is Outcome.DECOY
    taken = [event.reward for event in trace.events if event.kind is EventKind.GOOD_GOAL]
    better = any(worth > taken[-1] + 1e-6 for worth in trace.worths)
    enough = case.pass_mark is not None and trace.total_reward + sum(trace.worths) >= case.pass_mark
    return bool(trace.worths) and (better or enough)


def _hot_zone(case: Case) -> bool:
    trace = case.trace
    entered = any(event.kind is EventKind.HOT_ZONE for event in trace.events)
    early = not case.time_limit or trace.ticks < TICKS_PER_UNIT * case.time_limit
    return trace.outcome is Outcome.HEALTH and entered and early


def _never_saw(case: Case) -> bool:
    shown = any(look.seen for look in case.trace.looks if look.turn is not None)
    return case.lasted and case.trace.had_goal and not shown


def _trapped(case: Case) -> bool:
    driving, blocked = _driving(case.trace.moments)
    if not case.lasted or len(driving) < LEAST_DRIVING:
        return False
    later = driving[len(driving) // 2 :]
    places = np.array([case.trace.moments[step].position for step in later])[:, [0, 2]]
    confined = np.linalg.norm(places - places.mean(axis=0), axis=1).max() <= CONFINED
    return bool(confined) and 2 * sum(step in blocked for step in later) >= len(later)


def _control_error(case: Case) -> bool:
    driving, blocked = _driving(case.trace.moments)
    return case.lasted and len(driving) >= LEAST_DRIVING and 2 * len(blocked) >= len(driving)


def _driving(moments: list[Moment]) -> tuple[list[int], set[int]]:
    """Indices of the steps that drive, and of those that drive on in one direction without moving."""
    driving = [k for k, moment in enumerate(moments) if moment.move is not Move.NONE]
    places = np.array([moment.position for moment in moments])[:, [0, 2]]
    moved = np.hypot(*np.diff(places, axis=0).T)
    blocked = {k for k in driving if moments[k].move is moments[k - 1].move and moved[k - 1] < STUCK}
    return driving, blocked


def _overshot(case: Case) -> bool:
    if not case.lasted:
        return False
    shown: set[int] = set()
    for number, (first, last) in enumerate(case.trace.turns, start=1):
        for look in case.trace.looks:
            shown |= look.seen if look.turn == number else frozenset()
        if any(_passes(case.trace.moments[first : last + 1], goal) for goal in shown):
            return True
    return False


def _passes(moments: list[Moment], goal: int) -> bool:
    near = [moment.gaps[goal] for moment in moments if goal in moment.open_goals]
    at_end = moments[-1].gaps.get(goal) if moments else None
    return bool(near) and at_end is not None and at_end >= min(near) + OVER


def _turned_away(case: Case) -> bool:
    looks = case.trace.looks
    replied = away = 0
    for before, after in pairwise(looks):
        if not before.seen or before.turn is None or after.turn == before.turn:
            continue
        replied += 1
        outside = any(abs(after.bearings.get(goal, 0.0)) > FIRST_PERSON_FOV_DEG / 2 for goal in before.seen)
        away += not after.seen and outside
    return case.lasted and away > 0 and 2 * away >= replied


_TESTS: dict[Failure, Callable[[Case], bool]] = {
    Failure.RED_BALL: lambda case: case.trace.outcome is Outcome.BAD_GOAL,
    Failure.DEATH_ZONE: lambda case: case.trace.outcome is Outcome.DEATH_ZONE,
    Failure.WRONG_CHOICE: _wrong_choice,
    Failure.TOO_SLOW: lambda case: case.trace.outcome is Outcome.GOAL and not _wrong_choice(case),
    Failure.HOT_ZONE: _hot_zone,
    Failure.OPERATION: lambda case: case.trace.outcome in (Outcome.OPERATION, Outcome.OTHER_AGENT),
    Failure.REFUSED: lambda case: 0 < case.replies.number <= 2 * case.replies.refused,
    Failure.SYNTAX: lambda case: 0 < case.replies.number <= 2 * case.replies.invalid,
    Failure.NEVER_SAW: _never_saw,
    Failure.TRAPPED: _trapped,
    Failure.OVERSHOT: _overshot,
    Failure.TURNED_AWAY: _turned_away,
    Failure.BLOCKED: _control_error,
}
"""In the order in which they decide; `Failure.TIMED_OUT` is what is left."""
