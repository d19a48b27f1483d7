"""The original's own end-to-end tests of version 4: their arenas, what their agents do, what they expect.

The arenas and recordings are in a folder of reference material beside the project, and are skipped without it.
"""

import csv
from pathlib import Path

import pytest

from arena import BACKWARD, FORWARD, IDLE, Rays, load
from arena.gym.curriculum import Files
from arena.rays.rays import CAST_LENGTH, TAGS

INSIDE = Path("shared") / "reference" / "unity-v4" / "e2e"
SUITE = next((found for above in Path(__file__).parents if (found := above / INSIDE).is_dir()), None)

if SUITE is None:
    pytest.skip(f"no folder {INSIDE} beside the project", allow_module_level=True)


def config(name):
    return load(SUITE / "testConfigs" / f"{name}.yml", "4")


def outcome(stream, policy):
    """The total reward of the next episode; the policy chooses by the reward so far."""
    with stream.next() as run:
        run.step(IDLE)
        while not run.done:
            run.step(policy(run.total_reward))
        return run.total_reward


def always(action):
    return lambda _: action


def back_below(limit):
    return lambda reward: BACKWARD if reward < limit else FORWARD


def over_and_back(reward):
    """Through a zone, back, and through it again."""
    return FORWARD if reward < -0.175 or reward >= -0.1 else BACKWARD


class BackAndForth:
    """After a ball back and forth, to see that it is gone."""

    def __init__(self):
        self.stage = 0

    def __call__(self, reward):
        limits = (reward > 0, reward < 0.95, reward < 0.9, reward < -2)
        self.stage += limits[self.stage]
        return BACKWARD if self.stage == 2 else FORWARD


@pytest.mark.parametrize(
    ("name", "expected", "policy"),
    [
        ("testUnmergedArenas", 0.8, always(FORWARD)),
        ("testUnmergedArenas", -1, always(IDLE)),
        ("testMultiReward", 1.82, BackAndForth()),
        ("testDatazone", 0.8, always(FORWARD)),
        ("testDatazone_spawnobject", 0.8, always(FORWARD)),
        ("testDatazone_spawnobject_despawnobject", -1.3, over_and_back),
        ("testDatazone_endepisode", -0.584, always(FORWARD)),
        ("testDatazone_freezeAgent", 0.533, always(FORWARD)),
        ("testButtons", 0.8, back_below(-0.2)),
        ("testButtonsLegacy", 0.8, back_below(-0.2)),
        ("testMergedArenas", 1.6, lambda reward: BACKWARD if reward > 0 else FORWARD),
    ],
)
def test_an_agent_gets_the_reward_that_the_original_gives(name, expected, policy):
    assert outcome(Files([config(name)]), policy) == pytest.approx(expected, abs=0.2)


@pytest.mark.parametrize("first", [FORWARD, IDLE])
def test_after_a_failure_the_merged_arena_is_left_out(first):
    stream = Files([config("testFailArenas")])
    assert outcome(stream, always(first)) < 0
    assert outcome(stream, always(FORWARD)) == pytest.approx(0.895, abs=0.2)
