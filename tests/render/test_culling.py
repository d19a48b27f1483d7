"""Whatever a picture can show is drawn, and what lies beside it is not."""

import numpy as np

from render.camera import Camera
from render.parts.culling import _SIDES, in_view
from render.parts.meshes import MESHES
from render.parts.rows import MESH, ROW, arena_rows


def boxes(rng, count):
    """Boxes of all shapes, turned at random."""
    rows = np.zeros((count, ROW), np.float32)
    rows[:, :3] = rng.uniform(0, 40, (count, 3))
    turns = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    rows[:, 3:12] = turns.transpose(0, 2, 1).reshape(-1, 9)
    rows[:, 12:15] = 10 ** rng.uniform(-2, 1.6, (count, 3))
    rows[:, 15] = np.arange(count)
    return rows


def points_of(rows, rng):
    """Points (n, 64, 3) in the boxes of rows."""
    places = rng.uniform(-0.5, 0.5, (len(rows), 64, 3)) * rows[:, None, 12:15]
    turns = rows[:, 3:12].reshape(-1, 3, 3)
    return rows[:, None, :3] + np.einsum("nij,npi->npj", turns, places)


def test_no_box_of_which_a_point_is_in_the_picture_is_left_out():
    rng = np.random.default_rng(4)
    several = 0
    for _ in range(50):
        camera = Camera(tuple(rng.uniform(1, 39, 3)), rng.uniform(0, 360), rng.uniform(-30, 90))
        view, rows = camera.matrix(1.5), boxes(rng, 100)
        clip = points_of(rows, rng) @ view[:, :3].T + view[:, 3]
        shown = (np.abs(clip[..., :2]) <= clip[..., 3:]).all(axis=2).any(axis=1)
        seen = np.isin(np.arange(100), in_view(rows, _SIDES @ view)[:, 15])
        assert not (shown & ~seen).any()
        several += int((~seen).sum())
    assert several > 1000


def test_the_rails_behind_the_agent_are_left_out():
    view = Camera((20.0, 0.5, 20.0), 0.0, fov=60.0).matrix(1.0)
    seen = in_view(arena_rows(), _SIDES @ view)
    assert (seen[:, MESH] == MESHES.index("rod")).sum() == 2
