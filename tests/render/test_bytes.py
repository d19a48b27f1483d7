"""The same bytes on every processor: digests of tables, pictures and channels."""

import json

import numpy as np

from arena.taskfile.versions import Version
from render import Renderer, birds_eye, third_person, top_view
from render.kernel.tables import _looks, meshes_of, tables
from render.parts.meshes import unit_meshes
from suites.est.picture import Table
from suites.est.world import THINGS
from tests.arena.worlds import agent, episode, item
from tests.bits import digest
from tests.render.test_second_opinion import everything

SIZES = (84, 128, 200)


def scenes(version):
    """Every kind of a version, here and there, after some steps."""
    yield from (everything(version, part) for part in (0, 1))
    yield episode(agent("20 0 20", 77.0), item("Wall", "23 0 26", sizes="3 4 1", rotations="20")).scene()


def drawn():
    """Digests of pictures of all versions and cameras, in several sizes, and of EST's panels."""
    found = {}
    for version in Version:
        for number, scene in enumerate(scenes(version)):
            cameras = None, third_person(scene), birds_eye(), top_view()
            for side, camera in zip((*SIZES, 301), cameras, strict=True):
                renderer = Renderer(side, side)
                seen = renderer.channels(scene, camera)
                found[f"{version} {number} {side}"] = digest(
                    renderer.frame(scene, camera), seen.depth, seen.instance
                )
    things = [THINGS[(3 + 5 * k) % 48] for k in range(9)]
    for lit in (False, True):
        picture = Table(160, 120).picture(things, [k % 2 == 0 for k in range(9)], lit)
        found[f"est {lit}"] = digest(picture)
    return found


def known():
    """What this processor draws; tests/test_bits.py also asks for it without a processor's features."""
    return digest(np.frombuffer(json.dumps(drawn()).encode(), np.uint8))


TABLES = "5748228f60de3f42"
EXPECTED = "ff40161b9e7fa079"
"""What every machine has and draws; other bytes are another version: raise that of `render.DRAWN_BY`."""


def test_tables_are_those_of_every_machine():
    meshes, looks = meshes_of(unit_meshes().values()), _looks()
    assert digest(*looks) == TABLES
    pairs = zip((*meshes, *looks), (array for table in tables() for array in table), strict=True)
    assert all((one == other).all() for one, other in pairs)


def test_pictures_are_those_of_every_machine():
    assert known() == EXPECTED
