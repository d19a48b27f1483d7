"""Shadows: what is at rest is drawn once, and the picture and the memory in use stay what they were."""

import gc
import resource
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arena.scene import Scene, yaw_rotation
from arena.taskfile.versions import Version
from render import BatchRenderer, Renderer, top_view
from render.kernel.shadows import DEEPEST, cast
from render.kernel.tables import tables
from render.looks.look import Look, Material
from render.looks.sky import sun_of
from render.parts.composed import Part
from render.parts.meshes import MESHES
from render.parts.rows import MESH, rows_of
from tests.arena.worlds import agent, episode, item

SIZE = 96
LONG = 20
"""Frames: more than a thing has to be still to count as at rest."""

ROOM = (
    item("GoodGoal", "20 0 25", sizes="2 2 2"),
    item("LightBlock", "23 0 24", sizes="1 1 1", rotations="30"),
    item("Wall", "16 0 26", sizes="3 2 1"),
)


def room() -> Scene:
    return episode(agent("20 0 20"), *ROOM).scene()


def shifted(scene, index, east):
    positions = scene.positions.copy()
    positions[index, 0] += east
    return replace(scene, positions=positions)


def same_as_fresh(renderer, scene):
    return (renderer.frame(scene, top_view()) == Renderer(SIZE, SIZE).frame(scene, top_view())).all()


@pytest.mark.parametrize("index", range(len(ROOM)))
def test_what_rests_and_moves_again_leaves_no_shadow_behind(index):
    renderer, start = Renderer(SIZE, SIZE), room()
    for east in (0.0, 0.5, 1.0, -2.0):
        here = shifted(start, index, east)
        for _ in range(LONG):
            renderer.frame(here)
        assert same_as_fresh(renderer, here)
        assert same_as_fresh(renderer, shifted(here, index, 0.25))


def test_what_appears_and_vanishes_takes_its_shadow_along():
    renderer, start = Renderer(SIZE, SIZE), room()
    for number in range(3 * LONG):
        here = replace(start, visible=start.visible & (np.arange(len(ROOM)) != number // 7 % 4))
        renderer.frame(here)
        assert number % 5 or same_as_fresh(renderer, here)


def test_trembling_things_are_at_rest():
    renderer, start = Renderer(SIZE, SIZE), room()
    renderer.frame(start)
    shadows = renderer._shadows
    drawn, moving = [], []

    def draw(scene):
        renderer.frame(scene)
        drawn.append(shadows.since[0] == 0)
        moving.append((shadows.cast & ~shadows.resting).sum())

    at = start.positions.copy()
    at[:] = np.rint(at * 512) / 512
    renderer.frame(replace(start, positions=at))
    for number in range(2 * LONG):
        draw(replace(start, positions=at + 1e-5 * (-1) ** number, agent_yaw=float(number)))
    assert not any(drawn)
    assert max(moving) == 0
    rolling = [shifted(start, 0, 0.1 * number) for number in range(1, LONG)]
    for scene in rolling:
        draw(scene)
    assert sum(drawn) == 1
    assert max(moving[-2:]) == 1


def megabytes() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory in use is read from /proc")
def test_new_arenas_and_renderers_leave_no_memory_behind():
    renderer, batch = Renderer(SIZE, SIZE), BatchRenderer(2, SIZE, SIZE)
    kinds = ("Wall", "GoodGoal", "LightBlock", "CylinderTunnel", "Ramp")
    rng = np.random.default_rng(3)
    scenes = []
    for kind in kinds:
        places = [f"{x:.1f} 0 {z:.1f}" for x, z in rng.uniform(3, 37, (6, 2))]
        scenes.append(episode(agent("20 0 20"), item(kind, *places)).scene())

    def run(count):
        for number in range(count):
            scene = scenes[number % len(scenes)]
            renderer.frame(replace(scene, things=tuple(list(scene.things))))
            if number % 10 == 0:
                batch.frames([scene, scene])
                Renderer(SIZE, SIZE).frame(scene)
        gc.collect()

    run(100)
    before = megabytes()
    run(600)
    # One pair of shadow maps is 5.8 MB, the rows of one arena are 3 KB: 10 KB for each arena would be seen,
    # and of each of the 60 renderers that are made and dropped 100 KB.
    assert megabytes() - before < 6


@pytest.mark.parametrize("version", [Version.V3, Version.V41])
@pytest.mark.parametrize("size", [(0.5, 0.5, 0.5), (1.0, 1.0, 1.0), (4.2, 3.6, 1.2)])
def test_a_balls_shadow_is_that_of_its_finest_triangles(version, size):
    sun, look = sun_of(version), Look(Material.PLAIN, (1.0, 1.0, 1.0))
    rows = rows_of([Part("ball", (20.0, 3.0, 20.0), size, look)], 0, yaw_rotation(37.0))
    maps = []
    for mesh in ("ball", "ball 5120"):
        rows[:, MESH] = MESHES.index(mesh)
        maps.append(np.full((sun.side, sun.side), DEEPEST, np.uint16))
        cast(maps[-1], rows, np.ones(1, bool), tables()[0], sun, np.zeros((1, 4), np.int64))
    ball, triangles = (each < DEEPEST for each in maps)
    assert ball.sum() > 10
    assert (ball != triangles).sum() <= 4 + 0.02 * ball.sum()
    deeper = (maps[0].astype(float) - maps[1])[ball & triangles] / np.linalg.norm(sun.to_map[2, :3])
    # It has shrunk by a texel on all sides, as its outline has.
    assert 0.6 < np.median(deeper / sun.texel_m) < 1.2
