"""Where two bodies touch, beside what Bullet says of the same places."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from arena.kernel.touching import POINT, find_points
from tests.arena.bullet_bodies import BulletBodies
from tests.arena.worlds import agent, episode, item

KINDS = [
    ("LightBlock", "2 1 3"),
    ("Ramp", "3 2 4"),
    ("LBlock", "2 1 8"),
    ("Wall", "1 3 2"),
    ("GoodGoalMulti", "1 1 1"),
]


def nearest_by_bullet(world):
    """Gap and normal where the second thing is nearest to the first, or overlaps it most."""
    bodies = BulletBodies(world)
    points = bodies.near(*bodies.things.values(), 0.5)
    bodies.close()
    return min(points, key=lambda point: point[0], default=(1.0, None))


def nearest(world):
    """The same by the kernel."""
    bodies, things, points = world._moving(), world.things, np.zeros(200, POINT)
    rows = bodies.rows[bodies._first :]
    rows["moves"], rows["centre"], rows["axes"] = 1, things.positions, things.rotations
    found = points[: find_points(bodies.rows, bodies._first, things.parts, points)[0]]
    found = found[(found["one"] >= bodies._first) & (found["other"] >= bodies._first)]
    best = found[np.argmin(found["gap"])]
    return best["gap"], best["normal"] * (1 if best["one"] == bodies._first else -1), best


def brought_near(world, rng, gap):
    """Put the second thing, turned, at about a gap (metres) from the first; False if that failed."""
    things = world.things
    things.positions[0], things.rotations[:] = (15, 10, 15), Rotation.random(2, random_state=rng).as_matrix()
    start, way = things.positions[0] + rng.normal(size=3), rng.normal(size=3)
    low, high = 0.0, 14.0
    for _ in range(25):
        middle = (low + high) / 2
        things.positions[1] = start + middle * way / np.linalg.norm(way)
        low, high = (middle, high) if nearest_by_bullet(world)[0] < gap else (low, middle)
    things.moved()
    return abs(nearest_by_bullet(world)[0] - gap) < 0.005


@pytest.mark.parametrize("one", KINDS, ids=[name for name, _ in KINDS])
@pytest.mark.parametrize("other", KINDS, ids=[name for name, _ in KINDS])
def test_two_bodies_touch_where_bullets_do(one, other):
    rng = np.random.Generator(np.random.PCG64(len(one[0]) * 100 + len(other[0])))
    things = (item(name, f"10 0 {z}", sizes=sizes) for z, (name, sizes) in ((10, one), (20, other)))
    world = episode(*things, agent("38 0 38"), t=0)._stage.world
    checked = 0
    while checked < 3:
        if not brought_near(world, rng, rng.uniform(-0.04, 0.015)):
            continue
        checked += 1
        (gap, normal, point), (expected, axis) = nearest(world), nearest_by_bullet(world)
        assert gap == pytest.approx(expected, abs=0.004)
        assert np.dot(normal, axis) > 0.97
        assert point["on_one"] - point["on_other"] == pytest.approx(gap * point["normal"], abs=1e-9)
