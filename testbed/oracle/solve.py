"""Solve a task: attempts in imagination, one after another, until one passes."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from arena import TURN_LEFT, TURN_RIGHT, Action, ArenaSpec, Episode, Recording
from testbed.blueprints import Push
from testbed.oracle.attempt import Attempt
from testbed.oracle.manner import Manner

BUDGET = 12_000
"""Steps that are imagined before the oracle gives up: some 30 attempts of common length."""

LEAST_STEPS = 100
"""What an attempt counts at least: the survey at its start takes as long as so many steps."""

SAFETY_STEPS = 5_000
"""An arena without a clock is given up after so many steps."""

_LONGER = (0, 1, -1, 2, -2, 4)
"""By how many steps pushes are longer than told, in the order in which that is tried."""

_PLAIN = (
    Manner(),
    Manner(push=True),
    Manner(wait=True, leap=True),
    Manner(careful=3.0, longest=4, wait=True, seed=1),
)


class Plan(NamedTuple):
    """What to do after the actions that were already taken, and what comes of it.

    `actions` are Go and Turn steps only, so that a script can say them. `recording` is of the episode, to its
    end where it passes, else to the last action. `imagined` steps were tried to find it.
    """

    actions: tuple[Action, ...]
    recording: Recording
    imagined: int


def manners() -> Iterator[Manner]:
    """Ways to go about a task: first straight on, then with more and more tinkering, for ever."""
    yield from _PLAIN
    seed = 0
    while True:
        yield Manner(tinker=10, wait=seed % 2 == 1, push=seed % 3 == 2, seed=seed)
        seed += 1


def solve(
    spec: ArenaSpec,
    *,
    task_id: str,
    seed: int = 0,
    trial: int = 0,
    taken: Sequence[Action] = (),
    pushes: Sequence[Push] = (),
    budget: int = BUDGET,
) -> Plan:
    """The first plan that passes, else the one of the highest total reward.

    `taken` are actions that the episode began with; `pushes` are known to help. The result depends on
    the arguments alone. An arena without a pass mark counts as passed when a good goal has ended
    it. Raises LayoutError where the arena cannot be built.
    """
    best: Plan | None = None
    imagined = 0
    for manner, tried in _ways(pushes):
        with closing(Episode(spec, task_id=task_id, seed=seed, trial=trial)) as episode:
            for action in taken:
                episode.step(action)
            plan = _try(episode, manner, tried, len(taken))
        imagined += max(plan.recording.steps - len(taken), LEAST_STEPS)
        plan = plan._replace(imagined=imagined)
        if best is None or plan.recording.total_reward > best.recording.total_reward:
            best = plan
        if solved(plan.recording):
            return plan
        if imagined >= budget:
            return best._replace(imagined=imagined)
    raise AssertionError("there is always another manner")


def solved(recording: Recording) -> bool:
    """Whether a recording passes its task; where there is no mark, whether it ends with a good goal."""
    return recording.outcome == "goal" if recording.passed is None else recording.passed


def _ways(pushes: Sequence[Push]) -> Iterator[tuple[Manner, Sequence[Push]]]:
    """Manners, where pushes are known first with these, a little longer and shorter too."""
    if pushes:
        for more in _LONGER:
            longer = [push._replace(steps=push.steps + more) for push in pushes]
            yield Manner(careful=2.0, longest=6), longer
    for manner in manners():
        yield manner, ()


def _try(episode: Episode, manner: Manner, pushes: Sequence[Push], taken: int) -> Plan:
    Attempt(episode, manner, pushes).run()
    actions = episode.actions[taken:]
    # Time only takes away from the reward: what is below the mark now need not be played to its end.
    while not episode.done and episode.passed and episode.steps < SAFETY_STEPS:
        episode.step(TURN_RIGHT if episode.steps % 2 else TURN_LEFT)
    episode.stop()
    return Plan(actions, episode.recording(), 0)
