"""Bullet's software renderer, which shares no code with ours, agrees with it about where everything is."""

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from arena.cameras import CLASSES, SKY
from arena.geometry.shapes import TUBE_INNER, TUBE_SEGMENTS, prism_vertices
from arena.scene import yaw_rotation
from arena.taskfile.versions import Version
from benchmarks.peers.scenery import Solid, solids_of
from render import Renderer, birds_eye, third_person, top_view
from render.camera import first_person
from render.parts.animals import BODIES, agents_of
from render.parts.meshes import UNIT, unit_meshes
from tests.arena.worlds import agent, episode, item
from tests.render.test_bytes import everything

bullet = pytest.importorskip("pybullet")
WIDTH, HEIGHT = 240, 200
SWAP = [0, 2, 1]
"""Exchanging y and z turns the arena's left-handed frame into Bullet's."""

FAR_OFF = 4e4
"""Metres from which a camera hardly has perspective; without any, Bullet draws nothing."""

SHAPES = {
    "box": trimesh.creation.box(UNIT),
    "prism": trimesh.convex.convex_hull(prism_vertices(UNIT)),
    "ball": trimesh.creation.icosphere(subdivisions=4, radius=0.5),
    "tube": trimesh.creation.annulus(TUBE_INNER / 2, 0.5, 1.0, sections=TUBE_SEGMENTS),
    "rod": trimesh.creation.cylinder(0.5, segment=[(-0.5, 0, 0), (0.5, 0, 0)]),
}
"""Unit shapes that are not made from our meshes."""


@pytest.fixture(scope="module")
def ours():
    return Renderer(WIDTH, HEIGHT)


def second(scene, camera=None, see_through=False):
    """Instance and depth of every pixel by Bullet, as from `Renderer.channels`."""
    solids = [*solids_of(scene), *animals(scene, own=camera is not None)]
    solids = [solid for solid in solids if not (see_through and solid.part.look.translucent)]
    client = bullet.connect(bullet.DIRECT)
    for solid in solids:
        put(client, solid)
    depth, body = pictured(client, camera or first_person(scene))
    bullet.disconnect(client)
    return np.array([*(solid.instance for solid in solids), SKY])[body], depth


def animals(scene, own):
    for animal, instance in agents_of(scene, own):
        turn = yaw_rotation(animal.yaw)
        for part in BODIES[animal.skin]:
            yield Solid(part, animal.position + turn @ np.array(part.centre), turn, instance)


def put(client, solid):
    """A body with the number that its place in the list has."""
    made = SHAPES.get(solid.part.mesh)
    corners = unit_meshes()[solid.part.mesh][..., :3].reshape(-1, 3) if made is None else made.vertices
    faces = np.arange(len(corners)).reshape(-1, 3) if made is None else made.faces
    shape = bullet.createVisualShape(
        bullet.GEOM_MESH,
        vertices=(corners * np.array(solid.part.size))[:, SWAP].tolist(),
        # The exchange turns triangles inside out; reversed, they face outwards again.
        indices=faces[:, ::-1].ravel().tolist(),
        physicsClientId=client,
    )
    turn = Rotation.from_matrix(solid.rotation[np.ix_(SWAP, SWAP)]).as_quat()
    place = (solid.centre[SWAP].tolist(), turn.tolist())
    bullet.createMultiBody(0.0, -1, shape, *place, physicsClientId=client)


def pictured(client, camera):
    """Depth in metres and the number of the body, -1 for the sky."""
    _, up, forward = camera.axes()[:, SWAP]
    back = FAR_OFF if camera.half_height else 0.0
    fov = np.degrees(2 * np.arctan(camera.half_height / back)) if back else camera.fov
    # Nothing is nearer than 0.1 m, with which depth is finer.
    near, far = back + (camera.near if back else max(camera.near, 0.1)), back + camera.far
    eye = np.array(camera.position)[SWAP] - back * forward
    view = bullet.computeViewMatrix(eye.tolist(), (eye + forward).tolist(), up.tolist())
    lens = list(bullet.computeProjectionMatrixFOV(fov, WIDTH / HEIGHT, near, far))
    # Bullet looks through a pixel's lower left corner, we through its middle.
    lens[8], lens[9] = 1 / WIDTH, 1 / HEIGHT
    options = {"renderer": bullet.ER_TINY_RENDERER, "shadow": 0, "physicsClientId": client}
    *_, buffer, body = bullet.getCameraImage(WIDTH, HEIGHT, view, lens, **options)
    depth = far * near / (far - (far - near) * np.reshape(buffer, (HEIGHT, WIDTH)).astype(float)) - back
    return depth, np.reshape(body, (HEIGHT, WIDTH))


def is_edge(instance):
    """Whether one of the 3 x 3 pixels round each is of something else."""
    wide = np.pad(instance, 1, mode="edge")
    near = np.lib.stride_tricks.sliding_window_view(wide, (3, 3))
    return (near != instance[..., None, None]).any(axis=(2, 3))


def cameras(scene):
    return {"agent": None, "third person": third_person(scene), "bird's eye": birds_eye(), "top": top_view()}


@pytest.mark.parametrize("version", Version)
@pytest.mark.parametrize("part", [0, 1, 2])
def test_both_agree_about_every_kind(ours, version, part):
    scene = everything(version, part)
    seen = set()
    for name, camera in cameras(scene).items():
        see_through = name == "third person"
        a = ours.channels(scene, camera, see_through=see_through)
        check(a, *second(scene, camera, see_through))
        seen |= set(np.unique(a.instance).tolist())
    assert set(np.flatnonzero(scene.visible).tolist()) <= seen


def test_both_agree_about_small_things_seen_from_near(ours):
    # Yaw 250: the doorways look almost towards the agent.
    small = {
        "RipenGoal": "20.8 0 12",
        "SpawnerContainerShort": "18 0 13",
        "SpawnerDispenserTall": "22 0 13",
        "SpawnerButton": "20 0 13",
        "GrowGoal": "19.2 0 12",
        "SignBoard": "15 0 12",
    }
    things = [item(name, place, rotations="250", sizes="1 1 1") for name, place in small.items()]
    scene = episode(agent("20 0 9.4"), *things).scene()
    a = ours.channels(scene)
    check(a, *second(scene))
    assert {CLASSES.index(name) for name in (*small, "Door")} <= set(np.unique(a.semantic).tolist())


def check(a, instance, depth):
    """Our channels agree with Bullet's but for pixels at an edge."""
    differs = a.instance != instance
    edge = is_edge(a.instance) | is_edge(instance)
    assert not (differs & ~edge).any()
    assert differs.mean() < 0.003
    check_overlaps(a.instance, instance)
    inside = ~edge & (a.instance != SKY)
    error = np.abs(a.depth - depth)
    # Instances have edges within: rails, frames, prickles.
    assert (error[inside] > 0.02).mean() < 1.5e-3
    for seen in np.unique(a.instance[inside]):
        assert np.median(error[inside & (a.instance == seen)]) < 0.01, seen


def check_overlaps(a, b):
    """A ball of a few pixels is drawn with 80 triangles, up to 0.3 pixels within its outline."""
    for instance in np.union1d(a, b):
        both, either = (a == instance) & (b == instance), (a == instance) | (b == instance)
        if either.sum() >= 60:
            assert both.sum() / either.sum() > (0.95 if either.sum() >= 400 else 0.8), instance
