"""Contenders on one scene, and environments over tasks, a little of each."""

from ctypes.util import find_library
from dataclasses import replace
from importlib.util import find_spec

import psutil
import pytest

from benchmarks.figures import QUICK, Figures
from benchmarks.learning import (
    CAMERA,
    HELD,
    RAYS,
    SETUPS,
    Learning,
    Playlist,
    random_actions,
    sample,
    seconds_of_steps,
)
from benchmarks.peers import CONTENDERS, Work, compare
from benchmarks.peers.bullet_peer import TinyWorld
from benchmarks.peers.scenery import scene_subject
from render import Renderer
from testbed import CHILDREN, task_named

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
    assert list(frame["name"].unique()) == [each.name for each in SHIPPED]
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
def test_a_peer_that_dies_leaves_the_others(tmp_path, monkeypatch):
    deadly = replace(CONTENDERS[3], name="deadly", module="deadly")
    (tmp_path / "deadly.py").write_text("import os\nabout = os.abort\n")
    monkeypatch.setattr(
        "benchmarks.peers.__path__", [*__import__("benchmarks.peers").peers.__path__, str(tmp_path)]
    )
    found = compared(replace(OURS, does={Work.BARE: ""}), deadly)
    assert set(found.frame["name"]) == {OURS.name}
    assert any(note.startswith("deadly is missing (frames/s)") for note in found.notes)


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


@pytest.mark.e2e
def test_every_section_is_measured_on_its_subjects():
    figures, tasks = Figures(), sample([*map(task_named, CHILDREN)], TINY.tasks)
    Learning(tasks, TINY, 0, figures).measure()
    frame = figures.frame
    assert (frame["value"] > 0).all()
    by_section = {name: rows for name, rows in frame.groupby("section", sort=False)}
    steps = by_section["environment steps over tasks"]
    assert list(steps["name"].unique()) == [setup.name for setup in SETUPS]
    assert set(steps["subject"]) == {CHILDREN[0], CHILDREN[-1]}
    assert set(by_section["a reset with its observation"]["column"]) == {"tasks", "generated tasks"}
    assert len(by_section["steps by number of things"]) == 4 * TINY.passes
    assert set(by_section["steps of 8 environments together, resets included"]["column"]) == {"steps"}


@pytest.mark.parametrize(("setup", "episodes"), [(RAYS, 200), (CAMERA, 120)], ids=["rays", "camera"])
def test_episodes_leave_no_memory_behind(setup, episodes):
    """A picture's buffers alone are 0.1 MB."""
    env = setup.made(Playlist([*map(task_named, CHILDREN[::10])]))
    env.reset(seed=0)
    actions, sizes = random_actions("memory", 0, HELD), []
    for _ in range(episodes):
        env.reset()
        seconds_of_steps(env, actions, 5)
        sizes.append(psutil.Process().memory_info().rss / 1e6)
    assert sizes[-1] - sizes[episodes // 2] < 3
