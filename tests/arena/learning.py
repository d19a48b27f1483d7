"""What tests of the environments for learning agents share."""

import numpy as np

from arena import load_text

FILE = load_text(
    "arenas: {0: {t: 5, pass_mark: 0, items: [{name: Agent, positions: [{x: 10, z: 10}]}, {name: GoodGoal},"
    " {name: Wall}]}, 7: {t: 9, pass_mark: 0, items: [{name: Agent}, {name: GoodGoalMulti}]}}"
)
"""Two arenas that last 9 and 15 steps, with places drawn at random."""

ENDLESS = load_text("arenas: {0: {items: [{name: Agent, positions: [{x: 20, z: 20}], rotations: [0]}]}}")
"""An arena without a time limit or a pass mark."""


def same(one, other):
    """Whether two observations or infos are the same to the last bit, arrays, dictionaries and all."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray) and one.dtype == object:
        return one.shape == other.shape and all(map(same, one.ravel(), other.ravel()))
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if type(one) in (tuple, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


def arrays(observation):
    """The arrays of an observation."""
    return list(observation.values()) if isinstance(observation, dict) else [observation]
