import math

import numpy as np
import pytest

from llm_control.agents.pixels import GREEN, RED, YELLOW, answer, blobs, driven, most_open, steps_for
from llm_control.demonstration import demonstration
from llm_control.script import Go, Turn, parse, random_script
from render import Renderer
from tests.arena.worlds import agent, episode, item
from tests.command import printed_by

COLOURS = {"GoodGoal": GREEN, "GoodGoalMulti": YELLOW, "BadGoal": RED}


def seen(*items, yaw=0.0):
    return Renderer(512, 512).frame(episode(agent("20 0 10", yaw), *items).scene())


def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize(("bearing", "distance"), [(0, 5), (20, 8), (-35, 6), (45, 12), (-10, 18)])
@pytest.mark.parametrize(("kind", "color"), COLOURS.items())
def test_a_ball_is_located_from_the_picture(bearing, distance, kind, color):
    x, z = (20 + distance * math.sin(math.radians(bearing)), 10 + distance * math.cos(math.radians(bearing)))
    (blob,) = blobs(seen(item(kind, f"{x} 0 {z}", sizes="1 1 1")), color)
    assert blob.bearing == pytest.approx(bearing, abs=1)
    assert blob.distance == pytest.approx(distance, rel=0.15)


def test_two_balls_are_two_blobs_largest_first():
    found = blobs(seen(item("GoodGoal", "18 0 16", "23 0 18", sizes="1 1 1;2 2 2")), GREEN)
    assert len(found) == 2
    assert found[0].bearing > 0 > found[1].bearing


def test_it_turns_to_the_ball_and_drives_far_enough():
    script = parse(answer(seen(item("GoodGoal", "26 0 16", sizes="1 1 1")), 0, rng()))
    _, turn, go = script.commands
    assert turn == Turn(42) or turn == Turn(48)
    assert isinstance(go, Go)
    assert driven(go.amount) > 7


def test_without_a_ball_it_looks_around_and_then_leaves():
    frame = seen()
    assert Turn(72) in parse(answer(frame, 0, rng())).commands
    assert any(isinstance(command, Go) for command in parse(answer(frame, 5, rng())).commands)


def test_the_open_side_is_found():
    assert most_open(seen(item("Wall", "14 0 13", sizes="16 5 1", rotations="0", colors="0 0 255")))[0] > 30


@pytest.mark.parametrize("distance", [0.05, 1, 5.9, 20, 100])
def test_steps_cover_the_distance(distance):
    steps = steps_for(distance)
    assert driven(steps) >= min(distance, driven(45))
    assert steps == 1 or driven(steps - 1) < distance


def test_random_scripts_are_scripts_and_repeat():
    scripts = [random_script(np.random.default_rng([3, turn])) for turn in range(50)]
    assert all(not parse(script, strict=True).repairs for script in scripts)
    assert len(set(scripts)) > 40
    program = "import numpy as np; from llm_control.script import random_script as r\n"
    program += "print([r(np.random.default_rng([3, turn])) for turn in range(50)])"
    assert printed_by(program).strip() == repr(scripts)


def test_the_demonstration_succeeds_with_valid_scripts():
    shown = demonstration(64)
    assert shown.turns[-1].outcome == "goal"
    assert shown.total_reward > 1.5
    assert len(shown.first_pictures) == 3
    assert all(turn.error is None and not turn.repairs and turn.thoughts for turn in shown.turns)
    assert {event.name for turn in shown.turns for event in turn.events} == {"GoodGoalMulti", "GoodGoal"}
