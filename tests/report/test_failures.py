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
HERE, SOUTH, WEST = agent(), agent("20 0 33", 180), agent("8 0 5")


def played(*things, scripts, t=250, mark="0", refused=0, start=HERE):
    """Play scripts with a picture before each, as a model would, and judge the replay of the recording."""
    choices = ONCE.model_copy(update={"max_scripts": len(scripts)})
    run = ScriptedEpisode(episode(start, *things, t=t, pass_mark=mark), None, choices)
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


ONE = "1 1 1"
SMALL, LARGE = item("GoodGoal", "20 0 12", sizes=ONE), item("GoodGoal", "30 0 30", sizes="3 3 3")
MORE = item("GoodGoalMulti", "30 0 30", sizes=ONE)
RED = item("BadGoal", "20 0 12", sizes=ONE)
DEATH = item("DeathZone", "20 0 14", sizes="6 0.5 3")
HOT = item("HotZone", "20 0 20", sizes="40 0.5 40")
WALL = item("Wall", "20 0 15", sizes="40 4 1", colors="9 9 9")
CORNER = item("WallTransparent", "20 0 8", sizes="40 4 1")
BESIDE, CORNERED = item("GoodGoal", "22 0 12", sizes=ONE), item("GoodGoal", "20 0 3", sizes=ONE)

FIRST = {
    "a red ball": (Failure.RED_BALL, (RED, GOAL_AHEAD), "Go(30);", {}),
    "a death zone": (Failure.DEATH_ZONE, (DEATH, GOAL_AHEAD), "Go(30);", {}),
    "the smaller of two goals": (Failure.WRONG_CHOICE, (SMALL, LARGE), "Go(30);", {"mark": "1.5"}),
    "a goal that ends it before others": (Failure.WRONG_CHOICE, (SMALL, MORE), "Go(30);", {"mark": "1.5"}),
    "a hot zone": (Failure.HOT_ZONE, (HOT, GOAL_BEHIND), "Turn(6);", {"t": 1000}),
    "refusals": (Failure.REFUSED, (GOAL_AHEAD,), "No.|No.|No.|No.", {"refused": 2}),
    "empty replies": (Failure.SYNTAX, (GOAL_AHEAD,), "No.|No.|No.|No.", {"refused": 1}),
    "a goal behind all the time": (Failure.NEVER_SAW, (GOAL_BEHIND,), "Go(20);|Go(5);", {}),
    "a goal behind a wall": (Failure.NEVER_SAW, (WALL, GOAL_AHEAD), "Turn(6);", {}),
    "no goal": (Failure.TIMED_OUT, (), "Go(3);", {}),
    "into a corner for ever": (Failure.TRAPPED, (CORNER, GOAL_AHEAD), "Go(40);|Go(40);", {}),
    "freely, then into a corner": (Failure.TRAPPED, (CORNER, CORNERED), "Go(40);|Go(40);", {"start": SOUTH}),
    "past the goal": (Failure.OVERSHOT, (BESIDE,), "Go(25);", {}),
    "turned away from it": (Failure.TURNED_AWAY, (GOAL_AHEAD,), "Turn(120);|Go(5);|Go(2);", {}),
    "in view, never there": (Failure.TIMED_OUT, (GOAL_AHEAD,), "Turn(12);|Turn(-12);", {}),
}
"""What comes first of the signs of an episode: things, replies and options."""


@pytest.mark.parametrize("name", FIRST)
def test_the_first_sign_is_the_reason(name):
    reason, things, replies, options = FIRST[name]
    found = signs(played(*things, scripts=replies.split("|"), **options))
    assert found[0] is reason
    if reason is Failure.TIMED_OUT:
        assert found == (reason,)
    if name == "into a corner for ever":
        assert Failure.BLOCKED in found


def test_the_right_goal_too_late():
    case = played(GOAL_AHEAD, scripts=["Turn(-180); Turn(180);", "Go(60);"], mark="0.95")
    assert case.trace.outcome is Outcome.GOAL
    assert signs(case)[0] is Failure.TOO_SLOW


def test_a_hot_zone_that_was_only_crossed_is_not_blamed():
    zone = item("HotZone", "20 0 7", sizes="4 0.5 2")
    case = played(zone, GOAL_BEHIND, scripts=["Go(8); Turn(90);"], t=250)
    early = Failure.HOT_ZONE in signs(case)
    assert early is (case.trace.ticks < 1250)


@pytest.mark.parametrize(("valid", "named"), [(1, True), (2, True), (3, False)])
def test_half_of_the_replies_are_no_scripts(valid, named):
    scripts = ["I would go left."] * 2 + ["Turn(6); Turn(-6);"] * valid
    assert (Failure.SYNTAX in signs(played(GOAL_AHEAD, scripts=scripts))) is named


def test_driving_against_obstacles_in_many_places_is_a_control_error():
    # It slides along glass: blocked in one place for a while, then in another far off.
    glass, goal = (
        item("WallTransparent", "20 0 8", sizes="38 4 1"),
        item("GoodGoal", "20 0 25", sizes="5 5 5"),
    )
    scripts = ["Go(30);", "Go(-2); Turn(90); Go(14); Turn(-90);", "Go(45);"]
    assert Failure.BLOCKED in signs(played(glass, goal, scripts=scripts, t=1000, start=WEST))


GLASS = item("WallTransparent", "20 0 15", sizes="40 4 1")
FAR = item("GoodGoal", "28 0 12", sizes=ONE)
NARROW = item("Wall", "21.2 0 14.5", sizes="0.3 3 11")

NOT = {
    "a goal behind glass was seen": ({Failure.NEVER_SAW}, (GLASS, GOAL_AHEAD), ["Turn(6);"]),
    "free driving": ({Failure.TRAPPED, Failure.BLOCKED}, (GOAL_BEHIND,), ["Go(15);", "Go(-15);"] * 2),
    "far from the goal": ({Failure.OVERSHOT}, (FAR,), ["Go(25);"]),
    "behind a wall": ({Failure.OVERSHOT, Failure.NEVER_SAW}, (BESIDE, NARROW), ["Go(25);"]),
}


@pytest.mark.parametrize("name", NOT)
def test_what_looks_similar_is_no_such_reason(name):
    reasons, things, scripts = NOT[name]
    assert not reasons & set(signs(played(*things, scripts=scripts)))
