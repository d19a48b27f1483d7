"""Solve a task: attempts in imagination, one after another, until one passes."""

import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import count
from typing import NamedTuple

import numpy as np

from arena import Action, ArenaSpec, Episode, Recording
from arena.action import STEP_S
from arena.laboratory import MOVES_S, is_over
from arena.science import TIE, Floats
from arena.science.families import MachineQuestion, truth
from testbed.blueprints.blueprint import Push
from testbed.oracle.attempt import Attempt
from testbed.oracle.motion import waiting
from testbed.oracle.world_model import Strategy

OFF_PAD_M = 2.2
"""Distance from a pad's middle at which it is left, metres."""

PUSH_M, ASIDE_M = 1.5, 1.7
"""Distances, metres, of agent to pushed block, and block to pad. The latter is next to its pad."""


class Experimenter:
    """Plays an episode of the laboratory until a door is open."""

    def __init__(self, episode: Episode, strategy: Strategy, rng: np.random.Generator | None = None) -> None:
        """Choose experiments until a door is sure. With a generator, all are made at random."""
        question = episode.spec.question
        assert question is not None
        # It has to be careful near panes and doors.
        self.attempt = Attempt(episode, strategy._replace(careful=4.0))
        self._episode, self._rng = episode, rng
        self._question, self._hidden = question, question.hidden
        self._pads = [each for each in self._episode.layout.things if each.kind.name == "BlockPad"]
        # The probability of a door above which it is opened: more where the first attempt was wrong.
        self._sure = 0.9999 if strategy.wait else 0.99

    def run(self, door: int | None = None, experiments: bool = True) -> None:
        """Make experiments while that works, then open a door. It is by default the likeliest."""
        while experiments and self._learns() and self.visit(self._next_pad()):
            pass
        chosen = int(self._hidden.of_doors(self._belief).argmax()) if door is None else door
        self._open(chosen)

    @property
    def _belief(self) -> Floats:
        return self._hidden.posterior(self._episode.experiments.seen)

    def _learns(self) -> bool:
        """Return whether another experiment may be informative. There may be one, and no door is sure."""
        if len(self._episode.experiments.seen) == self._question.experiments:
            return False
        belief = self._belief
        unsure = self._hidden.of_doors(belief).max() < self._sure
        return self._rng is not None or bool(unsure and self._total(belief).max() > TIE)

    def _total(self, belief: Floats) -> Floats:
        """Return experiments' information (e,) on the door, and a little on others."""
        return self._hidden.information(belief) + 0.01 * self._hidden.about_everything(belief)

    def _next_pad(self) -> int:
        """Return the pad to visit for the best experiment. It may be that of the first change towards it."""
        seen = self._episode.experiments.seen
        if self._rng:
            return int(self._rng.integers(len(self.places("Pad") or self.places("BlockPad"))))
        if not isinstance(self._question, MachineQuestion):
            return int(self._total(self._belief).argmax())
        on, belief = seen[-1].experiment if seen else 0, self._belief
        sets = np.arange(len(self._hidden.likelihood))
        changes = np.array([int(each ^ on).bit_count() for each in sets])
        worth = np.where(changes > 0, self._total(belief) / np.maximum(changes, 1), -1.0)
        missing = int(worth.argmax()) ^ on
        things = [thing for thing in range(self._question.things) if missing >> thing & 1]
        # Of several intermediate changes, the most informative one.
        return max(things, key=lambda thing: worth[on ^ (1 << thing)])

    def visit(self, thing: int) -> bool:
        """Drive onto a pad; return False without an effect. An agent that stands on it leaves it first."""
        if self.places("Block"):
            return self._push_until_seen(thing)
        made = len(self._episode.experiments.seen)
        (x, z), under = self.places("Pad")[thing], self._under()
        if thing in under:
            self.attempt.go_near(x, z - OFF_PAD_M - 0.5, self._zones({thing}))
        self.attempt.go_near(x, z, self._zones({thing, *under}))
        return self._saw_more_than(made)

    def _saw_more_than(self, made: int) -> bool:
        """Wait until more than `count` experiments have happened. False if they do not."""
        # As long as something slides or rolls, and some steps to be safe.
        for _ in range(round(MOVES_S / STEP_S) + 10):
            if self._episode.done or len(self._episode.experiments.seen) > made:
                break
            self._episode.step(waiting(self._episode))
        return len(self._episode.experiments.seen) > made

    def _push_until_seen(self, thing: int) -> bool:
        """Push a block onto or off its pad until an experiment happens. It tries at most 12 times."""
        made = len(self._episode.experiments.seen)
        for _ in range(12):
            was_on = self._is_on(thing)
            if not any(self._push(thing, place) for place in self._next_places(thing)):
                return False
            if self._is_on(thing) > was_on or len(self._episode.experiments.seen) > made:
                return self._saw_more_than(made)
        return False

    def _is_on(self, thing: int) -> bool:
        x, z = self.places("Block")[thing]
        return is_over(self._pads[thing], (x, 0.0, z))

    def _next_places(self, thing: int) -> list[tuple[float, float]]:
        """Return straight push targets, best first. They are onto its pad, next to it, or away."""
        at, (x, z) = self.places("Block")[thing], self.places("BlockPad")[thing]
        sides = [(x + ASIDE_M, z), (x - ASIDE_M, z)]
        wanted = sides if self._is_on(thing) else [(x, z), *sides]
        away = [(x + ASIDE_M, at[1]), (x - ASIDE_M, at[1]), (at[0], at[1] - ASIDE_M)]
        return [*(each for each in wanted if self._is_free(at, each)), *away]

    def _is_free(self, start: tuple[float, float], end: tuple[float, float]) -> bool:
        """Return whether walls keep 0.7 m from the line between two places. A block needs that room."""
        scene = self._episode.scene()
        walls = [index for index, each in enumerate(scene.things) if each.kind == "Wall"]
        ways = np.linspace(start, end, 20)
        middles, halves = scene.positions[walls][:, [0, 2]], scene.sizes[walls][:, [0, 2]] / 2
        gaps = np.maximum(np.abs(ways[:, None] - middles) - halves, 0)
        return bool((np.hypot(*np.moveaxis(gaps, -1, 0)) > 0.7).all())

    def _push(self, thing: int, place: tuple[float, float]) -> bool:
        """Line up behind a block, and push it gently towards a place.

        False if it cannot line up. It stops 0.15 m before the place, after 14 short drives of about 0.3 m
        each, and where the block's middle is 0.3 m off the line of the push, so that it is about to be left
        behind.
        """
        start = np.array(self.places("Block")[thing])
        way = np.subtract(place, start)
        distance = float(np.hypot(*way))
        behind = start - PUSH_M * way / distance
        if not self.attempt.line_up(*behind.tolist()):
            return False
        self.attempt.driver.face(math.degrees(math.atan2(*way)))
        for _ in range(14):
            self.attempt.driver.nudge(self._episode.yaw, 1)
            at, (agent_x, _, agent_z) = self.places("Block")[thing], self._episode.position
            done = (at - start) @ way / distance
            ahead_x, ahead_z = at[0] - agent_x, at[1] - agent_z
            aside = (way[0] * ahead_z - way[1] * ahead_x) / distance
            if self._episode.done or done > distance - 0.15 or abs(aside) > 0.3:
                break
        return True

    def _under(self) -> set[int]:
        """Numbers of the pads that the agent is on, or nearly is."""
        x, _, z = self._episode.position
        away = (max(abs(at[0] - x), abs(at[1] - z)) for at in self.places("Pad"))
        return {number for number, metres in enumerate(away) if metres < OFF_PAD_M}

    def _zones(self, entered: set[int]) -> list[int]:
        """Return scene indices of the pads to avoid. They are all but these numbers."""
        things = self._episode.scene().things
        pads = [index for index, each in enumerate(things) if each.kind == "Pad"]
        return [index for number, index in enumerate(pads) if number not in entered]

    def places(self, kind: str) -> list[tuple[float, float]]:
        """x and z of all things of a kind, in their order."""
        scene = self._episode.scene()
        at = [scene.positions[index] for index, each in enumerate(scene.things) if each.kind == kind]
        return [(float(x), float(z)) for x, _, z in at]

    def _open(self, door: int) -> None:
        """Drive against a door, and wait until it is open. The start is 1.5 m before its front (at smaller
        z)."""
        x, z = self.places("MarkedDoor")[door]
        if self.attempt.go_near(x, z - 1.5, self._zones(self._under())):
            self.attempt.driver.face(0.0)
            self.attempt.driver.drive(5)
            self.attempt.driver.idle(25)


