"""The same bytes on every processor: digests of tables, pictures and channels."""

import json
from dataclasses import replace

import numpy as np

from arena.scene import Animal
from arena.taskfile.catalog import KINDS
from arena.taskfile.versions import Version
from render import Renderer, birds_eye, third_person, top_view
from render.kernel.tables import _looks, meshes_of, tables
from render.parts.meshes import unit_meshes
from suites.est.picture import Table
from suites.est.world import THINGS
from tests.arena.worlds import agent, episode, item, play
from tests.bits import digest


def everything(version, part):
    """Every second, or every other second, kind of a version, or those of laboratories, after some steps."""
    known = [kind for kind in KINDS.values() if not kind.internal]
    known = [kind for kind in known if Version(version).is_4 or not kind.new_in_4]
    names = [kind.name for kind in known if kind.laboratory == (part == 2)][part % 2 :: 2 - part // 2]
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


def drawn():
    """Digests of pictures of all versions and cameras, in several sizes, and of EST's panels."""
    found = {}
    for version in Version:
        wall = item("Wall", "23 0 26", sizes="3 4 1", rotations="20")
        plain = episode(agent("20 0 20", 77.0), wall).scene()
        for number, scene in enumerate([*(everything(version, part) for part in (0, 1, 2)), plain]):
            cameras = None, third_person(scene), birds_eye(), top_view()
            for side, camera in zip((84, 128, 200, 301), cameras, strict=True):
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


TABLES = "98c0de18f0b23822"
EXPECTED = "86f30fedaf6f5dac"
"""What every machine has and draws; other bytes are another version: raise that of `render.DRAWN_BY`."""


def test_tables_are_those_of_every_machine():
    meshes, looks = meshes_of(unit_meshes().values()), _looks()
    assert digest(*looks) == TABLES
    pairs = zip((*meshes, *looks), (array for table in tables() for array in table), strict=True)
    assert all((one == other).all() for one, other in pairs)


def test_pictures_are_those_of_every_machine():
    assert known() == EXPECTED
