"""Which balls can be had together: the ground as the oracle maps it."""

from contextlib import closing

import numpy as np

from arena import TURN_LEFT, TURN_RIGHT, Episode, load_text
from testbed.blueprints import text
from testbed.blueprints.blueprint import Draw
from testbed.oracle.cost_map import Ball, CostMap
from testbed.oracle.solids import solids
from testbed.oracle.targets import Choice, Regions, balls
from testbed.oracle.terrain import Terrain
from testbed.oracle.world_model import Strategy, WorldModel


def drawn(level: int, task: int) -> str:
    """The first shipped variant of a task."""
    draw = Draw(level, task, 1, 0)
    return text(draw)


def reachable(file: str, wait: int = 0) -> tuple[list[Ball], list[list[Ball]]]:
    """The good balls that can be got to from the start, and for each of them those that can be from it.

    `wait` steps pass before that, so that what rolls has come to rest.
    """
    with closing(Episode(load_text(file).arenas[0], task_id="options")) as episode:
        for step in range(wait):
            episode.step(TURN_RIGHT if step % 2 else TURN_LEFT)
        scene = episode.scene()
        costs = CostMap(Terrain(solids(scene)), scene, [], 1.0)
        world = WorldModel(episode, Strategy())
        world.planner(scene)
        start = world.node()
    choice = Choice(costs, Regions(costs, []), balls(scene))

    def at(node: int) -> list[Ball]:
        mask = choice.reached(node)
        return [ball for ball in choice.good if mask[costs.targets(ball)].any()]

    first = at(start)
    # On a wall or ledge beside a ball one still has a choice: the lowest places are where it is gone.
    lowest = [targets[np.argmin(costs.terrain.height[targets])] for targets in map(costs.targets, first)]
    return first, [at(int(node)) for node in lowest]
