"""Rewards of the original's end-to-end tests of version 4: to the tick, and after a failure.

All its tests run in test_animalai_e2e.py with the tolerance that they have; test_csv_log.py compares with its
recordings. The arenas are in a folder of reference material; without it they are skipped.
"""

import pytest

from arena import BACKWARD, FORWARD, IDLE, load
from arena.gym.curriculum import Files
from tests.arena.test_csv_log import INSIDE, SUITE

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
        ("testMultiReward", 1.82, BackAndForth()),
        ("testDatazone_endepisode", -0.584, always(FORWARD)),
        ("testDatazone_freezeAgent", 0.533, always(FORWARD)),
    ],
)
def test_an_agent_gets_the_reward_that_the_original_gives(name, expected, policy):
    # The original's tests have these to the third decimal: the same to the tick.
    assert outcome(Files([config(name)]), policy) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("first", [FORWARD, IDLE])
def test_after_a_failure_the_merged_arena_is_left_out(first):
    stream = Files([config("testFailArenas")])
    assert outcome(stream, always(first)) < 0
    assert outcome(stream, always(FORWARD)) == pytest.approx(0.895, abs=0.2)
