"""Kinds of action that learning agents send."""

from itertools import product

import numpy as np
import pytest

from arena import ACTIONS, ArenaEnv, ConfigError
from arena.gym.env import controls
from tests.arena.learning import FILE


@pytest.mark.parametrize(
    ("kind", "actions"),
    [
        ("discrete9", list(range(9))),
        ("multidiscrete", [(move, rotate) for move in range(3) for rotate in range(3)]),
        ("continuous", [(f, r) for f in (0.3, 0.34, -1.0) for r in (-0.3, 1.0, -0.34)]),
    ],
)
def test_kinds_of_action_mean_the_nine_actions(kind, actions):
    read = controls(kind).read
    assert [read(action) for action in actions] == list(ACTIONS)
    dtype = np.float32 if kind == "continuous" else np.int64
    assert [read(np.array(action, dtype)) for action in actions] == list(ACTIONS)


@pytest.mark.parametrize(
    ("kind", "action"),
    [
        *product(["discrete9"], [9, -1, 2.5, 3.0, np.float32(3.7), np.nan, 2**70, None, "1"]),
        *product(["discrete9"], [True, False, np.True_, np.array(True), np.array([1]), np.array([1, 2])]),
        *product(["multidiscrete"], [4, (0, 3), (-1, 0), (0.0, 1.0), (True, 0), (0, 1, 2)]),
        *product(["multidiscrete"], [np.array([True, False]), np.array([1.0, 0.0])]),
        *product(["continuous"], [0.5, (0.5,), "no", ("1", "0"), (None, 0.0), np.zeros((2, 1))]),
        *product(["continuous"], [(1.001, 0.0), (0.0, -np.inf), (np.nan, 0.0), (True, 0.0)]),
    ],
)
def test_what_is_no_action_is_refused(kind, action):
    env = ArenaEnv(FILE, observation="vector", action=kind)
    env.reset(seed=1)
    with pytest.raises(ConfigError, match=r"(?s)^action: got .* expected "):
        env.step(action)
    assert env.episode.steps == 0
