"""Rays over random scenes: against the definition, and the same bits whatever the sensor saw before."""

from dataclasses import replace

import numpy as np
import pytest

from arena import Rays
from arena.rays import CAST_LENGTH, CAST_RADIUS, TAGS
from arena.taskfile.versions import Version, kind_in
from tests.arena.plain_casts import casts
from tests.arena.ray_scenes import hits, later, scene_of

ACCURACY = 1e-6
"""Ways agree to this, metres."""


def by_definition(sensor, seen, version):
    """Per ray, the way, and the tags of all that is met then, to within `ACCURACY`."""
    bearings = np.deg2rad(np.array(sensor.angles) + seen.agent_yaw)
    directions = np.column_stack([np.sin(bearings), np.zeros(len(bearings)), np.cos(bearings)])
    ways, owners = casts(seen, directions, CAST_RADIUS, CAST_LENGTH)
    names = [*(kind_in(thing.kind, version).tag for thing in seen.things), "arena"]
    tags = [-1 if names[owner] is None else TAGS.index(names[owner]) for owner in owners]
    first = ways.min(axis=1)
    return first, [
        {tag for tag, at in zip(tags, row, strict=True) if at <= way + ACCURACY}
        for way, row in zip(first, ways, strict=True)
    ]


def agrees(sensor, seen, version):
    """All rays meet what they meet by definition."""
    tags, ways = hits(sensor, seen)
    expected, possible = by_definition(sensor, seen, version)
    assert ways == pytest.approx(expected, abs=ACCURACY)
    for tag, way, allowed in zip(tags, ways, possible, strict=True):
        assert tag == -1 if np.isinf(way) else tag in allowed


@pytest.mark.parametrize(("count", "scenes"), [(0, 1), (3, 4), (12, 4), (35, 3)])
def test_rays_meet_what_they_meet_by_definition(count, scenes):
    for seed in range(scenes):
        agrees(Rays(3, 180), scene_of(np.random.default_rng([count, seed]), count), Version.V3)


@pytest.mark.parametrize("version", Version)
@pytest.mark.parametrize("seed", range(4))
def test_rays_meet_the_blocks_of_their_version(version, seed):
    """In version 4 the bars of L, J and U blocks fit the picture; before, they do not."""
    seen = scene_of(np.random.default_rng(seed), 12, kinds=("LBlock", "JBlock", "UBlock"))
    agrees(Rays(12, 180, version), replace(seen, version=str(version)), version)


@pytest.mark.parametrize("count", [1, 12, 35])
@pytest.mark.parametrize("seed", range(4))
def test_a_used_sensor_says_the_same_bits_as_a_new_one(count, seed):
    rng = np.random.default_rng([count, seed])
    sensor, seen = Rays(), scene_of(rng, count, others=2)
    for _ in range(100):
        seen = later(seen, rng)
        used, new = hits(sensor, seen), hits(Rays(), seen)
        assert [part.tobytes() for part in used] == [part.tobytes() for part in new]
        assert sensor.observe(seen).tobytes() == Rays().observe(seen).tobytes()


def test_a_scene_may_be_changed_in_place():
    rng = np.random.default_rng(0)
    sensor, seen = Rays(), scene_of(rng, 30)
    sensor.observe(seen)
    seen.positions[:] = rng.uniform(0, 40, seen.positions.shape)
    seen.rotations[:] = np.eye(3)
    seen.sizes[:] *= 0.5
    assert sensor.observe(seen).tobytes() == Rays().observe(seen).tobytes()
