"""A perch from which the agent can look to both sides, and which it cannot climb again."""

import numpy as np

from testbed.blueprints.blueprint import Object
from testbed.blueprints.layout import EDGE, GAP
from testbed.blueprints.parts import BLUE, agent, near, wall


def perch(rng: np.random.Generator, far: float) -> tuple[Object, tuple[Object, ...]]:
    """The agent on it at the least z of the arena, and the perch with a wall that parts the arena up to `far`.

    The wall stands at x = 20; `far` is in metres. Whoever leaves the perch on one side stays there.
    """
    deep, high, broad = near(rng, 5, 0.6), 0.6, near(rng, 5, 0.8)
    end = min(far, 40 - EDGE)
    start = deep + EDGE + GAP
    stand = (
        wall(20, deep / 2 + EDGE, (broad, high, deep), color=BLUE),
        wall(20, (start + end) / 2, (0.6, 5, end - start)),
    )
    return agent(20, near(rng, 1.8, 0.6), near(rng, 0, 6), y=high), stand
