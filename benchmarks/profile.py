"""Where the time of an environment's step goes, stage by stage."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import wraps
from time import perf_counter
from typing import Any

import moderngl
import numpy as np
from rich.console import Console
from rich.table import Table

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
    (World, "drive_quietly", "physics: ours (driving, contacts, rest)"),
    (Episode, "step_all", "rules: clock, reward, ends"),
    (Episode, "scene", "scene: poses for the camera"),
    (Renderer, "frame", "draw: commands"),
    (moderngl.Framebuffer, "read_into", "readback"),
    (ArenaEnv, "step", "environment: observation, info"),
)
"""Owner and name of a function, and its stage; time within another stage's function counts only for that."""

WAITING = "draw: waiting for OpenGL"
"""OpenGL draws asynchronously: what is left to do when the pixels are needed."""

NAMES = (*dict.fromkeys(name for *_, name in STAGES[:6]), WAITING, *(name for *_, name in STAGES[6:]))


@dataclass
class StageTimes:
    """Times per step of each stage, one value per round, of the environment `name`."""

    name: str
    times: dict[str, list[float]]

    def spread(self, stage: str) -> Spread:
        """Median, lowest and highest round."""
        return Spread.of(self.times[stage])

    @property
    def medians(self) -> dict[str, float]:
        """The stages that took time, in their order, with their medians."""
        return {stage: self.spread(stage).median for stage, times in self.times.items() if max(times) > 0}

    def cell(self, stage: str, digits: int) -> str:
        """A stage's times and its share, for a table; empty if it took none."""
        if stage not in self.medians:
            return ""
        median, low, high = (f"{value:.{digits}f}" for value in self.spread(stage))
        return f"{median} [{low}-{high}] {self.medians[stage] / sum(self.medians.values()):4.0%}"


def stages_table(title: str, profiles: Sequence[StageTimes], digits: int) -> Table:
    """Times and shares of a step's stages, with a column for each profile."""
    table = Table(title=title, title_justify="left")
    table.add_column("stage")
    for profile in profiles:
        table.add_column(profile.name, justify="right")
    for stage in profiles[0].times:
        if any(stage in profile.medians for profile in profiles):
            table.add_row(stage, *(profile.cell(stage, digits) for profile in profiles))
    totals = (sum(profile.medians.values()) for profile in profiles)
    table.add_row("together", *(f"{total:.{digits - 1}f}" for total in totals))
    return table


def print_profile(console: Console, profiles: Sequence[StageTimes]) -> None:
    """Milliseconds of a step's stages, a column for each size of the picture."""
    title = "where a step's time goes: ms per step, median and lowest-highest round, share"
    console.print(stages_table(title, profiles, 3))


def profile_dicts(profiles: Sequence[StageTimes]) -> list[dict[str, Any]]:
    """Every measured time of a stage, in ms per step."""
    return [
        {
            "side": int(profile.name.split()[0]),
            "milliseconds_per_step": profile.times,
            "median": profile.medians,
        }
        for profile in profiles
    ]


class Stopwatch:
    """Seconds by stage, and how often each was entered.

    While a stage runs within another, the outer one's clock is paused.
    """

    def __init__(self, names: Sequence[str] = NAMES) -> None:
        self.seconds = dict.fromkeys(names, 0.0)
        self.calls = dict.fromkeys(names, 0)
        self._running: list[str] = []
        self._since = 0.0

    def watch(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        """The function with its time recorded."""

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

    # No context manager, which alone would take as long as the shortest stages.
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
) -> list[StageTimes]:
    """Play the benchmark's scene at random with a camera of each size, in turn; times in ms.

    Raises RenderError without OpenGL.
    """
    plays = [_Play(side, seed) for side in sides]
    found = [StageTimes(f"{side} x {side}", {name: [] for name in NAMES}) for side in sides]
    for play in plays:
        play.measure(rounds.warm_up)
        once = sum(play.measure(rounds.warm_up).values()) / rounds.warm_up
        play.steps = max(1, min(rounds.most, round(rounds.slice_s / once)))
    for _ in range(rounds.count):
        for profile, play in zip(found, plays, strict=True):
            for name, seconds in play.measure(play.steps).items():
                profile.times[name].append(1000 * seconds / play.steps)
            advance(f"profile {profile.name}")
    return found


class _Play:
    """An environment stepped at random."""

    def __init__(self, side: int, seed: int) -> None:
        self._env = ArenaEnv(SCENE_FILE, resolution=side)
        self._env.reset(seed=seed)
        self._actions = random_actions("bench", seed)
        self.steps = 1

    def measure(self, steps: int) -> dict[str, float]:
        """Seconds by stage for a number of steps; new episodes are not timed."""
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
    """The stages' functions replaced by watched ones, and restored afterwards."""
    with ExitStack() as stack:
        for owner, attribute, name in stages:
            original = getattr(owner, attribute)
            setattr(owner, attribute, watch.watch(original, name))
            stack.callback(setattr, owner, attribute, original)
        yield
