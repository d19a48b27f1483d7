"""Two renderers that share no drawing code agree about where everything is."""

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from arena.cameras import CLASSES, SKY
from arena.errors import RenderError
from arena.scene import Animal
from arena.taskfile.catalog import KINDS
from arena.taskfile.versions import Version
from render import Renderer, birds_eye, third_person, top_view
from render.pyrender.backend import PyrenderRenderer
from tests.arena.worlds import agent, episode, item, play

pytestmark = pytest.mark.skipif(
    find_spec("pyrender") is None, reason="pyrender is not installed: pip install 'arena-llm[pyrender]'"
)
WIDTH, HEIGHT = 240, 200


@pytest.fixture(scope="module")
def ours():
    return Renderer(WIDTH, HEIGHT)


@pytest.fixture(scope="module")
def theirs():
    try:
        return PyrenderRenderer(WIDTH, HEIGHT)
    except RenderError as error:
        pytest.skip(f"pyrender cannot draw here: {error}")


def everything(version, part):
    """A scene with every second, or every other second, kind of a version, after half a second of physics."""
    names = [name for name, kind in KINDS.items() if not kind.internal]
    names = [name for name in names if Version(version).is_4 or not KINDS[name].new_in_4][part::2]
    places = [(x, z) for z in (14, 20, 27, 34) for x in (5, 12.5, 20, 27.5, 35)]
    things = [
        item(name, f"{x} 0 {z}", sizes="3 2 3", rotations=str(20 * number), colors="200 90 30")
        for number, (name, (x, z)) in enumerate(zip(names, places, strict=False))
    ]
    run = episode(agent("20 0 3"), *things, version=version)
    play(run, steps=8)
    scene = run.scene()
    assert set(names) <= {thing.kind for thing in scene.things}
    pig, hedgehog = Animal((17.0, 0.5, 8.0), 150.0, "pig"), Animal((23.0, 0.5, 8.0), 200.0, "hedgehog")
    return replace(scene, others=(pig, hedgehog))


def is_edge(instance):
    """Whether one of the 3 x 3 pixels round each is of something else."""
    wide = np.pad(instance, 1, mode="edge")
    near = np.lib.stride_tricks.sliding_window_view(wide, (3, 3))
    return (near != instance[..., None, None]).any(axis=(2, 3))


def cameras(scene):
    return {"agent": None, "third person": third_person(scene), "bird's eye": birds_eye(), "top": top_view()}


@pytest.mark.parametrize("version", Version)
@pytest.mark.parametrize("part", [0, 1])
def test_both_agree_about_every_kind(ours, theirs, version, part):
    scene = everything(version, part)
    seen = set()
    for name, camera in cameras(scene).items():
        see_through = name == "third person"
        a = ours.channels(scene, camera, see_through=see_through)
        check(a, theirs.channels(scene, camera, see_through=see_through))
        seen |= set(np.unique(a.instance).tolist())
    assert set(np.flatnonzero(scene.visible).tolist()) <= seen


def test_both_agree_about_small_things_seen_from_near(ours, theirs):
    # Yaw 250: the doorways look almost towards the agent.
    small = {
        "SpawnerContainerShort": "18 0 13",
        "SpawnerDispenserTall": "22 0 13",
        "SpawnerButton": "20 0 13",
        "GrowGoal": "19.2 0 12",
        "RipenGoal": "20.8 0 12",
        "SignBoard": "15 0 12",
    }
    things = [item(name, place, rotations="250", sizes="1 1 1") for name, place in small.items()]
    scene = episode(agent("20 0 10"), *things).scene()
    a = ours.channels(scene)
    check(a, theirs.channels(scene))
    assert {CLASSES.index(name) for name in (*small, "Door")} <= set(np.unique(a.semantic).tolist())


def check(a, b):
    """Two renderers' channels agree but for pixels at an edge."""
    differs = a.instance != b.instance
    edge = is_edge(a.instance) | is_edge(b.instance)
    assert not (differs & ~edge).any()
    assert differs.mean() < 0.005
    assert (a.semantic == b.semantic)[~differs].all()
    check_overlaps(a.instance, b.instance)
    check_depths(a, b, ~edge)


def check_overlaps(a, b):
    """A ball of a few pixels is drawn with 80 triangles, up to 0.3 pixels within its outline."""
    for instance in np.union1d(a, b):
        both, either = (a == instance) & (b == instance), (a == instance) | (b == instance)
        if either.sum() >= 60:
            assert both.sum() / either.sum() > (0.95 if either.sum() >= 400 else 0.8), instance


def check_depths(a, b, inside):
    """pyrender's depth buffer has steps of 1 cm at 40 m. Instances have edges within: rails, frames."""
    inside = inside & (a.instance != SKY)
    here, there = a.depth[inside], b.depth[inside]
    assert (np.abs(here - there) > 0.005 + 1.5e-5 * here**2).mean() < 2e-3


def test_flat_colours_are_alike(ours, theirs):
    scene = episode(agent("20 0 20"), item("GoodGoal", "20 0 24", sizes="2 2 2")).scene()
    ball = ours.channels(scene).instance == 0
    inner = ball & ~is_edge(ball)
    assert inner.sum() > 500
    assert (np.abs(ours.frame(scene)[inner].astype(int) - theirs.frame(scene)[inner]) <= 1).all()


def test_without_light_both_see_nothing(ours, theirs):
    scene = replace(episode(agent("20 0 20")).scene(), lights_on=False)
    assert not theirs.frame(scene).any()
    assert theirs.frame(scene, birds_eye()).any()
    for a, b in zip(ours.channels(scene), theirs.channels(scene), strict=True):
        assert a.dtype == b.dtype
        assert (a == b).all()


@pytest.mark.parametrize("size", [(3, 84), (84, 1025), (84.0, 84)])
def test_a_wrong_resolution_is_refused(size):
    with pytest.raises(RenderError, match="expected 4 to 1024"):
        PyrenderRenderer(*size)
