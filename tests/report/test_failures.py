"""Each reason of failure, from an episode made by hand."""

import pytest

from arena import Outcome
from llm_control.choices import ArenaChoices
from llm_control.play import ScriptedEpisode
from report.arena.failures import Case, Failure, Replies, signs
from report.arena.replay import replay
from tests.arena.worlds import agent, episode, item

GOAL_AHEAD = item("GoodGoal", "20 0 25", sizes="1 1 1")
GOAL_BEHIND = item("GoodGoal", "20 0 1", sizes="1 1 1")
ONCE = ArenaChoices(initial_idle_steps=(1,), max_scripts=30)


def played(*items, scripts, t=250, mark="0", refused=0):
    """Play scripts with a picture before each, as a model would, and judge the replay of the recording."""
    run = ScriptedEpisode(
        episode(*items, t=t, pass_mark=mark), None, ONCE.model_copy(update={"max_scripts": len(scripts)})
    )
    run.begin()
    for script in scripts:
        if run.wants_reply:
            run.reply(script)
    turns, _, recording = run.finish()
    spec = run.episode.spec
    trace = replay(spec, recording, ONCE, [turn.steps for turn in turns])
    assert trace.differs_from(recording) is None
    assert [trace.moments[last].position for _, last in trace.turns] == [turn.position for turn in turns]
    replies = Replies(len(turns), sum(turn.error is not None for turn in turns), refused)
    return Case(trace, replies, spec.pass_mark, spec.time_limit)


def test_every_failure_is_defined():
    assert all(failure.definition.endswith(".") for failure in Failure)
    assert len({failure.definition for failure in Failure}) == len(Failure)


def test_a_red_ball():
    case = played(agent(), item("BadGoal", "20 0 12", sizes="1 1 1"), GOAL_AHEAD, scripts=["Go(30);"])
    assert signs(case)[0] is Failure.RED_BALL


def test_a_death_zone():
    case = played(agent(), item("DeathZone", "20 0 14", sizes="6 0.5 3"), GOAL_AHEAD, scripts=["Go(30);"])
    assert signs(case)[0] is Failure.DEATH_ZONE


def test_the_smaller_of_two_goals():
    small, large = item("GoodGoal", "20 0 12", sizes="1 1 1"), item("GoodGoal", "30 0 30", sizes="3 3 3")
    assert signs(played(agent(), small, large, scripts=["Go(30);"], mark="1.5"))[0] is Failure.WRONG_CHOICE


def test_a_goal_that_ends_it_before_the_others_were_eaten():
    ends, more = item("GoodGoal", "20 0 12", sizes="1 1 1"), item("GoodGoalMulti", "30 0 30", sizes="1 1 1")
    assert signs(played(agent(), ends, more, scripts=["Go(30);"], mark="1.5"))[0] is Failure.WRONG_CHOICE


def test_the_right_goal_too_late():
    case = played(agent(), GOAL_AHEAD, scripts=["Turn(-180); Turn(180);", "Go(60);"], mark="0.95")
    assert case.trace.outcome is Outcome.GOAL
    assert signs(case)[0] is Failure.TOO_SLOW


def test_a_hot_zone():
    zone = item("HotZone", "20 0 20", sizes="40 0.5 40")
    case = played(agent(), zone, GOAL_BEHIND, scripts=["Turn(6);"], t=1000)
    assert signs(case)[0] is Failure.HOT_ZONE


def test_a_hot_zone_that_was_only_crossed_is_not_blamed():
    zone = item("HotZone", "20 0 7", sizes="4 0.5 2")
    case = played(agent(), zone, GOAL_BEHIND, scripts=["Go(8); Turn(90);"], t=250)
    early = Failure.HOT_ZONE in signs(case)
    assert early is (case.trace.ticks < 1250)


def test_refusals_and_empty_replies():
    assert signs(played(agent(), GOAL_AHEAD, scripts=["No."] * 4, refused=2))[0] is Failure.REFUSED
    assert signs(played(agent(), GOAL_AHEAD, scripts=["No."] * 4, refused=1))[0] is Failure.SYNTAX


