"""Each reason of failure, from an episode made by hand."""

import pytest

from arena import Outcome
from llm_control.choices import ArenaChoices
from llm_control.play import ScriptedEpisode
from report.arena.failures import Case, Failure, Replies, signs
from report.arena.replay import replay
from tests.arena.worlds import agent, episode, item
from tests.cases import cases

CASES = cases(__file__)

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


THINGS = {name: item(*words, **options) for name, (*words, options) in CASES["things"].items()}


@pytest.mark.parametrize("name", CASES["first"])
def test_the_first_sign_is_the_reason(name):
    reason, things, scripts, options = CASES["first"][name]
    start = {"start": SOUTH} if name == "freely, then into a corner" else {}
    found = signs(played(*map(THINGS.get, things), scripts=scripts, **options, **start))
    assert found[0] is Failure[reason]
    if found[0] is Failure.TIMED_OUT:
        assert len(found) == 1
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


@pytest.mark.parametrize("name", CASES["similar"])
def test_what_looks_similar_is_no_such_reason(name):
    reasons, things, scripts = CASES["similar"][name]
    found = signs(played(*map(THINGS.get, things), scripts=scripts))
    assert not {Failure[reason] for reason in reasons} & {*found}
