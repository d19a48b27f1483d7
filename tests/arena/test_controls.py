"""Kinds of action that learning agents send."""

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
        ("discrete9", 9),
        ("discrete9", -1),
        ("discrete9", 2.5),
        ("discrete9", None),
        ("discrete9", np.array([1, 2])),
        ("multidiscrete", (0, 3)),
        ("multidiscrete", (-1, 0)),
        ("multidiscrete", 4),
        ("multidiscrete", (0.0, 1.0)),
        ("discrete9", 3.0),
        ("discrete9", np.float32(3.7)),
        ("discrete9", np.nan),
        ("discrete9", np.array([1])),
        ("discrete9", 2**70),
        ("discrete9", "1"),
        ("discrete9", True),
        ("discrete9", False),
        ("discrete9", np.True_),
        ("discrete9", np.array(True)),
        ("multidiscrete", (True, 0)),
        ("multidiscrete", np.array([True, False])),
        ("multidiscrete", (0, 1, 2)),
        ("multidiscrete", np.array([1.0, 0.0])),
        ("continuous", (1.001, 0.0)),
        ("continuous", (0.0, -np.inf)),
        ("continuous", ("1", "0")),
        ("continuous", (None, 0.0)),
        ("continuous", np.zeros((2, 1))),
        ("continuous", 0.5),
        ("continuous", (0.5,)),
        ("continuous", (np.nan, 0.0)),
        ("continuous", "no"),
    ],
)
def test_what_is_no_action_is_refused(kind, action):
    env = ArenaEnv(FILE, observation="vector", action=kind)
    env.reset(seed=1)
    with pytest.raises(ConfigError, match=r"(?s)^action: got .* expected "):
        env.step(action)
    assert env.episode.steps == 0