@pytest.mark.parametrize(("valid", "named"), [(1, True), (2, True), (3, False)])
def test_half_of_the_replies_are_no_scripts(valid, named):
    scripts = ["I would go left."] * 2 + ["Turn(6); Turn(-6);"] * valid
    assert (Failure.SYNTAX in signs(played(agent(), GOAL_AHEAD, scripts=scripts))) is named


def test_a_goal_that_is_behind_all_the_time():
    assert signs(played(agent(), GOAL_BEHIND, scripts=["Go(20);", "Go(5);"]))[0] is Failure.NEVER_SAW


def test_a_goal_behind_a_wall():
    wall = item("Wall", "20 0 15", sizes="40 4 1", colors="9 9 9")
    assert signs(played(agent(), wall, GOAL_AHEAD, scripts=["Turn(6);"]))[0] is Failure.NEVER_SAW


def test_a_goal_behind_glass_was_seen():
    glass = item("WallTransparent", "20 0 15", sizes="40 4 1")
    assert Failure.NEVER_SAW not in signs(played(agent(), glass, GOAL_AHEAD, scripts=["Turn(6);"]))


def test_without_a_goal_none_was_overlooked():
    assert signs(played(agent(), scripts=["Go(3);"])) == (Failure.TIMED_OUT,)


def test_driving_into_a_corner_for_ever():
    glass = item("WallTransparent", "20 0 8", sizes="40 4 1")
    case = played(agent(), glass, GOAL_AHEAD, scripts=["Go(40);", "Go(40);"])
    assert signs(case)[0] is Failure.TRAPPED
    assert Failure.BLOCKED in signs(case)


def test_who_comes_freely_and_then_drives_into_a_corner_is_trapped():
    glass, goal = item("WallTransparent", "20 0 8", sizes="40 4 1"), item("GoodGoal", "20 0 3", sizes="1 1 1")
    case = played(agent("20 0 33", 180), glass, goal, scripts=["Go(40);", "Go(40);"])
    assert signs(case)[0] is Failure.TRAPPED


def test_free_driving_is_neither_trapped_nor_blocked():
    found = signs(played(agent(), GOAL_BEHIND, scripts=["Go(15);", "Go(-15);"] * 2))
    assert not {Failure.TRAPPED, Failure.BLOCKED} & set(found)


def test_driving_against_obstacles_in_many_places_is_a_control_error():
    # It slides along glass: blocked in one place for a while, then in another far off.
    glass = item("WallTransparent", "20 0 8", sizes="38 4 1")
    scripts = ["Go(30);", "Go(-2); Turn(90); Go(14); Turn(-90);", "Go(45);"]
    found = signs(
        played(agent("8 0 5"), glass, item("GoodGoal", "20 0 25", sizes="5 5 5"), scripts=scripts, t=1000)
    )
    assert Failure.BLOCKED in found


def test_driving_past_the_goal():
    goal = item("GoodGoal", "22 0 12", sizes="1 1 1")
    assert signs(played(agent(), goal, scripts=["Go(25);"]))[0] is Failure.OVERSHOT


def test_passing_far_from_the_goal_is_not():
    goal = item("GoodGoal", "28 0 12", sizes="1 1 1")
    assert Failure.OVERSHOT not in signs(played(agent(), goal, scripts=["Go(25);"]))


def test_passing_behind_a_wall_is_not():
    goal, wall = item("GoodGoal", "22 0 12", sizes="1 1 1"), item("Wall", "21.2 0 14.5", sizes="0.3 3 11")
    found = signs(played(agent(), goal, wall, scripts=["Go(25);"]))
    assert not {Failure.OVERSHOT, Failure.NEVER_SAW} & set(found)


def test_turning_away_from_the_goal():
    case = played(agent(), GOAL_AHEAD, scripts=["Turn(120);", "Go(5);", "Go(2);"])
    assert signs(case)[0] is Failure.TURNED_AWAY


def test_keeping_it_in_view_and_never_arriving_is_a_time_out():
    case = played(agent(), GOAL_AHEAD, scripts=["Turn(12);", "Turn(-12);"])
    assert signs(case) == (Failure.TIMED_OUT,)
