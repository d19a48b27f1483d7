"""Agents that act at every step."""

import math
from collections import Counter
from itertools import groupby

import numpy as np
import pytest

from arena import ACTIONS, BACKWARD, FORWARD, Episode, Move, Outcome, Recording, Rotate
from arena.rays import CAST_LENGTH, FRACTION, NOTHING_HIT, TAGS
from llm_control.agents import step_agents
from llm_control.agents.step_agents import STEP_AGENTS, Braitenberg, HeldActions, RandomActions
from llm_control.players import StepPlayer
from testbed import Task
from tests.arena.worlds import agent, episode, item, spec
from tests.llm_control.batteries import battery_of, run, setup_of
from tests.llm_control.policies import ACTING


def rng(seed=0):
    return np.random.default_rng(seed)


def play(name, arena, task_id="test", seed=0, trial=0):
    """The recording of a whole episode."""
    task = Task(task_id, 0, None, arena, "")
    setup = setup_of(task, ACTING.model_copy(update={"seed": seed}), trial)
    return Recording.model_validate(StepPlayer(name).play(setup).replay)


def seen(**tags_by_angle):
    """Rays that meet a wall at 20 m, except where given: a1, l6 or r30 = (tag, metres)."""
    vehicle = Braitenberg(rng())
    rows = np.zeros((21, 14), np.float32)
    rows[:, TAGS.index("arena")] = 1
    rows[:, FRACTION] = 20 / CAST_LENGTH
    for place, (tag, metres) in tags_by_angle.items():
        angle = {"l": -1, "r": 1, "a": 0}[place[0]] * float(place[1:] or 0)
        row = rows[[round(a) for a in vehicle._rays.angles].index(angle)]
        row[:] = 0
        row[TAGS.index(tag) if tag else NOTHING_HIT] = 1
        row[FRACTION] = metres / CAST_LENGTH
    return rows


def response(speed=0.0, **tags_by_angle):
    return Braitenberg(rng()).respond(seen(**tags_by_angle), speed)


def test_random_actions_are_all_nine_equally_often():
    walker, run = RandomActions(rng()), episode(agent())
    counts = Counter(walker.act(run) for _ in range(9000))
    assert set(counts) == set(ACTIONS)
    # Five standard deviations of a binomial count.
    assert max(abs(count - 1000) for count in counts.values()) < 5 * math.sqrt(1000 * 8 / 9)


def test_held_actions_last_about_four_and_a_half_steps():
    walker, run = HeldActions(rng()), episode(agent())
    actions = [walker.act(run) for _ in range(20_000)]
    lengths = [len(list(group)) for _, group in groupby(actions)]
    # Cut to whole numbers a length of mean 5 becomes 4.5, and one draw in nine repeats the last.
    assert np.mean(lengths) == pytest.approx(4.5 * 9 / 8, abs=0.15)
    assert set(actions) == set(ACTIONS)


@pytest.mark.parametrize("food", ["goodGoal", "goodGoalMulti"])
def test_it_turns_towards_food_and_drives_when_on_course(food):
    assert response(a=(food, 9)) == FORWARD
    assert response(r12=(food, 9)) == (Move.FORWARD, Rotate.RIGHT)
    assert response(l48=(food, 9)) == (Move.NONE, Rotate.LEFT)
    assert response(r48=(food, 9), l12=(food, 5)) == (Move.FORWARD, Rotate.LEFT)


def test_a_wall_behind_the_food_is_not_feared():
    assert response(a=("goodGoal", 0.4), r6=("Immovable", 0.5)) == FORWARD


@pytest.mark.parametrize("danger", ["badGoal", "DeathZone", "HotZone"])
def test_it_keeps_away_from_dangers(danger):
    assert response(a=(danger, 1.4), r6=(danger, 1.4)) == (Move.NONE, Rotate.LEFT)
    assert response(a=("goodGoal", 9), l18=(danger, 2)).rotate is Rotate.RIGHT


def test_it_brakes_earlier_when_it_is_fast():
    assert response(0.0, a=("goodGoal", 30), r6=("Immovable", 3)).move is Move.FORWARD
    rested, rushing = (response(v, a=("badGoal", 3), r54=("goodGoal", 9)) for v in (0.0, 20.0))
    assert (rested, rushing) == ((Move.NONE, Rotate.RIGHT), (Move.NONE, Rotate.RIGHT))
    vehicle = Braitenberg(rng())
    vehicle._fasting = step_agents.LOOK_STEPS
    assert vehicle.respond(seen(a=("badGoal", 3.0)), 0.0).move is Move.FORWARD
    vehicle._fasting = step_agents.LOOK_STEPS
    assert vehicle.respond(seen(a=("badGoal", 3.0)), 20.0).move is Move.NONE


