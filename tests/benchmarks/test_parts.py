"""The benchmark: what it counts and tells. How fast anything is, no test says."""

import json
import signal
import subprocess
import time
from itertools import islice

import numpy as np
import pytest

from arena import load_text
from benchmarks.bare import SIDE_M, BareWorld
from benchmarks.benchmark import select_tasks
from benchmarks.measure import Effort, Subject, random_actions
from benchmarks.parts import PARTS, measure_part
from benchmarks.report import as_dict, print_parts
from benchmarks.result import Pair, Result, Timing
from testbed import CHILDREN, Task, task_named
from tests.benchmarks.command import COMMAND, bench, printed

SMALL = Effort(passes=2, steps=4, builds=1, frames=2, large_frames=1, large_peer=1, observations=2, warm_up=1)


def timings(*seconds):
    return [Pair(Timing(10, s), Timing(20, 2.0)) for s in seconds]


@pytest.fixture
def result():
    """Three tasks in two passes, at 10, 5, 2.5 and then 20, 5, 2.5 a second."""
    passes = [timings(1.0, 2.0, 4.0), timings(0.5, 2.0, 4.0)]
    return Result.of("physics", ["a", "b", "c"], passes, cpu=0.5)


def test_figures_follow_from_the_timings(result):
    assert result.per_task.tolist() == [15, 5, 2.5]
    assert result.median_task == 5
    assert result.total == pytest.approx(((30 / 7 + 30 / 6.5) / 2, 30 / 7, 30 / 6.5))
    assert result.peer_total == (10, 10, 10)
    assert result.ratio == pytest.approx((0.5, 0.375, 1.0))
    assert result.milliseconds == pytest.approx((200, 380))
    assert result.slowest(2) == [("c", 2.5), ("b", 5)]
    assert result.noise == pytest.approx(
        (30 / 6.5 - 30 / 7) / result.total.median,
    )


def test_the_report_names_tasks_noise_and_company(result):
    facts = {
        **{"processor": "P", "cores": 2, "usable_cores": 2, "system": "S", "versions": {"python": "3"}},
        **{"selection": "tasks", "seed": 0, "passes": 2, "load_before": 1.5, "load_after": None},
    }
    noisy = Result.of("reset", ["a"], [timings(1.0), timings(2.0)], cpu=1.0)
    text = printed(print_parts, [result, noisy], facts)
    assert "Slowest in physics: c (2.5), b (5.0), a (15.0)" in text
    assert "Noisy, passes differ by: reset (67%)" in text
    assert "Something else used the processor during: physics (0.50)" in text
    assert "busy before (load 1.50 on 2 cores)" in text
    assert json.loads(json.dumps(as_dict([result], facts)))["parts"][0]["rates"] == [
        [10, 5, 2.5],
        [20, 5, 2.5],
    ]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_every_part_measures_us_and_a_peer(part):
    tasks = [task_named("01-01-01"), task_named("02-01-01")]
    told = []
    result = measure_part(part, tasks, SMALL, 0, lambda: told.append(1))
    assert result.tasks == ("01-01-01", "02-01-01")
    assert len(told) == 4
    assert result.ours.shape == result.theirs.shape == (2, 2)
    assert (np.isfinite(result.ours) & (result.ours > 0)).all()
    assert (np.isfinite(result.theirs) & (result.theirs > 0)).all()


def test_the_same_random_actions_each_time():
    first = list(islice(random_actions("01-01-01", 3), 2000))
    assert first == list(islice(random_actions("01-01-01", 3), 2000))
    assert first != list(islice(random_actions("01-01-01", 4), 2000))
    assert set(first) == set(range(9))


def test_an_episode_that_ends_is_followed_by_a_new_one(tmp_path):
    text = "arenas:\n  0: !Arena\n    t: 6\n    items:\n    - !Item\n      name: Agent\n"
    task = Task("short", 0, tmp_path / "short.yaml", load_text(text).arenas[0], "")
    with Subject(task, 0) as subject:
        first = subject.episode
        timing = subject.timed_steps(25)
        assert timing.times == 25
        assert timing.seconds > 0
        assert first.done
        assert (subject.episode.trial, subject.episode.steps) == (2, 5)
        frames = []
        subject.timed_between(7, lambda episode: frames.append(episode.ticks))
        assert len(frames) == 7


def test_the_peer_is_a_world_of_as_many_boxes():
    with Subject(task_named("02-01-01"), 0) as subject, subject.bare() as bare:
        things = subject.episode.scene().things
        assert bare.boxes == len(things) > 0


def test_the_peer_moves_draws_and_sees():
    with BareWorld(0, 0) as world:
        hit = world.rays((0.0,), 200.0)[0]
        assert hit[3][0] == pytest.approx(SIDE_M, abs=0.01)
        before = world.ball_position
        for _ in range(5):
            world.step(3)
        assert world.ball_position[0] > before[0] + 1
        picture = world.picture(84)
    assert picture.shape == (84, 84, 3)
    assert len(np.unique(picture)) > 2


def test_no_peer_s_box_touches_another():
    """Overlapping boxes would be thrown apart, and the ball with them."""
    with BareWorld(400, 400) as world:
        before = world.ball_position
        for _ in range(10):
            world.step(0)
        assert world.ball_position == pytest.approx(before, abs=0.02)


def test_tasks_are_those_that_children_did_or_all_of_a_folder(official_testbed):
    children = select_tasks(official_testbed)
    assert len(children.tasks) == 40
    assert [sum(task.level == level for task in children.tasks) for level in range(1, 11)] == [4] * 10
    assert children.words.startswith("the 40 children's tasks")


def test_without_a_folder_the_shipped_battery_is_measured():
    children = tuple(task_named(name) for name in CHILDREN)
    assert select_tasks(None).tasks == children
    some = select_tasks(None, every=10)
    assert some.tasks == children[::10]
    assert some.words == "4 of the 40 children's tasks of the shipped battery"


def test_the_command_prints_a_table_and_stores_every_rate(tmp_path):
    path = tmp_path / "new" / "bench.json"
    result = bench("--quick", "--only", "reset", "--only", "rays", "--json", path)
    assert (result.returncode, result.stderr) == (0, "")
    assert "Slowest in reset" in result.stdout
    assert "…" not in result.stdout
    stored = json.loads(path.read_text())
    assert [part["name"] for part in stored["parts"]] == ["reset", "rays"]
    part = stored["parts"][0]
    assert np.array(part["rates"]).shape == (stored["facts"]["passes"], len(part["tasks"]))
    assert stored["facts"]["versions"]["numpy"] == np.__version__


def test_ctrl_c_keeps_the_parts_so_far_and_says_so(tmp_path):
    path = tmp_path / "bench.json"
    command = [*COMMAND, "--json", str(path)]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 200
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    started.send_signal(signal.SIGINT)
    said, complained = started.communicate(timeout=240)
    assert started.returncode == 130
    assert complained == "Stopped after 0 of 8 parts.\n"
    assert "No measurement was completed." in said
    assert json.loads(path.read_text())["parts"] == []


BAD = [
    (["--testbed", "/nowhere"], 1, "no such folder"),
    (["--json", "/proc/none/b.json"], 1, "/proc/none/b.json: cannot be written"),
    (["--only", "frob"], 2, "'frob' is not one of"),
    (["--seed", "-1"], 2, "Error"),
]


@pytest.mark.parametrize(("arguments", "status", "words"), BAD, ids=[words for *_, words in BAD])
def test_a_mistake_is_told_before_anything_is_measured(arguments, status, words):
    result = bench(*arguments)
    assert result.returncode == status
    assert words in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
