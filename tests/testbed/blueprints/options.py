"""Which balls can be had together: the ground as the oracle maps it."""

import numpy as np

from arena import Episode
from testbed.oracle.cost_map import Ball, CostMap
from testbed.oracle.motion import Driver
from testbed.oracle.solids import solids
from testbed.oracle.targets import Choice, Regions, balls
from testbed.oracle.terrain import Terrain
from testbed.oracle.world_model import Strategy, WorldModel


def reachable(episode: Episode, wait: int = 0) -> tuple[list[Ball], list[list[Ball]]]:
    """The good balls that can be got to from the start, and for each of them those that can be from it.

    `wait` steps pass before that, so that what rolls has come to rest.
    """
    Driver(episode).idle(wait)
    scene = episode.scene()
    costs = CostMap(Terrain(solids(scene)), scene, [], 1.0)
    world = WorldModel(episode, Strategy())
    world.planner(scene)
    choice = Choice(costs, Regions(costs, []), balls(scene))

    def at(node: int) -> list[Ball]:
        mask = choice.reached(node)
        return [ball for ball in choice.good if mask[costs.targets(ball)].any()]

    first = at(world.node())
    # On a wall or ledge beside a ball one still has a choice: the lowest places are where it is gone.
    lowest = [targets[np.argmin(costs.terrain.height[targets])] for targets in map(costs.targets, first)]
    return first, [at(int(node)) for node in lowest]