def test_without_food_it_looks_round_once_and_then_roams():
    vehicle = Braitenberg(rng())
    actions = [vehicle.respond(seen(), 10.0) for _ in range(320)]
    look, roam = step_agents.LOOK_STEPS, step_agents.ROAM_STEPS
    expected = ([Move.NONE] * look + [Move.FORWARD] * roam) * 2
    assert [action.move for action in actions] == expected
    assert {action.rotate for action in actions[:look]} == {Rotate.RIGHT}


def test_driving_without_moving_makes_it_back_off():
    vehicle = Braitenberg(rng())
    rows = seen(a=("goodGoal", 9))
    actions = [vehicle.respond(rows, 0.0) for _ in range(40)]
    first = actions.index(BACKWARD)
    assert actions[:first] == [FORWARD] * (step_agents.STUCK_STEPS + 1)
    assert actions[first : first + step_agents.STUCK_STEPS] == [BACKWARD] * step_agents.STUCK_STEPS
    assert actions[first + step_agents.STUCK_STEPS].rotate is not Rotate.NONE


@pytest.mark.parametrize("seed", range(6))
def test_it_finds_a_ball_in_an_empty_arena(seed):
    arena = spec(item("Agent", "-1 0 -1"), item("GoodGoal", "-1 0 -1", sizes="1 1 1"))
    assert play("braitenberg", arena, seed=seed).outcome is Outcome.GOAL


@pytest.mark.parametrize("kind", ["DeathZone", "BadGoal"])
def test_it_lives_beside_a_danger(kind):
    size = "3 1 3" if kind == "DeathZone" else "3 3 3"
    for seed in range(4):
        arena = spec(agent("20 0 10"), item(kind, "20 0 20", sizes=size, rotations="0"), t=100)
        assert play("braitenberg", arena, seed=seed).outcome is Outcome.HEALTH


@pytest.mark.parametrize("name", STEP_AGENTS)
def test_the_same_seed_plays_the_same_and_replays(name):
    task = spec(agent(), item("GoodGoalMulti", "-1 0 -1", "-1 0 -1", sizes="1 1 1;1 1 1"), t=60)
    first, again, other = (play(name, task, "a", seed=4, trial=trial) for trial in (0, 0, 1))
    assert first == again
    assert first.actions != other.actions
    replayed = Episode(task, task_id="a", seed=4, trial=0)
    for action in first.unpacked():
        replayed.step(action)
    assert replayed.recording() == first


def test_an_arena_without_a_clock_is_stopped(monkeypatch):
    monkeypatch.setattr("llm_control.play.SAFETY_STEPS", 30)
    kept = play("random-steps", spec(agent(), t=0))
    assert (kept.steps, kept.outcome) == (30, Outcome.STOPPED)


battery = battery_of((20, 16), (24, 20), (30, 30), t=100)
LARGE = "x: 40, y: 9, z: 40"


def test_the_number_of_processes_does_not_matter(battery, tmp_path, monkeypatch):
    alone = run(battery, tmp_path / "alone", "arena/held", trials=2, seed=7)
    monkeypatch.setattr("evaluation.evaluate.worthwhile_processes", lambda episodes: 2)
    together = run(battery, tmp_path / "together", "arena/held", trials=2, seed=7)
    assert alone.rows == together.rows
    ids = ("01-04-03", "01-06-02", "01-21-01")
    assert [(row.task_id, row.trial) for row in alone.rows] == [(each, k) for each in ids for k in (0, 1)]
    assert {(row.agent, row.group) for row in alone.rows} == {("arena/held", 1)}
    assert {episode.replay["seed"] for episode in alone.run.episodes()} == {7}
    assert len({row.total_reward for row in alone.rows}) > 1


def test_an_arena_that_cannot_be_built_is_named(battery, tmp_path):
    file = battery / "01-04-03.yaml"
    first, _, ball = file.read_text().split("    - !Item\n")
    wall = ball.replace("GoodGoal", "Wall").replace("z: 16", "z: 20").replace("x: 1, y: 1, z: 1", LARGE)
    file.write_text(f"{first}    - !Item\n{wall}      rotations: [0]\n")
    rows = run(battery, tmp_path / "logs", "arena/random-steps").rows
    assert rows[0].error.startswith("01-04-03: the agent cannot be placed")
    assert [row.error for row in rows[1:]] == [None, None]
