"""The benchmark of learning environments. How fast anything is, no test says."""

import json
import mmap
import os
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from arena import EvaluationError, load_text
from benchmarks.peers.rounds import Rounds
from benchmarks.profile_tasks import TASK_NAMES, print_task_profiles, profile_tasks, task_profile_dicts
from benchmarks.result import Figure
from benchmarks.rl.beside import beside_rows
from benchmarks.rl.effort import QUICK_RL
from benchmarks.rl.measure import RlFigures, RlPlan, measure_rl, rl_advances
from benchmarks.rl.memory import SAMPLES, can_measure, growth, resident_mb, streamed
from benchmarks.rl.report import TITLES, figure_dicts, print_rl
from benchmarks.rl.setups import (
    CAMERA,
    HELD,
    RAYS,
    SETUPS,
    VECTOR,
    Playlist,
    held_actions,
    seconds_of_steps,
)
from benchmarks.rl.steps import growing_scenes, measure_steps
from testbed import CHILDREN, Task, task_named
from tests.benchmarks.command import bench, printed

TINY = Rounds(count=2, slice_s=0.0, warm_up=1)
FEW = replace(
    QUICK_RL,
    tasks=2,
    generated=1,
    steps=2,
    vector_steps=2,
    objects=(10,),
    environments=(1, 2),
    episodes=20,
    drawn_episodes=20,
)

on_linux = pytest.mark.skipif(not can_measure(), reason="the system does not tell the memory in use")


def children():
    return tuple(task_named(name) for name in CHILDREN)


@pytest.fixture(scope="module")
def found():
    """Everything that needs no pictures, a little of each."""
    told, figures = [], RlFigures()
    plan = RlPlan.of(children(), FEW, TINY, 0, False)
    measure_rl(plan, told.append, figures)
    assert len(told) == rl_advances(plan)
    return figures


def test_every_section_is_measured_on_its_subjects(found):
    stored = json.loads(json.dumps(figure_dicts(found.figures)))
    by_section = {title: [each for each in stored if each["section"] == title] for title in TITLES}
    assert sum(map(len, by_section.values())) == len(stored)
    assert [each["name"] for each in by_section["tasks"]] == ["vector", "rays"]
    assert all(each["subjects"] == [CHILDREN[0], CHILDREN[-1]] for each in by_section["tasks"])
    assert len(by_section["scaling"]) == 2
    names = [each["name"] for each in by_section["50 things"]]
    assert names[:2] == ["arena-llm, vector", "bare PyBullet, no sensor"]
    assert names[2:] == ["arena-llm, rays", "bare PyBullet, rays"]
    assert by_section["ArenaVectorEnv"][0]["name"] == "rays, in one process"
    assert [each["name"] for each in by_section["reset"]][:2] == ["tasks, rays", "generated tasks, rays"]
    for each in stored:
        values = np.array(each["values"])
        assert values.shape[1] == len(each["subjects"])
        assert np.isfinite(values).all()
        assert each["section"] == "memory" or values.min() > 0


def test_the_tables_say_what_was_measured_and_what_was_not(found):
    text = printed(print_rl, replace(found, notes=["nobody did not run: not installed"]))
    assert all(title in text for title in TITLES.values())
    assert "nobody did not run: not installed" in text
    assert "Animal-AI itself: no published figure" in text
    assert "…" not in text


def test_percentiles_are_over_subjects_and_the_spread_over_passes():
    values = np.array([[1.0, 2.0, 30.0], [3.0, 4.0, 50.0], [5.0, 6.0, 40.0]])
    figure = Figure("tasks", "rays", "steps/s", ("a", "b", "c"), values)
    assert figure.over_subjects == pytest.approx((4.0, 3.2, 32.8))
    assert figure.over_passes == (4.0, 2.0, 6.0)


def test_pictures_are_measured_too():
    plan = RlPlan.of(children(), FEW, TINY, 0, True)
    figures = measure_steps("tasks", plan.seen(SETUPS), plan.tasks, FEW, 0, lambda doing: None)
    assert [figure.name for figure in figures] == [setup.name for setup in SETUPS]
    assert all(figure.values.min() > 0 for figure in figures)
    sides = [row.side for row in beside_rows(drawing=True)]
    assert sides == [0, 0, 0, 0, 64, 84, 84, 84, 128, 84]


def test_without_pictures_the_rest_is_planned():
    drawn = RlPlan.of(children(), FEW, TINY, 0, True)
    plan = replace(drawn, drawing=False)
    assert [setup.name for setup in plan.seen(SETUPS)] == ["vector", "rays"]
    assert rl_advances(plan) < rl_advances(drawn)


