"""What acts by itself: changing balls, spawners, doors, buttons, data zones and operations."""

import numpy as np
import pytest

from arena import FORWARD, IDLE, ArenaSpec, Episode, EventKind, LayoutError, Outcome
from arena.action import TICKS_PER_STEP
from arena.taskfile.config import Item, ToggleObject, Vector3
from tests.arena.worlds import agent, episode, item, play, spec

FAR = agent("5 0 5")


def value(run, index=0):
    """What touching a ball would bring now."""
    return run._stage.goals.value(index)


def sizes(run):
    return run.scene().sizes[:, 1]


# Changing balls.


@pytest.mark.parametrize(
    ("name", "start", "after", "size"),
    [
        ("DecayGoal", 2.5, 2.5 - 0.005 * 30, 2.5),
        ("AntiDecayGoal", 0.5, 0.5 + 0.005 * 30, 2.5),
        # By its new name a ripening goal gets the falling pair of values.
        ("RipenGoal", 2.5, 2.5 - 0.005 * 30, 0.5),
    ],
)
def test_a_balls_worth_changes_by_0_005_a_tick(name, start, after, size):
    run = episode(FAR, item(name, "20 0 20"))
    assert value(run) == start
    play(run, steps=30 // TICKS_PER_STEP)
    assert value(run) == pytest.approx(after, abs=0.006)
    assert sizes(run)[0] == size


@pytest.mark.parametrize("name", ["DecayGoal", "RipenGoal", "AntiDecayGoal"])
@pytest.mark.parametrize(("final", "after"), [(0.5, 2 - 0.005 * 29), (3, 2)])
def test_in_version_4_worths_only_fall_and_balls_are_as_large_as_at_first(name, final, after):
    more = f"initialValues: [2], finalValues: [{final}]"
    run = episode(FAR, item(name, "20 0 20", more=more), version="4")
    play(run, steps=10)
    assert value(run) == pytest.approx(after)
    assert sizes(run)[0] == pytest.approx(1.998)


@pytest.mark.parametrize(
    ("name", "first", "later"),
    [
        ("DecayGoal", 2.997 / 2 + 0.01, 2.4975 / 2 - 0.01),
        ("RipenGoal", 0.01, 2.4975 / 2 - 0.01),
        ("ShrinkGoal", 0.01, 2.2 / 2 - 0.01),
        ("GrowGoal", 0.01, 0.61 / 2 - 0.01),
    ],
)
def test_in_version_4_balls_are_placed_before_they_have_their_size(name, first, later):
    run = episode(FAR, item(name, "20 0 20"), version="4")
    assert run.scene().positions[0, 1] == pytest.approx(first)
    play(run)
    rises = min(first + 0.4, sizes(run)[0] / 2 - 0.01)
    assert run.scene().positions[0, 1] == pytest.approx(rises if first < 1 else first, abs=0.03)
    play(run, steps=12)
    assert run.scene().positions[0, 1] == pytest.approx(later, abs=0.05)


@pytest.mark.parametrize(("version", "ticks"), [("3.1.3", 3), ("4", 2)])
def test_a_bounce_ball_starts_a_tick_later_in_version_4(version, ticks):
    run = episode(FAR, item("GoodGoalBounce", "20 0 20", rotations="90", sizes="1 1 1"), version=version)
    play(run)
    assert run.scene().positions[0, 0] == pytest.approx(20 + 0.2 * ticks, abs=0.01)


def test_delay_rate_and_final_value_are_taken_from_the_file():
    more = "delays: [30], initialValues: [1], finalValues: [0.9], changeRates: [-0.01]"
    run = episode(FAR, item("DecayGoal", "20 0 20", more=more))
    play(run, steps=10)
    assert value(run) == 1
    play(run, steps=2)
    assert 0.9 < value(run) < 1
    play(run, steps=10)
    assert value(run) == pytest.approx(0.9)


def test_eating_a_decayed_ball_brings_what_is_left():
    more = "initialValues: [2], finalValues: [1], changeRates: [0.01]"
    run = episode(agent("20 0 5"), item("DecayGoal", "20 0 12", more=more), t=0)
    (event,) = play(run, FORWARD, 40)
    assert (event.kind, run.outcome) == (EventKind.GOOD_GOAL, Outcome.GOAL)
    assert event.reward == pytest.approx(2 - 0.01 * (event.tick - 1), abs=0.011)
    assert run.total_reward == pytest.approx(event.reward)


@pytest.mark.parametrize(("name", "first", "last"), [("GrowGoal", 0.5, 2.5), ("ShrinkGoal", 2.5, 0.5)])
def test_balls_grow_and_shrink_on_the_ground(name, first, last):
    run = episode(FAR, item(name, "20 0 20"))
    assert sizes(run)[0] == first
    play(run, steps=200)
    assert sizes(run)[0] == pytest.approx(0.999 * last, abs=0.01)
    assert run.scene().positions[0, 1] == pytest.approx(sizes(run)[0] / 2 - 0.01, abs=0.02)
    assert value(run) == sizes(run)[0]


def test_a_ball_does_not_grow_into_a_wall():
    wall = item("Wall", "20 0 21", rotations="0", sizes="8 3 1", colors="0 0 0")
    run = episode(FAR, item("GrowGoal", "20 0 20.1"), wall)
    play(run, steps=200)
    assert sizes(run)[0] < 1.2


@pytest.mark.parametrize(("version", "ends"), [("3.1.3", False), ("4", True)])
def test_a_changing_ball_ends_the_episode_in_version_4_only(version, ends):
    run = episode(agent("20 0 5"), item("DecayGoal", "20 0 8", "30 0 30"), version=version)
    play(run, FORWARD, 12)
    assert run.done is ends


# Spawners.


def test_a_tree_drops_ripe_fruit():
    more = (
        "ripenTimes: [1], timesBetweenSpawns: [2], spawnCounts: [2], initialValues: [0.3], finalValues: [0.8]"
    )
    run = episode(FAR, item("SpawnerTree", "20 0 20", more=more), t=0)
    play(run, steps=33)
    assert len(run.scene().things) == 1
    play(run, steps=8)
    seen = run.scene()
    assert seen.things[1].kind == "GoodGoalMulti"
    hanging = seen.positions[1]
    assert hanging[1] > 2
    assert np.hypot(hanging[0] - 20, hanging[2] - 20) > 1
    play(run, steps=200)
    assert len(run.scene().things) == 3
    assert sizes(run)[1:] == pytest.approx([0.8 * 0.999] * 2)
    assert (run.scene().positions[1:, 1] < 0.5).all()
    assert run._stage.goals.number == 2


def test_fruit_grows_in_the_same_places_in_every_episode():
    def places(seed):
        run = episode(FAR, item("SpawnerTree", "20 0 20", rotations="0"), seed=seed, t=0)
        play(run, steps=40)
        return run.scene().positions[1:].tolist()

    assert places(0) == places(1) != []


@pytest.mark.parametrize(("name", "most"), [("SpawnerDispenserTall", -1), ("SpawnerContainerShort", 1)])
def test_a_house_fills_with_balls_and_its_door_opens(name, most):
    run = episode(FAR, item(name, "20 0 20", rotations="0", more=f"spawnCounts: [{most}]"), t=0)
    assert sizes(run)[1] == 1.15
    play(run, steps=int((1.5 + 2.5) / 0.06))
    assert sizes(run)[1] < 0.01
    balls = [index for index, thing in enumerate(run.scene().things) if thing.kind == "GoodGoalMulti"]
    assert len(balls) >= 1
    assert (most < 0) or len(balls) == most
    inside = run.scene().positions[balls[0]]
    assert abs(inside[0] - 20) < 0.8
    assert abs(inside[2] - 20) < 0.8


def test_a_ball_can_be_fetched_out_of_a_container():
    # Its doorway is on its -x side, where the agent comes from.
    more = "spawnCounts: [1], finalValues: [0.5]"
    box = item("SpawnerContainerShort", "20 0 20", rotations="0", more=more)
    run = episode(agent("16 0 20", yaw=90), box, t=0)
    play(run, steps=60)
    assert [event.name for event in play(run, FORWARD, 60)] == ["GoodGoalMulti"]
    assert run.outcome is Outcome.GOAL


def test_a_door_closes_again_where_the_file_says_so():
    run = episode(FAR, item("SpawnerDispenser", "20 0 20", more="timesBetweenDoorOpens: [2]"), t=0)
    heights = []
    for _ in range(150):
        run.step(IDLE)
        heights.append(sizes(run)[1])
    assert min(heights) < 0.01
    assert max(heights[int(np.argmin(heights)) :]) == pytest.approx(1.15)


# Buttons, data zones and operations.


def pressed(*more, version="4", **options):
    """An agent that drives into a button's front; the button faces -z at rotation 90."""
    quick = "moveDurations: [0.1], resetDurations: [0.1]"
    button = item("SpawnerButton", "20 0 12", rotations="90", more=", ".join((quick, *more)))
    run = episode(agent("20 0 8"), button, version=version, **options)
    return run, play(run, FORWARD, 40)


def test_a_button_is_pressed_once_by_running_against_it():
    _, events = pressed("operations: [!grantReward {reward: 0.25}]", t=0)
    assert [event.kind for event in events] == [EventKind.BUTTON, EventKind.GRANT]
    assert events[1].tick - events[0].tick == 5
    assert events[1].reward == 0.25


@pytest.mark.parametrize(("x", "events"), [(19.2, [EventKind.BUTTON]), (20.7, [])])
def test_a_button_of_version_4_stands_beside_its_place(x, events):
    run = episode(agent(f"{x} 0 8"), item("SpawnerButton", "20 0 12", rotations="90"), version="4", t=0)
    assert [event.kind for event in play(run, FORWARD, 40)] == events
    assert (run.position[2] > 20) is not bool(events)


def test_a_button_is_pressed_by_touching_the_area_before_its_plate():
    button = item("SpawnerButton", "20 0 12", rotations="90", more="moveDurations: [0.02]")
    start = agent("19.8 0 11.11")  # its front is 0.374 from the place, an agent 0.5
    assert not play(episode(start, button, version="4", t=0), IDLE, 2)
    assert play(episode(agent("19.8 0 11.14"), button, version="4", t=0), IDLE, 2)


def test_operations_reward_and_end_the_episode():
    run, _ = pressed("operations: [!grantReward {reward: 0.5}, !endEpisode {reward: 2}]", t=0)
    assert run.outcome is Outcome.OPERATION
    assert run.total_reward == pytest.approx(2.5)


@pytest.mark.parametrize(
    ("options", "visible"), [("true", False), ("false", True), ("true, spawnAndForget: true", True)]
)
def test_an_object_is_toggled(options, visible):
    shown = "!Item {name: GoodGoalMulti, positions: [!Vector3 {x: 30, y: 0, z: 30}]}"
    toggle = f"!toggleObject {{objectInitiallyPresent: {options}, spawnable: {shown}}}"
    run, _ = pressed(f"operations: [{toggle}]", t=0)
    assert [thing.kind for thing in run.scene().things] == ["SpawnerButton", "GoodGoalMulti"]
    assert run.scene().visible[1] == visible


def before_zone(more, t=250):
    """An episode of version 4 whose agent reaches a data zone by driving ahead."""
    zone = item("DataZone", "20 0 12", rotations="0", sizes="6 1 4", more=more)
    return episode(agent("20 0 6"), zone, version="4", t=t)


def test_a_zone_acts_in_the_tick_of_its_entry():
    run = before_zone("triggerZoneID: [D1], operations: [!endEpisode {reward: -0.5}]")
    entry, grant = play(run, FORWARD, 60)
    assert (entry.kind, entry.name, entry.zone) == (EventKind.ZONE_ENTRY, "DataZone", "D1")
    assert (grant.tick, run.ticks, run.outcome) == (entry.tick, entry.tick, Outcome.OPERATION)
    assert run.total_reward == pytest.approx(-0.5 - entry.tick / 1250, abs=1e-5)


def test_a_frozen_agent_stands_still_while_time_goes_on():
    run = before_zone("operations: [!freezeAgent {freezeSteps: 31}]")
    while not any(event.kind is EventKind.ZONE_ENTRY for event in play(run, FORWARD)):
        assert not run.done
    stopped_at, health = run.position, run.health
    play(run, FORWARD, 9)
    assert run.speed == 0
    assert run.position == pytest.approx(stopped_at, abs=1e-3)
    assert run.health == pytest.approx(health - 9 * 0.24, abs=1e-3)
    assert not play(run, FORWARD, 2)
    assert run.speed > 1


def test_frozen_at_the_start_time_waits():
    start = item("Agent", "20 0 5", rotations="0", more="frozenAgentDelays: [0.6]")
    for version in ("3.1.3", "4"):
        run = episode(start, version=version, t=250)
        play(run, FORWARD, 10)
        assert (run.health, run.position[2]) == (100, 5)
        play(run, FORWARD, 10)
        assert run.health < 100
        assert run.position[2] > 6


def test_limited_drawn_and_continuous_operations_of_a_button():
    grant = "!grantReward {reward: 1}"
    limited = f"!limitedInvocationsOperation {{maxInvocations: 0, operation: {grant}}}"
    drawn = f"!operationFromList {{operations: [{grant}, !noneOperation {{}}], operationWeights: [0, 1]}}"
    of_zones = "!grantContinuousReward {rewardPerStep: 1}"
    for operation in (limited, drawn, "!noneOperation {}", of_zones):
        run, events = pressed(f"operations: [{operation}]", t=0)
        assert [event.kind for event in events] == [EventKind.BUTTON]
        assert run.total_reward == 0
    endless = limited.replace(": 0,", f": {2**63},")
    assert pressed(f"operations: [{endless}]", t=0)[0].total_reward == 1


@pytest.mark.parametrize("version", ["3.1.3", "4"])
def test_an_older_button_lets_its_reward_appear(version):
    reward = "rewardNames: [GoodGoalMulti], rewardWeights: [1], rewardSpawnPos: !Vector3 {x: 30, y: 0, z: 30}"
    run, _ = pressed(reward, version=version, t=0)
    assert [thing.kind for thing in run.scene().things[1:]] == ["GoodGoalMulti"]
    assert run.scene().positions[1, [0, 2]] == pytest.approx([30, 30], abs=0.01)


def test_a_data_zone_tells_of_entry_and_exit_and_rewards_every_tick():
    run = before_zone(
        "zoneVisibility: false, operations: [!grantContinuousReward {rewardPerStep: 0.01}]", t=0
    )
    events = play(run, FORWARD, 30)
    kinds = [event.kind for event in events if event.kind is not EventKind.GRANT]
    assert kinds == [EventKind.ZONE_ENTRY, EventKind.ZONE_EXIT]
    granted = [event for event in events if event.kind is EventKind.GRANT]
    assert run.total_reward == pytest.approx(0.01 * len(granted), abs=1e-5)
    entry, left = (event.tick for event in events if event.kind is not EventKind.GRANT)
    assert [event.tick for event in granted] == [entry, *range(entry, left)]
    assert not run.scene().visible[0]


# Versions and merged arenas.


def test_an_operation_that_spawns_what_the_version_has_not_is_refused_with_the_task():
    decoy = Item(name="DecoyGoal", positions=(Vector3(x=20, z=20),))
    toggle = ToggleObject(type="toggleObject", spawnable=decoy, initially_present=True)
    button = Item(name="SpawnerButton", positions=(Vector3(x=10, z=10),), operations=(toggle,))
    start = Item(name="Agent", positions=(Vector3(x=5, z=5),))
    with pytest.raises(LayoutError, match=r"^made: unknown object 'DecoyGoal' in version 3.1.3$"):
        Episode(ArenaSpec(items=(start, button)), task_id="made")


@pytest.mark.parametrize(("version", "mass"), [("3.1.3", 2.0), ("4", 420.0)])
def test_blocks_have_the_mass_of_their_version(version, mass):
    block = item("HeavyBlock", "20 0 8", rotations="0", sizes="2 2 2")
    run = episode(agent("20 0 5"), block, version=version)
    assert run.layout.things[0].kind.mass == mass
    play(run, FORWARD, 12)
    assert (run.position[2] > 10) is (mass < 100)


def test_an_agent_on_the_edge_is_moved_in_version_4():
    assert episode(agent("0 0 20")).position[0] == 0
    assert episode(agent("0 0 20"), version="4").position == pytest.approx((1, 0.51, 1))


def test_a_bad_multi_goal_is_eaten_and_a_decoy_ends():
    run = episode(agent("20 0 5"), item("BadGoalMulti", "20 0 8", sizes="1 1 1"), version="4", t=0)
    assert [event.kind for event in play(run, FORWARD, 12)] == [EventKind.BAD_GOAL]
    assert (run.done, run.total_reward) == (False, pytest.approx(-0.999))
    run = episode(agent("20 0 5"), item("DecoyGoal", "20 0 8", sizes="1 1 1"), version="4", t=0)
    play(run, FORWARD, 12)
    assert (run.outcome, run.total_reward) == (Outcome.DECOY, 0)


def test_a_success_leads_into_the_merged_arena():
    goal = item("GoodGoal", "20 0 8", sizes="1 1 1")
    then = spec(agent("5 0 5"), item("GoodGoal", "5 0 8", sizes="2 2 2"), version="4", t=0)
    run = merged(goal, t=0, then=then, steps=30)
    assert run.outcome is Outcome.GOAL
    assert run.total_reward == pytest.approx(0.999 + 1.998)
    assert run.position[0] == pytest.approx(5)


def merged(*items, steps=12, then=None, **options):
    """An episode of two arenas, some steps forwards; the agent of the second stands at x = 5."""
    then = then or spec(agent("5 0 5"), version="4", t=0)
    first = spec(agent("20 0 5"), *items, version="4", **options).model_copy(update={"then": then})
    run = Episode(first, task_id="test")
    play(run, FORWARD, steps)
    return run


@pytest.mark.parametrize(("size", "outcome"), [(1, Outcome.BAD_GOAL), (0.5, None)])
def test_an_end_with_health_left_leads_there_too(size, outcome):
    bad = item("BadGoal", "20 0 8", sizes=f"{size} {size} {size}")
    run = merged(bad, steps=14)
    assert run.outcome is outcome
    assert (run.position[0] < 6) is (outcome is None)
    run = merged(item("DecoyGoal", "20 0 8", sizes="1 1 1"))
    assert (run.outcome, run.merged) == (None, 1)
    run = merged(bad, steps=14, pass_mark=0.1)
    assert (run.outcome, run.merged) == (Outcome.BAD_GOAL, 0)


def test_a_merged_arena_keeps_the_clock_and_the_count_of_balls():
    goal = item("GoodGoal", "20 0 8", sizes="1 1 1")
    multis = [item("GoodGoalMulti", f"{x} 0 8", sizes="1 1 1") for x in (5, 30)]
    run = merged(goal, t=100, then=spec(agent("5 0 5"), *multis, version="4", t=500), steps=30)
    assert (run.outcome, run.merged) == (Outcome.GOAL, 1)
    assert run.total_reward == pytest.approx(2 * 0.999 - run.ticks / 500, abs=1e-5)
