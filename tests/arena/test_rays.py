"""Rays against closed forms, the definition over random scenes, and the bodies that Bullet has."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from arena import ACTIONS, ConfigError, Rays, Scene
from arena.geometry.shapes import TUBE_INNER
from arena.rays import CAST_LENGTH, CAST_RADIUS, FRACTION, NOTHING_HIT, TAGS
from arena.scene import Thing, yaw_rotation
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Shape
from arena.taskfile.versions import Version, kind_in
from tests.arena.bullet_bodies import BulletBodies
from tests.arena.plain_casts import casts
from tests.arena.ray_scenes import hits, later, scene_of
from tests.arena.worlds import agent, episode, item, play

AHEAD = Rays(per_side=0)


def scene(*things, at=(20.0, 0.49, 20.0), yaw=0.0):
    """A scene of (kind, size, position, rotation matrix) seen from `at`."""
    return Scene(
        tuple(Thing(kind, size, None, False) for kind, size, _, _ in things),
        np.array([position for _, _, position, _ in things]).reshape(-1, 3),
        np.array([rotation for _, _, _, rotation in things]).reshape(-1, 3, 3),
        np.array([size for _, size, _, _ in things]).reshape(-1, 3),
        np.ones(len(things), np.bool_),
        at,
        yaw,
    )


def placed(kind, size, position, yaw=0.0):
    return (kind, size, position, yaw_rotation(yaw))


def ahead(*things, **where):
    (tag,), (distance,) = hits(AHEAD, scene(*things, **where))
    return (TAGS[tag] if tag >= 0 else None, float(distance))


def rotation(*euler_deg):
    """A rotation about x, then y, then z."""
    x, y, z = np.deg2rad(euler_deg)
    about_x = [[1, 0, 0], [0, math.cos(x), -math.sin(x)], [0, math.sin(x), math.cos(x)]]
    about_z = [[math.cos(z), -math.sin(z), 0], [math.sin(z), math.cos(z), 0], [0, 0, 1]]
    return np.array(about_z) @ yaw_rotation(math.degrees(y)) @ np.array(about_x)


def test_angles_alternate_from_the_middle_outwards():
    assert Rays().angles == (0, 30, -30, 60, -60)
    assert Rays(3, 90).angles == (0, 30, -30, 60, -60, 90, -90)
    assert Rays(0).angles == (0,)


def test_the_first_angle_after_the_middle_is_to_the_right():
    # Facing +z, the wall at x = 40 is on the right.
    (_, right, left, *_), at = hits(Rays(), scene(at=(30.0, 0.49, 20.0))).distance, 30.0
    assert right == pytest.approx((39.5 - at) / math.sin(math.radians(30)))
    assert left == pytest.approx(19.5 / math.cos(math.radians(30)))


@pytest.mark.parametrize("yaw", range(0, 360, 15))
def test_the_boundary_is_met_half_a_metre_before_its_face(yaw):
    sin, cos = math.sin(math.radians(yaw)), math.cos(math.radians(yaw))
    along_x = ((39.5 if sin > 0 else 0.5) - 13) / sin if abs(sin) > 1e-9 else math.inf
    along_z = ((39.5 if cos > 0 else 0.5) - 27) / cos if abs(cos) > 1e-9 else math.inf
    tag, distance = ahead(at=(13.0, 0.49, 27.0), yaw=yaw)
    assert tag == "arena"
    assert distance == pytest.approx(min(along_x, along_z))


def test_one_row_a_ray_with_tag_flag_and_fraction():
    rows = Rays().observe(scene(placed("GoodGoal", (1.0,) * 3, (20.0, 0.49, 25.0))))
    assert (rows.shape, rows.dtype) == ((5, 14), np.float32)
    expected = np.zeros(14, np.float32)
    expected[3], expected[FRACTION] = 1, 4 / 200
    assert rows[0] == pytest.approx(expected)
    assert (rows[1:, 0] == 1).all()
    assert (rows[:, NOTHING_HIT] == 0).all()
    assert (rows[:, :12].sum(axis=1) == 1).all()


def test_above_the_boundary_nothing_is_hit():
    rows = Rays().observe(scene(at=(20.0, 300.0, 20.0)))
    assert (rows[:, :NOTHING_HIT] == 0).all()
    assert (rows[:, NOTHING_HIT:] == 1).all()


@pytest.mark.parametrize("offset", [0.0, 1.9, 2.2, 2.45, 2.499])
def test_a_wall_is_rounded_at_its_edges(offset):
    tag, distance = ahead(placed("Wall", (4.0, 3.0, 2.0), (20 + offset, 1.5, 30.0)))
    beside = max(offset - 2, 0)
    assert tag == "Immovable"
    assert distance == pytest.approx(9 - math.sqrt(0.25 - beside**2), abs=1e-6)


@pytest.mark.parametrize("slope", [15, 30, 45])
def test_a_ramp_is_met_on_its_slope(slope):
    # Rotated by 180 degrees it rises towards +z; the ball's centre stays 0.5 off the plane.
    height = 8 * math.tan(math.radians(slope))
    tag, distance = ahead(placed("Ramp", (4.0, height, 8.0), (20.0, height / 2, 30.0), yaw=180))
    angle = math.radians(slope)
    assert tag == "Immovable"
    assert distance == pytest.approx(6 + (0.49 - 0.5 / math.cos(angle)) / math.tan(angle), abs=1e-6)


def test_the_back_of_a_ramp_is_a_wall():
    assert ahead(placed("Ramp", (4.0, 2.0, 8.0), (20.0, 1.0, 30.0)))[1] == pytest.approx(5.5)


@pytest.mark.parametrize(("kind", "foot_at"), [("LBlock", 18.35), ("JBlock", 18.35), ("UBlock", 21.65)])
def test_bars_and_feet_are_met_where_they_are(kind, foot_at):
    # Size 2 x 1 x 3: bar 3.0 x 0.6, feet 0.3 wide and 1.8 deep, centred 0.6 before or behind the bar.
    block = placed(kind, (2.0, 1.0, 3.0), (20.0, 0.5, 30.0))
    front = 30 - 0.3 if kind == "JBlock" else 30 - 0.6 - 0.9
    assert ahead(block, at=(foot_at, 0.49, 20.0)) == ("Movable", pytest.approx(front - 20.5))
    assert ahead(block)[1] == pytest.approx(30 - 0.3 - 20.5)


def test_a_tunnel_is_open_in_the_middle_and_closed_at_its_rim():
    tunnel = placed("CylinderTunnel", (4.0, 4.0, 6.0), (20.0, 0.0, 30.0))
    assert ahead(tunnel)[0] == "arena"
    assert ahead(tunnel, at=(20 + (2 + 2 * TUBE_INNER) / 2, 0.3, 20.0)) == ("Immovable", pytest.approx(6.5))
    _, side = ahead(tunnel, at=(10.0, 0.49, 30.0), yaw=90)
    assert side == pytest.approx(10 - math.sqrt(2.5**2 - 0.49**2), abs=0.003)
    _, inside = ahead(tunnel, at=(20.0, 0.49, 30.0), yaw=90)
    assert inside == pytest.approx(math.sqrt((2 * TUBE_INNER - 0.5) ** 2 - 0.49**2), abs=0.003)
    # Touched anywhere, it is looked through.
    assert ahead(tunnel, at=(18.9, 0.49, 30.0), yaw=90)[0] == "arena"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_hit_and_shows_its_tag(kind):
    tag = kind_in(kind, Version.V3).tag
    # In the original, the tag of these is none of the twelve.
    unlisted = {"HollowBox", "BadGoalMulti", "DataZone", "Field"}
    unlisted |= {"DecoyGoal", "DecoyGoalBounce", "DecoyGoalMulti"}
    assert (tag in TAGS) != (kind in unlisted)
    size = (1.0, 1.0, 1.0) if KINDS[kind].shape is Shape.BALL else KINDS[kind].minimum
    aside = size[0] * (1 + TUBE_INNER) / 4 if KINDS[kind].shape is Shape.TUBE else 0
    rows = AHEAD.observe(scene(placed(kind, size, (20.0 + aside, 0.2, 30.0))))
    assert 5 / 200 < rows[0, FRACTION] < 10 / 200
    assert rows[0, NOTHING_HIT] == 0
    assert [TAGS[i] for i in np.flatnonzero(rows[0, :12])] == [each for each in [tag] if each is not None]


def test_ramp_and_death_zone_have_the_tags_of_3_1_3():
    assert [kind_in(kind, Version.V3).tag for kind in ("Ramp", "DeathZone")] == ["Immovable", "badGoal"]


def test_what_is_touched_is_looked_through():
    wall = placed("Wall", (4.0, 3.0, 2.0), (20.0, 1.5, 21.5))
    ball = placed("GoodGoal", (1.0,) * 3, (20.0, 0.5, 30.0))
    assert ahead(wall, ball)[0] == "goodGoal"
    assert ahead(wall, ball, at=(20.0, 0.49, 19.9))[0] == "Immovable"


def test_touching_one_bar_leaves_the_others_visible():
    # The agent leans on the foot; the bar's edge is 1.7 ahead and 0.15 aside.
    block = placed("LBlock", (2.0, 1.0, 3.0), (20.0, 0.5, 20.0))
    assert ahead(block, at=(18.35, 0.49, 18.0)) == ("Movable", pytest.approx(1.7 - math.sqrt(0.25 - 0.15**2)))


@pytest.mark.parametrize("yaw", [0, 45, 90])
def test_a_wall_leant_on_is_looked_through_at_rest_and_the_ground_is_never_seen(yaw):
    run = episode(agent("20 0 9"), item("Wall", "20 0 12", sizes="6 3 1", rotations="0"))
    play(run, ACTIONS[3], 25)
    assert run.position[2] == pytest.approx(11.0, abs=0.01)
    seen = run.scene()
    leaning = replace(seen, agent_yaw=yaw)
    assert AHEAD.observe(leaning)[0, TAGS.index("arena")] == 1
    assert AHEAD.observe(leaning)[0, FRACTION] > 0.09


def test_an_eaten_ball_is_no_longer_seen():
    run = episode(agent("20 0 10"), item("GoodGoalMulti", "20 0 13", "35 0 35", sizes="1 1 1;1 1 1"))
    assert AHEAD.observe(run.scene())[0, TAGS.index("goodGoalMulti")] == 1
    while not run.step(ACTIONS[3]).events:
        pass
    assert AHEAD.observe(run.scene())[0, TAGS.index("arena")] == 1


@pytest.mark.parametrize("visible", ["true", "false"])
@pytest.mark.parametrize(("kind", "tag"), [("DataZone", -1), ("Wall", TAGS.index("Immovable"))])
def test_rays_meet_what_is_drawn_or_not_and_only_data_zones_can_be_invisible(kind, tag, visible):
    thing = item(kind, "20 0 12", rotations="0", sizes="4 1 4", more=f"zoneVisibility: {visible}")
    with episode(agent("20 0 5"), thing, version="4") as run:
        met = hits(Rays(per_side=0, version=Version.V4), run.scene())
        assert run.scene().visible.tolist() == [kind == "Wall" or visible == "true"]
    assert (met.tag.tolist(), met.distance.tolist()) == ([tag], [pytest.approx(12 - 1.998 - 5.5)])


def test_a_zone_is_hit_although_it_stops_nobody():
    run = episode(agent("20 0 10"), item("HotZone", "20 0 20", sizes="4 0 4", rotations="0"))
    row = AHEAD.observe(run.scene())[0]
    assert row[TAGS.index("HotZone")] == 1
    # The zone's top is at y 0.0995, the agent's centre at 0.51; the built size is 0.999 times the asked.
    assert row[FRACTION] * 200 == pytest.approx(8.002 - math.sqrt(0.25 - (0.51 - 0.09975) ** 2), abs=1e-3)


def test_dark_arenas_look_the_same():
    run = episode(agent("20 0 10"), blackouts="0")
    assert not run.lights_on
    assert AHEAD.observe(run.scene())[0, 0] == 1


@pytest.mark.parametrize(
    ("options", "words"), [((-1, 60), "per side"), ((2, 0), "max_deg"), ((2, 181), "max_deg")]
)
def test_impossible_sensors_are_refused(options, words):
    with pytest.raises(ConfigError, match=words):
        Rays(*options)


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
