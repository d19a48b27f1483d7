"""A perch from which the agent can look to both sides, and which it cannot climb again."""

import numpy as np

from testbed.blueprints.blueprint import Object
from testbed.blueprints.layout import EDGE, GAP
from testbed.blueprints.parts import BLUE, agent, near, wall


def perch(rng: np.random.Generator, far: float, high: float = 5) -> tuple[Object, tuple[Object, ...]]:
    """The agent at the least z of the arena, its perch, and a wall that parts the arena at x = 20.

    The wall reaches to z = `far` and is `high`, metres. Whoever leaves the perch on one side stays there.
    """
    deep, floor, broad = near(rng, 5, 0.6), 0.6, near(rng, 5, 0.8)
    end = min(far, 40 - EDGE)
    start = deep + EDGE + GAP
    stand = (
        wall(20, deep / 2 + EDGE, (broad, floor, deep), color=BLUE),
        wall(20, (start + end) / 2, (0.6, high, end - start)),
    )
    return agent(20, near(rng, 1.8, 0.6), near(rng, 0, 6), y=floor), stand