def test_the_sample_is_spread_over_the_levels():
    sample = RlPlan.of(children(), replace(FEW, tasks=20), TINY, 0, True).tasks
    assert [sum(task.level == level for task in sample) for level in range(1, 11)] == [2] * 10
    assert RlPlan.of(children()[:1], FEW, TINY, 0, True).tasks == children()[:1]


def test_actions_are_held_and_the_same_each_time():
    taken = np.array(list(islice(held_actions("a", 3), 400))).reshape(-1, HELD)
    assert (taken == taken[:, :1]).all()
    assert len(np.unique(taken)) == 9
    assert taken.ravel().tolist() == list(islice(held_actions("a", 3), 400))


def test_a_playlist_begins_where_its_seed_says(tmp_path):
    names = ("01-04-03", "02-02-01", "03-09-01")
    tasks = Playlist([task_named(name) for name in names])
    tasks.restart(1)
    played = []
    for _ in range(4):
        with tasks.next() as episode:
            played.append(episode.task_id)
    assert played == [names[1], names[2], names[0], names[1]]


def test_episodes_that_end_are_followed_by_others(tmp_path):
    text = "arenas:\n  0: !Arena\n    t: 6\n    items:\n    - !Item\n      name: Agent\n"
    short = Task("short", 0, tmp_path / "short.yaml", load_text(text).arenas[0], "")
    env = VECTOR.made(Playlist([short]))
    env.reset(seed=0)
    assert seconds_of_steps(env, held_actions("a", 0), 25) > 0
    assert env.unwrapped.episode.trial == 2


def test_scenes_grow_and_balls_roll_where_they_are_said_to():
    resting, rolling = growing_scenes((200,))
    for task, moves in ((resting, False), (rolling, True)):
        assert len(task.spec.items) == 201
        env = VECTOR.made(Playlist([task]))
        env.reset(seed=0)
        before = env.unwrapped.episode.scene().positions
        for _ in range(20):
            env.step(0)
        way = np.linalg.norm(env.unwrapped.episode.scene().positions - before, axis=1)
        env.close()
        balls = np.array(
            [item.name == "GoodGoalMultiBounce" for item in task.spec.items if item.name != "Agent"]
        )
        assert balls.sum() == (50 if moves else 0)
        assert (way[balls] > 0.1).all()
        assert moves or way.max() < 0.05


def test_the_profile_of_tasks_counts_ticks_and_books_every_stage():
    profiles = profile_tasks(children()[:1], TINY, 0)
    stored = json.loads(json.dumps(task_profile_dicts(profiles)))
    # The task needs no Bullet.
    assert set(stored[2]["median"]) == set(TASK_NAMES) - {"rays", TASK_NAMES[0]}
    assert {"rays", "scene: poses for the camera"} <= set(stored[1]["median"])
    for profile in stored:
        assert profile["ticks"] == {CHILDREN[0]: 300}
        assert 0 <= profile["bullet_ticks"][CHILDREN[0]] < 300
        assert all(len(values) == TINY.count for values in profile["microseconds_per_step"].values())
    assert "were done without Bullet" in printed(print_task_profiles, profiles)


def broken():
    yield 1
    raise ValueError("no more")


def killed():
    os._exit(3)
    yield


def test_a_process_that_fails_is_told_in_a_sentence():
    answers = streamed(broken)
    assert next(answers) == 1
    with pytest.raises(EvaluationError, match="measuring memory: ValueError: no more"):
        next(answers)
    with pytest.raises(EvaluationError, match="ended with exit code 3"):
        list(streamed(killed))


@on_linux
def test_memory_that_is_taken_is_seen():
    # Not an array: that may lie where another was before.
    with mmap.mmap(-1, 32_000_000) as block:
        before = resident_mb()
        block.write(b"1" * 32_000_000)
        assert resident_mb() - before == pytest.approx(32, abs=4)


@on_linux
@pytest.mark.parametrize(("setup", "episodes"), [(RAYS, 200), (CAMERA, 60)], ids=["rays", "camera"])
def test_episodes_leave_no_memory_behind(setup, episodes):
    """A world of Bullet is 30 MB, a picture's buffers 0.1 MB."""
    samples = list(growth(setup, episodes, children()[::10], 0))
    assert samples[-1] - samples[SAMPLES // 4] < 3


@pytest.mark.slow
def test_the_command_measures_it_alone_and_quickly(tmp_path):
    path = tmp_path / "rl.json"
    result = bench("--quick", "--only", "rl", "--json", path)
    assert (result.returncode, result.stderr) == (0, "")
    stored = json.loads(path.read_text())
    assert {each["section"] for each in stored["rl"]["figures"]} >= {"tasks", "reset", "scaling"}
    assert (stored["parts"], "profile" in stored) == ([], False)
    assert "…" not in result.stdout
