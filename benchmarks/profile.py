"""Where the time of an environment's step goes, stage by stage."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import wraps
from time import perf_counter
from typing import Any

import moderngl
import numpy as np

from arena import ArenaEnv, Episode
from arena.physics.bullet import bullet
from arena.physics.world import World
from benchmarks.measure import random_actions
from benchmarks.peers.contenders import SIDES
from benchmarks.peers.rounds import Rounds
from benchmarks.peers.scenery import SCENE_FILE
from benchmarks.result import Spread
from render import Renderer

STAGES: tuple[tuple[Any, str, str], ...] = (
    (bullet, "stepSimulation", "physics: Bullet's ticks"),
    (World, "advance", "physics: ours (driving, contacts, rest)"),
    (Episode, "step", "rules: clock, reward, ends"),
    (Episode, "scene", "scene: poses for the camera"),
    (Renderer, "frame", "draw: commands"),
    (moderngl.Framebuffer, "read_into", "readback"),
    (ArenaEnv, "step", "environment: observation, info"),
)
"""Whose function, its name, and the stage; time within another stage's function counts for that one only."""

WAITING = "draw: waiting for OpenGL"
"""OpenGL draws after it is told to: what is left to do when the pixels are wanted."""

NAMES = (*(name for *_, name in STAGES[:5]), WAITING, *(name for *_, name in STAGES[5:]))


@dataclass
class Profile:
    """Milliseconds per step of each stage, one value per round, for pictures of `side` pixels."""

    side: int
    milliseconds: dict[str, list[float]]

    def spread(self, stage: str) -> Spread:
        """Median, lowest and highest round, in ms."""
        values = self.milliseconds[stage]
        return Spread(float(np.median(values)), min(values), max(values))

    @property
    def total(self) -> float:
        """The stages' medians together, in ms."""
        return sum(self.spread(stage).median for stage in self.milliseconds)


class Stopwatch:
    """Seconds by stage, and how often each was entered.

    While a stage runs within another, the outer one's clock stands.
    """

    def __init__(self, names: Sequence[str] = NAMES) -> None:
        self.seconds = dict.fromkeys(names, 0.0)
        self.calls = dict.fromkeys(names, 0)
        self._running: list[str] = []
        self._since = 0.0

    def watch(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        """The function, its time booked."""

        @wraps(function)
        def watched(*arguments: Any, **options: Any) -> Any:
            if name == "readback":
                self._enter(WAITING)
                arguments[0].ctx.finish()
                self._leave()
            self._enter(name)
            try:
                return function(*arguments, **options)
            finally:
                self._leave()

        return watched

    # No context manager: that alone would take as long as the shortest stages.
    def _enter(self, name: str) -> None:
        self._book()
        self._running.append(name)
        self.calls[name] += 1

    def _leave(self) -> None:
        self._book()
        self._running.pop()

    def _book(self) -> None:
        now = perf_counter()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now


def profile_steps(
    rounds: Rounds,
    seed: int,
    sides: Sequence[int] = SIDES,
    advance: Callable[[str], None] = lambda doing: None,
) -> list[Profile]:
    """Play the benchmark's scene at random with a camera of each size, in turn, and tell the stages apart.

    Raises RenderError where there is no OpenGL.
    """
    plays = {side: _Play(side, seed) for side in sides}
    found = [Profile(side, {name: [] for name in NAMES}) for side in sides]
    for play in plays.values():
        play.measure(rounds.warm_up)
        once = sum(play.measure(rounds.warm_up).values()) / rounds.warm_up
        play.steps = max(1, min(rounds.most, round(rounds.slice_s / once)))
    for _ in range(rounds.count):
        for profile in found:
            play = plays[profile.side]
            for name, seconds in play.measure(play.steps).items():
                profile.milliseconds[name].append(1000 * seconds / play.steps)
            advance(f"profile {profile.side} x {profile.side}")
    return found


class _Play:
    """An environment that is stepped at random."""

    def __init__(self, side: int, seed: int) -> None:
        self._env = ArenaEnv(SCENE_FILE, resolution=side)
        self._env.reset(seed=seed)
        self._actions = random_actions("bench", seed)
        self.steps = 1

    def measure(self, steps: int) -> dict[str, float]:
        """Seconds by stage of so many steps; new episodes are not timed."""
        watch = Stopwatch()
        for _ in range(steps):
            action = np.int64(next(self._actions))
            with watched_stages(watch, STAGES):
                *_, done, _, _ = self._env.step(action)
            if done:
                self._env.reset()
        return watch.seconds


@contextmanager
def watched_stages(watch: Stopwatch, stages: Sequence[tuple[Any, str, str]]) -> Iterator[None]:
    """The stages' functions replaced by watched ones, and put back."""
    with ExitStack() as stack:
        for owner, attribute, name in stages:
            original = getattr(owner, attribute)
            setattr(owner, attribute, watch.watch(original, name))
            stack.callback(setattr, owner, attribute, original)
        yield
