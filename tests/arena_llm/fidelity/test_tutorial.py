"""Our arena beside the published recording of the Unity original; needs the reference material."""

import math

import pytest

from arena import EventKind
from arena_llm.fidelity.pictures import CLASSES, classify, compare_pictures
from arena_llm.fidelity.trace import TUTORIAL_ENDING, Instant, is_tutorial, poses_of, read_trace, replay


@pytest.fixture(scope="module")
def trace(unity_recording, unity_trace):
    return read_trace(unity_recording, unity_trace)


@pytest.fixture(scope="module")
def played(trace):
    return replay(trace)


def test_it_is_read_as_it_was_recorded(trace):
    assert (len(trace.turns), trace.idle_steps, len(trace.pictures)) == (42, 49, 44)
    assert trace.turns[-1].steps == 9
    assert trace.idle_steps + sum(turn.steps for turn in trace.turns) == 427
    assert is_tutorial(trace)


def test_health_is_as_recorded_after_every_turn(played):
    assert [turn for turn in played.turns if turn.agrees is False] == []
    assert played.agreeing == played.judged == 41


def test_both_yellow_balls_are_reached_in_the_recorded_ticks(played):
    ticks = [event.tick for turn in played.turns for event in turn.events if event.name == "GoodGoalMulti"]
    assert len(ticks) == 2
    assert 652 <= ticks[0] <= 656
    assert ticks[1] == 721


def test_the_path_is_the_predicted_one_where_the_prediction_holds(trace, played):
    """The table's model knows no give of walls, no overlap and no grazed corner; pictures contradict it."""
    poses = poses_of(trace, None)
    compared = [turn for turn in played.turns if turn.recorded.turn in poses and turn.recorded.turn <= 35]
    assert len(compared) == 33
    for turn in compared:
        pose = poses[turn.recorded.turn]
        # These turns end pressed against a wall, where the pictures put the agent some 9 cm from the
        # prediction; in PhysX 4.1 turn 20 ends 10.2 cm from it, as the agent parts from the wall.
        tolerance = 0.105 if turn.recorded.turn in (20, 22) else 0.06
        assert pose.distance(turn.position[0], turn.position[2]) < tolerance, turn.recorded
        assert turn.yaw == pytest.approx(pose.heading)
        # The model of the poses ignores that balls hinder, so speeds are those before the first is pushed.
        if turn.recorded.turn < 18:
            assert turn.speed == pytest.approx(pose.speed, abs=0.05)


def test_pictures_show_the_same(trace, played):
    shares = {pair.match.name: pair.match.same for pair in compare_pictures(trace, played)}
    assert len(shares) == 44
    assert min(shares.values()) > 0.965


def test_the_last_ball_is_reached_in_the_recorded_tick(played):
    last = [event for turn in played.turns for event in turn.events if event.kind is EventKind.GOOD_GOAL][-1]
    assert (last.name, last.tick) == ("GoodGoal", TUTORIAL_ENDING.tick)
    assert played.ticks == TUTORIAL_ENDING.tick
    assert played.total_reward == pytest.approx(TUTORIAL_ENDING.total_reward, abs=0.0005)


def test_the_last_block_is_thrown_ahead_and_lands_flat_as_in_the_pictures(played):
    """After turn 38 it is in the air, leaning back; it stands flat before the back wall from turn 40 on."""
    scene = played.scenes[Instant(38, 15)]
    block = [index for index, thing in enumerate(scene.things) if thing.kind == "HeavyBlock"][3]
    # From the corners of its face in the picture, with the agent at z = 20.16 by the planks of the fence.
    assert scene.agent_position[2] == pytest.approx(20.16, abs=0.05)
    assert scene.positions[block][[0, 2]] == pytest.approx([38.99, 22.77], abs=0.2)
    assert scene.positions[block][1] > 1.4
    for instant in (Instant(40, 15), Instant(41, 5)):
        assert played.scenes[instant].rotations[block][1, 1] == pytest.approx(1, abs=1e-3)
        assert played.scenes[instant].positions[block][1] == pytest.approx(0.989, abs=0.01)


def test_the_last_ball_is_as_large_as_in_the_pictures(trace, played):
    green = CLASSES.index("green ball")
    last = {pair.match.name: pair for pair in compare_pictures(trace, played)}

    def diameter(frame):
        """In pixels, by area: a shadow's edge does not count as height."""
        return math.sqrt(4 / math.pi * (classify(frame) == green).sum())

    for name in ("obs-40.15", "obs-41.5"):
        assert diameter(last[name].ours) == pytest.approx(diameter(last[name].recorded), abs=2)
