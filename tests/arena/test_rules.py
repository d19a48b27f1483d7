import pytest

from arena import FORWARD, IDLE, EventKind, Outcome
from arena.rules import lights_on, passed
from tests.arena.worlds import agent, episode, item, play


@pytest.mark.parametrize(("t", "ticks"), [(250, 1250), (500, 2500), (1000, 5001)])
def test_the_clock_runs_out_as_in_single_precision(t, ticks):
    run = episode(agent(), t=t)
    play(run, steps=5000)
    assert (run.ticks, run.outcome, run.health) == (ticks, Outcome.HEALTH, 0)
    assert run.total_reward == pytest.approx(-1, abs=2e-4)


def test_without_a_time_limit_nothing_decays():
    run = episode(agent(), t=0)
    play(run, steps=300)
    assert (run.health, run.total_reward, run.done) == (100, 0, False)


@pytest.mark.parametrize(
    ("kind", "size", "reward", "outcome"),
    [
        ("GoodGoal", 1, 0.999, Outcome.GOAL),
        ("GoodGoal", 3, 2.997, Outcome.GOAL),
        ("GoodGoal", 9, 4.995, Outcome.GOAL),
        ("GoodGoalMulti", 2, 1.998, Outcome.GOAL),
        ("BadGoal", 1, -0.999, Outcome.BAD_GOAL),
        ("BadGoal", 0.5, -0.4995, Outcome.BAD_GOAL),
    ],
)
def test_a_ball_is_worth_its_diameter(kind, size, reward, outcome):
    run = episode(agent("20 0 5"), item(kind, "20 0 12", sizes=f"{size} {size} {size}"))
    (event,) = play(run, FORWARD, 5000)
    assert event.reward == pytest.approx(reward, abs=1e-5)
    assert run.outcome == outcome
    assert run.total_reward == pytest.approx(reward - run.ticks / 1250, abs=1e-4)


def test_health_is_capped_but_the_reward_is_not():
    run = episode(agent(), item("GoodGoalMulti", "20 0 8", "20 0 30", sizes="1 1 1;1 1 1"))
    while not run.step(FORWARD).events:
        pass
    assert run.health == pytest.approx(100, abs=0.2)
    assert run.total_reward > 0.95
    assert not run.done


@pytest.mark.parametrize(("version", "cost"), [("2", 1.0), ("3.1.3", None)])
def test_only_the_account_of_2019_takes_no_more_than_one_for_time(version, cost):
    run = episode(agent(), item("GoodGoalMulti", "20 0 30", "35 0 35", sizes="2 2 2;2 2 2"), version=version)
    while not run.step(FORWARD).events:
        pass
    eaten_at = run.ticks
    play(run, IDLE, steps=1000)
    assert run.outcome is Outcome.HEALTH
    # In v3.1.3 the ball has filled the health up, so the clock starts again.
    assert run.ticks == pytest.approx(1250 + (eaten_at if cost is None else 0), abs=1)
    assert run.total_reward == pytest.approx(1.998 - (cost or 1 + eaten_at / 1250), abs=2e-3)


def test_in_2019_a_hot_zone_costs_reward_and_no_health():
    run = episode(
        agent("20 0 20"), item("HotZone", "20 0 20", sizes="9 1 9", rotations="0"), version="2", t=250
    )
    play(run, IDLE, steps=100)
    assert run.health == pytest.approx(100 - 0.24 * 100, abs=1e-3)
    assert run.total_reward < -1.5
    assert not run.done


def test_the_last_multi_goal_ends_the_episode():
    balls = [f"20 0 {z}" for z in (10, 14, 18)]
    run = episode(agent(), item("GoodGoalMulti", *balls, sizes=";".join(["1 1 1"] * 3)))
    assert [event.thing for event in play(run, FORWARD, 5000)] == [0, 1, 2]
    assert run.outcome == Outcome.GOAL
    assert not run.scene().visible.any()


def test_with_a_single_goal_beside_it_no_multi_goal_ends_the_episode():
    run = episode(
        agent(), item("GoodGoalMulti", "20 0 10", sizes="1 1 1"), item("GoodGoal", "5 0 35", sizes="1 1 1")
    )
    play(run, FORWARD, steps=30)
    assert not run.done
    assert run.scene().visible.tolist() == [False, True]


def test_a_death_zone_costs_one_and_ends():
    run = episode(agent(), item("DeathZone", "20 0 20", sizes="5 1 5", rotations="30"))
    (event,) = play(run, FORWARD, 5000)
    assert (event.kind, event.reward, run.outcome) == (EventKind.DEATH_ZONE, -1, Outcome.DEATH_ZONE)


@pytest.mark.parametrize(("t", "per_step"), [(250, 2.64), (500, 1.32), (1000, 0.66), (0, 0.3)])
def test_a_hot_zone_takes_health_in_every_tick(t, per_step):
    run = episode(agent("20 0 20"), item("HotZone", "20 0 20", sizes="9 1 9", rotations="0"), t=t)
    events = run.step(IDLE).events + run.step(IDLE).events
    before = run.health
    events += run.step(IDLE).events
    assert before - run.health == pytest.approx(per_step, rel=0.01)
    assert [event.kind for event in events] == [EventKind.HOT_ZONE]


def test_hot_zones_add_up():
    one, two = (
        episode(
            agent("20 0 20"),
            item("HotZone", *["20 0 20"] * n, sizes=";".join(["9 1 9"] * n), rotations="0, 0"[: 3 * n - 2]),
        )
        for n in (1, 2)
    )
    one.step(IDLE)
    two.step(IDLE)
    assert 100 - two.health == pytest.approx(0.24 + 2 * (99.76 - one.health), abs=1e-3)


@pytest.mark.parametrize(
    ("blackouts", "dark_steps"),
    [
        ((15, 60), range(25, 100)),
        ((0, 50), range(0, 84)),
        ((5, 10, 15, 20, 25), [*range(9, 17), *range(25, 34), *range(42, 200)]),
        ((-20,), [s for s in range(200) if 3 * s // 100 % 2]),
        ((-20, 7), [s for s in range(200) if 3 * s // 100 % 2]),
        ((), []),
    ],
)
def test_lights_follow_the_list(blackouts, dark_steps):
    assert [step for step in range(200) if not lights_on(blackouts, 3 * step)] == list(dark_steps)


def test_an_episode_knows_its_lights():
    run = episode(agent(), blackouts="1, 2")
    seen = []
    for _ in range(5):
        seen.append(run.lights_on)
        run.step(IDLE)
    assert seen == [True, True, False, False, True]
    assert run.scene().lights_on


@pytest.mark.parametrize(
    ("total", "mark", "verdict"), [(0.0, 0.0, True), (-0.001, 0, False), (5, None, None)]
)
def test_the_pass_rule(total, mark, verdict):
    assert passed(total, mark) is verdict
