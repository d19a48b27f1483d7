"""Solve a task: attempts in imagination, one after another, until one passes."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np

from arena import Action, ArenaSpec, Episode, Recording
from arena.science.families import truth
from testbed.blueprints.blueprint import Push
from testbed.oracle.attempt import Attempt
from testbed.oracle.experimenter import Experimenter
from testbed.oracle.motion import waiting
from testbed.oracle.world_model import Strategy

BUDGET = 12_000
"""Maximum number of imagined steps before the oracle gives up: some 30 attempts of common length."""

LEAST_STEPS = 100
"""Minimum number of steps that an attempt counts as: mapping the arena takes as long as these."""

SAFETY_STEPS = 5_000
"""Number of steps after which an arena without a time limit is given up."""

CAREFUL = 4.0
"""How careful the planner is beside the panes and doors of a laboratory; see `Strategy`."""

_LONGER = (0, 1, -1, 2, -2, 4)
"""Steps by which pushes are lengthened, in the order in which they are tried."""

_PLAIN = (
    Strategy(),
    Strategy(push=True),
    Strategy(wait=True, leap=True),
    Strategy(careful=3.0, longest=4, wait=True, seed=1),
)


class Plan(NamedTuple):
    """What to do after the actions already taken, and its result.

    `actions` are Go and Turn steps only, so that a script can express them. `recording` is of the episode, to
    its end if it passes, otherwise to the last action. `imagined` is the number of steps tried to find it.
    """

    actions: tuple[Action, ...]
    recording: Recording
    imagined: int


def strategies() -> Iterator[Strategy]:
    """Strategies without end: first straightforward ones, then with random probes."""
    yield from _PLAIN
    seed = 0
    while True:
        yield Strategy(probes=10, wait=seed % 2 == 1, push=seed % 3 == 2, seed=seed)
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
    """The first plan that passes, or else the one with the highest total reward.

    `taken` are the actions that the episode began with; `pushes` are known to help. The result depends on the
    arguments alone. An arena without a pass mark counts as passed when a good goal has ended it. Raises
    LayoutError if the arena cannot be built.
    """
    best: Plan | None = None
    imagined = 0
    for strategy, tried in _attempts(pushes):
        with closing(Episode(spec, task_id=task_id, seed=seed, trial=trial)) as episode:
            for action in taken:
                episode.step(action)
            plan = _try(episode, strategy, tried, len(taken))
        imagined += max(plan.recording.steps - len(taken), LEAST_STEPS)
        plan = plan._replace(imagined=imagined)
        if best is None or plan.recording.total_reward > best.recording.total_reward:
            best = plan
        if solved(plan.recording):
            return plan
        if imagined >= budget:
            return best._replace(imagined=imagined)
    raise AssertionError("there is always another strategy")


def solved(recording: Recording) -> bool:
    """Whether a recording passes its task; without a pass mark, whether it ends with a good goal."""
    return recording.outcome == "goal" if recording.passed is None else recording.passed


def guess(episode: Episode) -> None:
    """Open a door of a laboratory arena without experiments, a wrong one."""
    question = episode.spec.question
    assert question is not None
    right = question.hidden.doors[truth(question, episode.seed, episode.task_id, episode.trial)]
    player = Experimenter(Attempt(episode, Strategy(careful=CAREFUL)))
    player.run((int(right) + 1) % question.doors, experiments=False)


def experiment(
    at_random: bool, spec: ArenaSpec, *, task_id: str, seed: int, trial: int, taken: Sequence[Action]
) -> Plan:
    """What a player of the laboratory does that experiments at random, or opens the likeliest door at once.

    The arguments are those of `solve`; raises LayoutError as it does.
    """
    with closing(Episode(spec, task_id=task_id, seed=seed, trial=trial)) as episode:
        for action in taken:
            episode.step(action)
        attempt = Attempt(episode, Strategy(careful=CAREFUL))
        Experimenter(attempt, np.random.default_rng([seed, trial])).run(experiments=at_random)
        attempt.run()
        return Plan(episode.actions[len(taken) :], episode.recording(), episode.steps)


def _attempts(pushes: Sequence[Push]) -> Iterator[tuple[Strategy, Sequence[Push]]]:
    """Strategies and pushes: if pushes are known, these first, also slightly longer and shorter."""
    for more in _LONGER if pushes else ():
        yield Strategy(careful=2.0, longest=6), [push._replace(steps=push.steps + more) for push in pushes]
    for strategy in strategies():
        yield strategy, ()


def _try(episode: Episode, strategy: Strategy, pushes: Sequence[Push], taken: int) -> Plan:
    if episode.spec.question is None:
        Attempt(episode, strategy, pushes).run()
    else:
        attempt = Attempt(episode, strategy._replace(careful=CAREFUL))
        Experimenter(attempt).run()
        attempt.run()
    actions = episode.actions[taken:]
    # Time only reduces the reward: what is below the mark now need not be played to its end.
    while not episode.done and episode.passed and episode.steps < SAFETY_STEPS:
        episode.step(waiting(episode))
    episode.stop()
    return Plan(actions, episode.recording(), 0)
