"""Level 3: something stands between the agent and the reward."""

import pytest

from render import Renderer
from testbed.blueprints import CONDITIONS
from tests.testbed.blueprints.views import drawn, drive_straight, episode_of, numbers, seen_goals


def is_clear(made):
    if made.name in ("ridge", "wedge", "cross"):
        return True
    return made.parameters.get("transparent") or made.parameters.get("kind") == "CylinderTunnelTransparent"


def is_opaque(made):
    return made.name in ("blind alley", "spiral", "maze", "yard", "rings") or not (
        made.parameters.get("transparent", True) and made.parameters.get("kind") != "CylinderTunnel"
    )


CLEAR = [task for task, made in enumerate(CONDITIONS[3], 1) if is_clear(made)]
OPAQUE = [task for task, made in enumerate(CONDITIONS[3], 1) if is_opaque(made)]


@pytest.mark.parametrize("task", numbers(3))
def test_the_straight_way_does_not_lead_to_the_ball(task):
    with episode_of(drawn(3, task, seed=5)) as episode:
        drive_straight(episode, 60)
        assert episode.outcome != "goal"


@pytest.mark.parametrize(("task", "seen"), [*((task, 1) for task in CLEAR), *((task, 0) for task in OPAQUE)])
def test_the_ball_is_in_view_behind_a_clear_barrier_and_out_of_view_behind_an_opaque_one(task, seen):
    with episode_of(drawn(3, task, seed=5)) as episode:
        assert seen_goals(Renderer(128, 128), episode.scene()) == seen