BUDGET = 12_000
"""Maximum imagined steps of the oracle. They are some 30 attempts of common length."""

SAFETY_STEPS = 5_000
"""Step limit of an arena without a time limit."""


class Plan(NamedTuple):
    """Continuation after the actions already taken, and its result.

    `actions` are Go and Turn steps only, so that a script can express them. `recording` is of the episode, to
    its end if it passes, otherwise to the last action. `imagined` is the number of steps tried to find it.
    """

    actions: tuple[Action, ...]
    recording: Recording
    imagined: int


def strategies() -> Iterator[Strategy]:
    """Strategies without end: first straightforward ones, then with random probes."""
    yield Strategy()
    yield Strategy(push=True)
    yield Strategy(wait=True, leap=True)
    yield Strategy(careful=3.0, longest=4, wait=True, seed=1)
    for seed in count():
        yield Strategy(probes=10, wait=seed % 2 == 1, push=seed % 3 == 2, seed=seed)


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
    """Return the first plan that passes, or the best one. The best one has the highest total reward.

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
        # Mapping the arena takes as long as 100 steps.
        imagined += max(plan.recording.steps - len(taken), 100)
        plan = plan._replace(imagined=imagined)
        if best is None or plan.recording.total_reward > best.recording.total_reward:
            best = plan
        if solved(plan.recording):
            return plan
        if imagined >= budget:
            return best._replace(imagined=imagined)
    raise AssertionError("there is always another strategy")


def solved(recording: Recording) -> bool:
    """Return whether a recording passes its task. Without a pass mark, whether it ends with a good goal."""
    return recording.outcome == "goal" if recording.passed is None else recording.passed


def guess(episode: Episode) -> None:
    """Open a door of a laboratory arena without experiments, a wrong one."""
    question = episode.spec.question
    assert question is not None
    right = question.hidden.doors[truth(question, episode.seed, episode.task_id, episode.trial)]
    Experimenter(episode, Strategy()).run((int(right) + 1) % question.doors, experiments=False)


def experiment(
    at_random: bool, spec: ArenaSpec, *, task_id: str, seed: int, trial: int, taken: Sequence[Action]
) -> Plan:
    """Play the laboratory with random experiments, or with none. Without any, the likeliest door is opened at
    once. The arguments are those of `solve`; raises LayoutError as it does."""
    with closing(Episode(spec, task_id=task_id, seed=seed, trial=trial)) as episode:
        for action in taken:
            episode.step(action)
        player = Experimenter(episode, Strategy(), np.random.default_rng([seed, trial]))
        player.run(experiments=at_random)
        player.attempt.run()
        return Plan(episode.actions[len(taken) :], episode.recording(), episode.steps)


def _attempts(pushes: Sequence[Push]) -> Iterator[tuple[Strategy, Sequence[Push]]]:
    """Yield strategies and pushes. Known pushes come first, also slightly longer and shorter."""
    for more in (0, 1, -1, 2, -2, 4) if pushes else ():
        yield Strategy(careful=2.0, longest=6), [push._replace(steps=push.steps + more) for push in pushes]
    for strategy in strategies():
        yield strategy, ()


def _try(episode: Episode, strategy: Strategy, pushes: Sequence[Push], taken: int) -> Plan:
    if episode.spec.question is None:
        Attempt(episode, strategy, pushes).run()
    else:
        player = Experimenter(episode, strategy)
        player.run()
        player.attempt.run()
    actions = episode.actions[taken:]
    # Time only reduces the reward: what is below the mark now need not be played to its end.
    while not episode.done and episode.passed and episode.steps < SAFETY_STEPS:
        episode.step(waiting(episode))
    episode.stop()
    return Plan(actions, episode.recording(), 0)
