"""Contenders on one scene, and environments over tasks, a little of each."""

from ctypes.util import find_library
from dataclasses import replace
from importlib.util import find_spec
from itertools import islice

import numpy as np
import psutil
import pytest

from arena import load, load_text
from benchmarks.figures import QUICK, Figures
from benchmarks.learning import (
    CAMERA,
    HELD,
    RAYS,
    SETUPS,
    VECTOR,
    Learning,
    Playlist,
    random_actions,
    sample,
    scene,
    seconds_of_steps,
    select_tasks,
)
from benchmarks.peers import CONTENDERS, Work, batch_contender, compare
from benchmarks.peers.bullet_peer import TinyWorld
from benchmarks.peers.scenery import HIDDEN, SCENE_FILE, Subject, scene_subject, solids_of
from render import Renderer
from testbed import CHILDREN, Task, task_named

TINY = QUICK._replace(
    **{"rounds": 2, "slice_s": 0.0, "tasks": 2, "generated": 1, "steps": 2, "vector_steps": 2},
    **{"objects": (10,)},
)
SHIPPED = [c for c in CONTENDERS if not c.install.startswith("pip")]
OURS = CONTENDERS[0]


def compared(*contenders):
    figures = Figures()
    compare(contenders, TINY, 0, figures)
    return figures


@pytest.fixture(scope="module")
def peers():
    """Everything that needs no other package, and one that is not installed."""
    nobody = replace(CONTENDERS[2], name="nobody", module="no_such_program", install="pip install nothing")
    return compared(*SHIPPED, nobody)


@pytest.mark.e2e
@pytest.mark.slow
def test_every_contender_is_measured_or_a_note_says_why_not(peers):
    rows = {(c.name, work, side) for c in SHIPPED for work in c.does for side in work.sides}
    frame = peers.frame
    assert len(frame) == TINY.rounds * len(rows)
    assert (frame["value"] > 0).all()
    assert list(frame["section"].unique()) == list(Work)
    assert list(frame["name"].unique()[:3]) == [OURS.name, "TinyRenderer", "TinyRenderer, shadows"]
    missing = "nobody is missing (frames/s): no_such_program is not installed; pip install nothing"
    assert missing in peers.notes
    assert any(note.startswith("arena-llm ran with pictures ") for note in peers.notes)


@pytest.mark.e2e
@pytest.mark.parametrize("name", ["MiniWorld", "MiniWorld FourRooms"])
def test_an_optional_peer_is_measured_or_says_what_to_install(name):
    found = compared(*(c for c in CONTENDERS if c.name == name))
    if find_spec(name.partition(" ")[0].lower()) is None:
        assert found.notes
        assert all(note.endswith("pip install 'arena-llm[bench]'") for note in found.notes)
    elif found.frame.empty:
        assert (find_library("EGL") is None) == bool(found.notes), found.notes
    else:
        assert set(found.frame["round"]) == {1, 2}


@pytest.mark.e2e
def test_a_batch_is_measured():
    assert (compared(batch_contender(3)).frame["value"] > 0).all()


@pytest.mark.e2e
def test_a_peer_that_dies_leaves_the_others(tmp_path, monkeypatch):
    deadly = replace(CONTENDERS[3], name="deadly", module="deadly")
    (tmp_path / "deadly.py").write_text("import os\nabout = os.abort\n")
    monkeypatch.setattr(
        "benchmarks.peers.__path__", [*__import__("benchmarks.peers").peers.__path__, str(tmp_path)]
    )
    found = compared(replace(OURS, does={Work.BARE: ""}), deadly)
    assert set(found.frame["name"]) == {OURS.name}
    assert any(note.startswith("deadly is missing (frames/s)") for note in found.notes)


def test_the_scene_has_fifty_things_and_nothing_to_complain_of():
    things = scene_subject(0).episode.scene().things
    assert len(things) == 50
    assert len({thing.kind for thing in things}) >= 15
    assert not load(SCENE_FILE).warnings


def test_only_what_moved_is_brought_over(monkeypatch):
    scene = scene_subject(0).episode.scene()
    solids, world, brought = solids_of(scene), TinyWorld(scene), []

    def bring(body, centre, *_, **options):
        brought.append((solids[body].instance, centre[2] == HIDDEN))

    monkeypatch.setattr("pybullet.resetBasePositionAndOrientation", bring)
    moved = replace(scene, positions=scene.positions + np.eye(50)[:, 7:8])
    gone = replace(moved, visible=np.arange(50) != 3)
    for now, expected in ((scene, set()), (moved, {(7, False)}), (gone, {(3, True)})):
        world.picture(now, 4, shadows=False)
        assert set(brought) == expected
        brought.clear()


