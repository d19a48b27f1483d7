import dataclasses

import numpy as np
import pytest
from scipy.sparse import csr_matrix, hstack, vstack
from scipy.sparse.csgraph import breadth_first_order

from arena import IDLE
from arena.taskfile.catalog import KINDS
from render.renderer import Renderer
from testbed.blueprints import CONDITIONS
from testbed.oracle.cost_map import CostMap, node_at
from testbed.oracle.solids import solids
from testbed.oracle.targets import Regions, balls
from testbed.oracle.terrain import Terrain
from tests.testbed.blueprints.views import drawn, episode_of, numbers

FINAL = {
    CONDITIONS[8][number - 1].name: number
    for number in numbers(8)
    if "irreversible choice" in drawn(8, number).capacities
}
"""One task of every paradigm in which a choice cannot be undone."""


@pytest.fixture(scope="module")
def renderer():
    return Renderer(256, 256)


def settle(episode, number):
    """Wait until every ball lies still; those that pass behind screens take longer."""
    for _ in range(230 if number in numbers(8, "passing behind") else 60):
        episode.step(IDLE)


def pixels(renderer, scene):
    """How many pixels each ball has, by its index."""
    # Rewards are looked for behind screens also while the light is out.
    instance = renderer.channels(dataclasses.replace(scene, lights_on=True)).instance
    return {
        index: int((instance == index).sum())
        for index, thing in enumerate(scene.things)
        if KINDS[thing.kind].is_goal
    }


@pytest.mark.parametrize("number", numbers(8))
def test_balls_are_seen_first_and_hidden_then(renderer, number):
    with episode_of(drawn(8, number)) as episode:
        episode.step(IDLE)
        assert min(pixels(renderer, episode.scene()).values()) >= 4
        settle(episode, number)
        assert max(pixels(renderer, episode.scene()).values()) == 0


@pytest.mark.parametrize("number", [number for number in numbers(8) if drawn(8, number).blackouts])
def test_the_light_goes_out_when_all_is_hidden(renderer, number):
    made = drawn(8, number)
    with episode_of(made) as episode:
        for _ in range(5 * made.blackouts[0] // 3):
            episode.step(IDLE)
        assert episode.scene().lights_on
        assert max(pixels(renderer, episode.scene()).values()) == 0
        episode.step(IDLE)
        episode.step(IDLE)
        assert not episode.scene().lights_on


@pytest.mark.parametrize("number", FINAL.values(), ids=list(FINAL))
def test_a_wrong_choice_is_possible_and_final(number):
    with episode_of(drawn(8, number)) as episode:
        settle(episode, number)
        scene, (x, y, z) = episode.scene(), episode.position
    best = max(balls(scene), key=lambda ball: ball.reward)
    costs = CostMap(Terrain(solids(scene)), scene, [], 1.0)
    start = node_at(costs, x, y, z)
    graph = Regions(costs, []).graph
    # A node more, from which all that touch the ball are one step away, so that one search is enough.
    back = vstack([graph.T.tocsr(), costs.touching(best, 0).astype(float)[None]])
    back = hstack([back, csr_matrix((back.shape[0], 1))]).tocsr()
    leading = np.zeros(back.shape[0], bool)
    leading[breadth_first_order(back, back.shape[0] - 1, return_predecessors=False)] = True
    assert leading[start]
    reached = breadth_first_order(graph, start, return_predecessors=False)
    assert (~leading[reached]).sum() > 40
