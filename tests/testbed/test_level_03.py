"""Level 3: something stands between the agent and the reward."""

import math
from contextlib import closing

import pytest

from arena import FORWARD, TURN_LEFT, TURN_RIGHT, Episode, load_text
from render import Renderer
from testbed.blueprints import CONDITIONS, Draw, condition_of, text
from tests.testbed.views import seen_goals

SIZE = 128
TASKS = range(1, len(CONDITIONS[3]) + 1)


def start(task):
    draw = Draw(3, task, 1, seed=5)
    return Episode(load_text(text(condition_of(draw), draw)).arenas[0], task_id="made")


@pytest.mark.parametrize("task", TASKS)
def test_the_straight_way_does_not_lead_to_the_ball(task):
    with closing(start(task)) as episode:
        scene = episode.scene()
        goal = next(i for i, thing in enumerate(scene.things) if thing.kind == "GoodGoal")
        x, _, z = scene.positions[goal] - episode.position
        turns = round(((math.degrees(math.atan2(x, z)) - episode.yaw + 180) % 360 - 180) / 6)
        for _ in range(abs(turns)):
            episode.step(TURN_RIGHT if turns > 0 else TURN_LEFT)
        for _ in range(60):
            if not episode.done:
                episode.step(FORWARD)
        assert episode.outcome != "goal"


@pytest.mark.parametrize("task", TASKS)
def test_a_clear_barrier_shows_the_ball_and_an_opaque_one_hides_it(task):
    parameters = condition_of(Draw(3, task, 1, 0)).parameters
    clear = parameters.get("transparent", str(parameters.get("kind", "")).endswith("Transparent"))
    heights = condition_of(Draw(3, task, 1, 0)).paradigm.__module__.endswith("heights")
    if heights and not clear:
        pytest.skip("what is on high may be in view")
    with closing(start(task)) as episode:
        seen = seen_goals(Renderer(SIZE, SIZE), episode.scene())
    assert bool(seen) == clear or ("gaps" in parameters and seen == 1)
