"""Vector environments return what single ones do, to agents that drive to the walls and to the balls."""

import math

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from arena import ArenaEnv
from arena.gym.vector_env import ArenaVectorEnv
from arena.taskfile.catalog import KINDS
from testbed.curriculum import Levels
from tests.arena.learning import same

MODES = list(AutoresetMode)
TOUCHING_M = 0.52
"""An agent whose centre is nearer to the boundary touches it."""


class Driver:
    """Drives to a wall of the arena, follows it for a while, then chases the nearest ball, and again."""

    def __init__(self, seed):
        self.rng, self.touched = np.random.default_rng(seed), 0
        self._begin()

    def _begin(self):
        self.wall, self.left = self.rng.integers(4), 0
        self.is_chasing = self.rng.random() < 0.3

    def action(self, episode):
        x, _, z = episode.position
        gap = (x, z, 40 - x, 40 - z)[self.wall]
        if not self.is_chasing and gap < TOUCHING_M:
            self.touched += 1
            self.left = self.left or int(self.rng.integers(2, 20))
            self.left -= 1
            self.is_chasing = not self.left
            return int(self.rng.choice([3, 3, 4, 5, 1, 2, 0]))
        balls = self.balls(episode) if self.is_chasing else []
        if self.is_chasing and (not balls or self.rng.random() < 0.01):
            self._begin()
        at = min(balls, key=lambda ball: math.hypot(ball[0] - x, ball[2] - z), default=None)
        to_x, to_z = (at[0], at[2]) if at else ((-5, z), (x, -5), (45, z), (x, 45))[self.wall]
        aside = (math.degrees(math.atan2(to_x - x, to_z - z)) - episode.yaw + 180) % 360 - 180
        turn = 0 if abs(aside) <= 6 else 1 if aside > 0 else 2
        return (3 if abs(aside) < 40 else 0) + turn

    def balls(self, episode):
        scene = episode.scene()
        return [
            tuple(scene.positions[number])
            for number in np.flatnonzero(scene.visible)
            if KINDS[scene.things[number].kind].is_goal
        ]


def compared(level, mode, steps, seed, **options):
    """Play the 90 tasks of a level, one in each environment, in vector environments and in single ones, and
    compare all that they return; returns how often a wall was touched, and how many episodes ended."""
    ids = [f"{level:02}-{layout:02}-{variant:02}" for layout in range(1, 31) for variant in (1, 2, 3)]
    options = {"config": Levels(str(level)), "observation": ("rays", "vector"), "rays_per_side": 8} | options
    single = SyncVectorEnv([lambda: ArenaEnv(**options) for _ in ids], autoreset_mode=mode)
    many = ArenaVectorEnv(len(ids), autoreset_mode=mode, **options)
    drivers, ended = [Driver((seed, number)) for number in range(len(ids))], 0

    def reset(**how):
        expected = single.reset(seed=how.get("seed"), options=dict(how.get("options") or {}))
        assert same(many.reset(**how), expected)

    try:
        reset(seed=seed)
        for number, task in enumerate(ids):
            reset(options={"task": task, "reset_mask": np.arange(len(ids)) == number})
        for number in range(steps):
            taken = np.array([d.action(e.episode) for d, e in zip(drivers, single.envs, strict=True)])
            expected = single.step(taken)
            got = many.step(taken)
            assert same(got, expected), number
            over = expected[2] | expected[3]
            ended += int(over.sum())
            if mode is AutoresetMode.DISABLED and over.any():
                reset(options={"reset_mask": over})
    finally:
        for envs in (single, many):
            envs.close()
    return sum(driver.touched for driver in drivers), ended


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("level", range(1, 11))
@pytest.mark.parametrize(
    "options",
    [{}, {"frame_stack": 2, "action_repeat": 2, "max_episode_steps": 150}],
    ids=["plain", "stacked"],
)
def test_every_task_is_the_same_for_many_and_for_one(level, mode, options):
    touched, ended = compared(level, mode, 250, 10 * level + MODES.index(mode), **options)
    assert touched > 200
    assert ended >= 10
