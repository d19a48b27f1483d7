import dataclasses

import numpy as np
import pytest
from scipy.sparse import csr_matrix, hstack, vstack
from scipy.sparse.csgraph import breadth_first_order

from arena import IDLE, Episode, load_text
from arena.taskfile.catalog import KINDS
from render.renderer import Renderer
from testbed.blueprints import CONDITIONS, blueprint, condition_of, text
from testbed.blueprints.blueprint import Draw
from testbed.oracle.cost_map import CostMap, node_at
from testbed.oracle.solids import solids
from testbed.oracle.targets import Regions, balls
from testbed.oracle.terrain import Terrain

SETTLED = 60
"""Steps after which every ball lies still, but for those that pass behind screens."""

DRAWS = [Draw(8, number, 1, 0) for number in range(1, 1 + len(CONDITIONS[8]))]
each = pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: f"{draw.level:02d}-{draw.task:02d}")
FINAL = {
    condition_of(draw).name: draw for draw in DRAWS if "irreversible choice" in blueprint(draw).capacities
}
"""One draw of every paradigm in which a choice cannot be undone."""


@pytest.fixture(scope="module")
def renderer():
    return Renderer(256, 256)


def episode_of(draw):
    return Episode(load_text(text(draw)).arenas[0], task_id="memory")


def settle(episode, draw, steps=SETTLED):
    for _ in range(230 if condition_of(draw).name == "passing behind" else steps):
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


@each
def test_balls_are_seen_first_and_hidden_then(renderer, draw):
    with episode_of(draw) as episode:
        episode.step(IDLE)
        assert min(pixels(renderer, episode.scene()).values()) >= 4
        settle(episode, draw)
        assert max(pixels(renderer, episode.scene()).values()) == 0


@pytest.mark.parametrize("draw", [draw for draw in DRAWS if blueprint(draw).blackouts], ids=lambda d: d.task)
def test_the_light_goes_out_when_all_is_hidden(renderer, draw):
    first = blueprint(draw).blackouts[0]
    with episode_of(draw) as episode:
        for _ in range(5 * first // 3):
            episode.step(IDLE)
        assert episode.scene().lights_on
        assert max(pixels(renderer, episode.scene()).values()) == 0
        episode.step(IDLE)
        episode.step(IDLE)
        assert not episode.scene().lights_on


@pytest.mark.parametrize("draw", FINAL.values(), ids=list(FINAL))
def test_a_wrong_choice_is_possible_and_final(draw):
    with episode_of(draw) as episode:
        settle(episode, draw)
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
