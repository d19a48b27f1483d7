"""Casts against the bodies that Bullet has: what rays meet is what the agent would meet."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from arena import Rays
from tests.arena.bullet_bodies import BulletBodies
from tests.arena.ray_scenes import hits
from tests.arena.worlds import agent, episode, item

PLAYGROUND = [
    item("Wall", "-1 0 -1", "-1 0 -1", sizes="4 2 1;1 3 6"),
    item("Ramp", "-1 0 -1", "-1 0 -1", sizes="4 2 6;3 1 8"),
    item("CylinderTunnel", "-1 0 -1", "-1 0 -1", sizes="5 5 6;3 4 8"),
    item("LightBlock", "-1 0 -1", "-1 0 -1", "-1 3 -1", sizes="2 2 2;1 3 1;2 1 2"),
    item("UBlock", "-1 0 -1", sizes="2 1 8"),
    item("LBlock", "-1 2 -1", sizes="2 1 8"),
    item("JBlock", "-1 0 -1", sizes="3 1 9"),
    item("GoodGoalMultiBounce", "-1 0 -1", "-1 0 -1", sizes="1 1 1;2 2 2"),
]


def tumble(run, rng):
    """Put everything that can move elsewhere, turned about any axis."""
    things = run._stage.world.things
    for index in things.present():
        if things.placed[index].kind.is_loose or things.placed[index].kind.is_goal:
            things.positions[index] = rng.uniform((2, 0.3, 2), (38, 2, 38))
            things.rotations[index] = Rotation.from_quat(rng.normal(size=4)).as_matrix()
    things.moved()


def bullet_gap(bodies, at):
    """Distance from the agent's ball, put at `at` (metres), to the nearest other body that Bullet has."""
    return min((gap for gap, _ in bodies.around(at, 2.0)), default=2.0)


def marched(bodies, start, direction):
    """First way (metres, to 0.005) at which Bullet's bodies touch the agent's ball."""
    way = 0.0
    while (gap := bullet_gap(bodies, start + way * direction)) > 0:
        way += max(gap / 2, 0.005)
    return way


@pytest.mark.parametrize("seed", range(8))
def test_rays_stop_where_bullets_bodies_are(seed):
    rng = np.random.default_rng(seed)
    run = episode(agent("20 0 20", 0), *PLAYGROUND, seed=seed, t=0)
    tumble(run, rng)
    bodies = BulletBodies(run._stage.world)
    seen, sensor, checked = run.scene(), Rays(4, 180), 0
    while checked < 3:
        # Clear of the ground, which would be in Bullet's way and is not in a ray's.
        start = np.array([rng.uniform(0.5, 39.5), rng.uniform(0.6, 2.0), rng.uniform(0.5, 39.5)])
        if bullet_gap(bodies, start) < 0.01:
            continue
        checked += 1
        here = replace(seen, agent_position=tuple(start), agent_yaw=10.0 * seed)
        bearings = np.deg2rad(np.array(sensor.angles) + 10.0 * seed)
        directions = np.column_stack([np.sin(bearings), np.zeros(len(bearings)), np.cos(bearings)])
        expected = [marched(bodies, start, direction) for direction in directions]
        assert hits(sensor, here).distance == pytest.approx(np.array(expected), abs=0.02)
