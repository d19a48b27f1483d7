"""Level 3: something stands between the agent and the reward."""

import math
from contextlib import closing

import pytest

from arena import FORWARD, TURN_LEFT, TURN_RIGHT, Episode, load_text
from render import Renderer
from testbed.blueprints import CONDITIONS, text
from testbed.blueprints.blueprint import Draw
from tests.testbed.blueprints.views import seen_goals

SIZE = 128
TASKS = range(1, len(CONDITIONS[3]) + 1)


def is_clear(made):
    return made.parameters.get("transparent") or made.parameters.get("kind") == "CylinderTunnelTransparent"


def is_opaque(made):
    return made.name in ("blind alley", "spiral", "maze", "yard") or not (
        made.parameters.get("transparent", True) and made.parameters.get("kind") != "CylinderTunnel"
    )


CLEAR = [task for task, made in enumerate(CONDITIONS[3], 1) if is_clear(made)]
OPAQUE = [task for task, made in enumerate(CONDITIONS[3], 1) if is_opaque(made)]


def start(task):
    draw = Draw(3, task, 1, seed=5)
    return Episode(load_text(text(draw)).arenas[0], task_id="made")


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


@pytest.mark.parametrize(("task", "seen"), [*((task, 1) for task in CLEAR), *((task, 0) for task in OPAQUE)])
def test_the_ball_is_in_view_behind_a_clear_barrier_and_out_of_view_behind_an_opaque_one(task, seen):
    with closing(start(task)) as episode:
        assert seen_goals(Renderer(SIZE, SIZE), episode.scene()) == seen