def test_others_see_the_same_things_at_the_same_places():
    """The red ball right in front of the agent covers the same pixels in both pictures."""
    subject = scene_subject(0)
    for _ in range(60):
        subject.step()
    scene = subject.episode.scene()
    ours = Renderer(256, 256).frame(scene).astype(int)
    theirs = TinyWorld(scene).picture(scene, 256, shadows=False).astype(int)
    # Ours is flat, so that the zones' deeper red does not count; theirs is shaded.
    red = [(abs(ours - (207, 89, 89)) < 5).all(axis=2), theirs[..., 0] > 1.9 * theirs[..., 1:].max(axis=2)]
    assert red[0].sum() > 500
    assert (red[0] & red[1]).sum() > 0.85 * (red[0] | red[1]).sum()


def test_random_actions_are_held_and_the_same_each_time():
    taken = np.array(list(islice(random_actions("a", 3, HELD), 400))).reshape(-1, HELD)
    assert (taken == taken[:, :1]).all()
    assert len(np.unique(taken)) == 9
    assert taken.ravel().tolist() == list(islice(random_actions("a", 3, HELD), 400))
    assert taken[:, 0].tolist() == list(islice(random_actions("a", 3), 100))
    assert taken[:, 0].tolist() != list(islice(random_actions("a", 4), 100))


@pytest.fixture
def short(tmp_path):
    text = "arenas:\n  0: !Arena\n    t: 6\n    items:\n    - !Item\n      name: Agent\n"
    return Task("short", 0, tmp_path / "short.yaml", load_text(text).arenas[0], "")


def test_episodes_that_end_are_followed_by_others(short):
    seen = []
    subject = Subject(short, 0)
    assert subject.timed_between(25, lambda scene: seen.append(scene)) > 0
    assert (subject.episode.trial, subject.episode.steps, len(seen)) == (2, 5, 25)
    env = VECTOR.made(Playlist([short]))
    env.reset(seed=0)
    assert seconds_of_steps(env, random_actions("a", 0), 25) > 0
    assert env.unwrapped.episode.trial == 2


def test_a_playlist_begins_where_its_seed_says():
    names = ("01-04-03", "02-02-01", "03-09-01")
    tasks = Playlist([task_named(name) for name in names])
    tasks.restart(1)
    played = []
    for _ in range(4):
        with tasks.next() as episode:
            played.append(episode.task_id)
    assert played == [names[1], names[2], names[0], names[1]]


def test_tasks_are_those_that_children_did_or_all_of_a_folder(official_testbed):
    children, words = select_tasks(official_testbed)
    assert [sum(task.level == level for task in children) for level in range(1, 11)] == [4] * 10
    assert words.startswith("the 40 children's tasks in ")
    shipped, words = select_tasks(None)
    assert [task.id for task in shipped] == list(CHILDREN)
    assert words == "the 40 children's tasks of the shipped battery"


def test_the_sample_is_spread_over_the_levels():
    children, _ = select_tasks(None)
    assert [sum(task.level == n for task in sample(children, 20)) for n in range(1, 11)] == [2] * 10
    assert sample(children[:1], 20) == children[:1]


@pytest.mark.e2e
def test_every_section_is_measured_on_its_subjects():
    figures, tasks = Figures(), sample(select_tasks(None)[0], TINY.tasks)
    Learning(tasks, TINY, 0, figures).measure()
    frame = figures.frame
    assert (frame["value"] > 0).all()
    by_section = {name: rows for name, rows in frame.groupby("section", sort=False)}
    steps = by_section["environment steps over tasks"]
    assert list(steps["name"].unique()) == [setup.name for setup in SETUPS]
    assert set(steps["subject"]) == {CHILDREN[0], CHILDREN[-1]}
    assert set(by_section["a reset with its observation"]["column"]) == {"tasks", "generated tasks"}
    assert len(by_section["steps by number of things"]) == 4 * TINY.passes
    together = by_section["steps of 8 environments together, resets included"]
    assert set(together["column"]) == {"steps"}


def test_scenes_grow_and_balls_roll_where_they_are_said_to():
    for moves in (False, True):
        task = scene(200, rolling=moves)
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


@pytest.mark.parametrize(("setup", "episodes"), [(RAYS, 200), (CAMERA, 120)], ids=["rays", "camera"])
def test_episodes_leave_no_memory_behind(setup, episodes):
    """A picture's buffers alone are 0.1 MB."""
    env = setup.made(Playlist(select_tasks(None)[0][::10]))
    env.reset(seed=0)
    actions, sizes = random_actions("memory", 0, HELD), []
    for _ in range(episodes):
        env.reset()
        seconds_of_steps(env, actions, 5)
        sizes.append(psutil.Process().memory_info().rss / 1e6)
    assert sizes[-1] - sizes[episodes // 2] < 3
