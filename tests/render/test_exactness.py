"""The same state is the same picture, whoever draws it and whatever was drawn before."""

import gc
from pathlib import Path

import numpy as np
import pytest

from arena import ACTIONS
from arena.scene import yaw_rotation
from arena.taskfile.versions import Version
from render import BatchRenderer, Renderer
from render.kernel.shadows import DEEPEST, cast
from render.kernel.tables import tables
from render.looks.look import Look, Material
from render.looks.sky import sun_of
from render.parts.composed import Part
from render.parts.meshes import MESHES
from render.parts.rows import MESH, rows_of
from tests.arena.worlds import agent, episode, item
from tests.render.test_rest import megabytes

SIZE = 64

ROOM = (
    item("Wall", "23 0 26", sizes="3 4 1", rotations="20", colors="0 0 255"),
    item("CylinderTunnel", "16 0 24", sizes="3 3 3", rotations="70"),
    item("HeavyBlock", "19 0 24", sizes="1 1 1", rotations="30"),
    item("LightBlock", "20 0 22", sizes="1 1 1", rotations="10"),
    item("GoodGoalBounce", "21 0 27", sizes="1 1 1", rotations="200"),
    item("HotZone", "20 0 25", sizes="3 0 3"),
    item("WallTransparent", "22 0 23", sizes="2 2 0.3", rotations="40"),
)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell its memory")
def test_two_thousand_episodes_leave_no_memory_behind():
    fixed, batch = Renderer(SIZE, SIZE), BatchRenderer(2, SIZE, SIZE)

    def play(count):
        for _ in range(count):
            with episode(agent("20 0 18"), *ROOM) as run:
                run.step(ACTIONS[3])
                scene = run.scene()
            fixed.frame(scene)
            batch.frames([scene, scene])
            Renderer(256, 256).frame(scene)
        gc.collect()

    play(200)
    before = megabytes()
    play(2000)
    grown = megabytes() - before
    print(f"{grown:.2f} MB more after 2,000 episodes, {before:.0f} MB before")
    # Each episode makes and drops a renderer of 2 MB; what stays is less than a hundredth of each.
    assert grown < 10, f"{grown:.1f} MB more after 2,000 episodes"


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
