"""What is said to be in view, against the picture itself."""

import dataclasses
import math

import pytest

from render import Renderer, first_person
from render.line_of_sight import LineOfSight
from report.arena.replay import good_goals
from tests.arena.worlds import agent, episode, item
from tests.cases import cases

GOAL = item("GoodGoal", "20 0 20", sizes="1 1 1")


def pixels(scene, ball, renderer):
    """How many pixels of the picture change with the ball, in the box where it would be drawn."""
    without = scene.visible.copy()
    without[ball] = False
    other = dataclasses.replace(scene, visible=without)
    changed = abs(renderer.frame(scene).astype(int) - renderer.frame(other)).max(axis=2) > 10
    right, up, forward = first_person(scene).axes() @ (scene.positions[ball] - scene.agent_position)
    if forward <= 0:
        return 0
    focal = 256 / math.tan(math.radians(50))
    column, row, reach = 256 + focal * right / forward, 256 - focal * up / forward, focal / forward
    reach *= scene.sizes[ball][0] / 2 * 1.3
    rows, columns = (slice(max(0, int(c - reach)), max(0, int(c + reach + 2))) for c in (row, column))
    return int(changed[rows, columns].sum())


@pytest.mark.parametrize(("things", "yaw", "seen"), cases(__file__)["seen"])
def test_it_agrees_with_the_picture(things, yaw, seen):
    more = [item(name, place, **options) for name, place, options in things]
    with episode(agent(yaw=yaw), GOAL, *more) as run:
        scene = run.scene()
        (ball,) = good_goals(scene)
        assert bool(LineOfSight().in_view(scene, [ball])) is seen
        assert (pixels(scene, ball, Renderer(512, 512)) > 8) is seen


def test_in_the_dark_nothing_is_seen():
    with episode(agent(), GOAL, blackouts="0, 100") as run:
        scene = run.scene()
        assert not scene.lights_on
        assert LineOfSight().in_view(scene, good_goals(scene)) == frozenset()
        assert LineOfSight().is_open(scene, good_goals(scene)[0])
