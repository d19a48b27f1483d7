"""Random scenes for rays: things of every kind, upright or tumbled, heaped up or far apart."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from arena.geometry.shapes import ARENA_SIZE
from arena.rays import TAGS
from arena.scene import Animal, Scene, Thing, yaw_rotation
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Shape

HEIGHT = 0.49
"""Height of the agent's centre where it stands on the floor, metres."""


def tumbled(rng):
    """A rotation (3, 3) about any axis."""
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return turn * np.sign(np.linalg.det(turn))


def size_of(kind, rng):
    """A random size that a thing of a kind may have, metres; its own where it has but one."""
    low, high = np.array(KINDS[kind].minimum), np.array(KINDS[kind].maximum)
    if KINDS[kind].shape is Shape.BALL:
        return (float(rng.uniform(low[0], high[0])),) * 3
    return tuple(np.maximum(low + (high - low) * rng.uniform(size=3) ** 3, 0.01).tolist())


ALL = tuple(sorted(KINDS))


class Hits(NamedTuple):
    """What n rays hit: `tag` (n,), an index into `TAGS` or -1 for none, and `distance` (n,), metres."""

    tag: np.ndarray
    distance: np.ndarray


def hits(sensor, seen):
    """What the rays of a sensor hit."""
    tags, distances = zip(*sensor.named(seen), strict=True)
    return Hits(np.array([TAGS.index(tag) if tag in TAGS else -1 for tag in tags]), np.array(distances))


def scene_of(rng, count, others=0, kinds=ALL):
    """A scene of `count` things seen from a place that is anywhere, or next to one of them."""
    kinds = rng.choice(kinds, count).tolist()
    things = tuple(Thing(kind, size_of(kind, rng), None, bool(rng.integers(2))) for kind in kinds)
    sizes = np.array([thing.size for thing in things]).reshape(-1, 3)
    upright = rng.uniform(size=count) < 0.6
    turns = [yaw_rotation(rng.choice([0, 90, rng.uniform(0, 360)])) if up else tumbled(rng) for up in upright]
    places = rng.uniform(0, ARENA_SIZE, (count, 3))
    places[:, 1] = np.where(upright, sizes[:, 1] / 2, rng.uniform(0, 3, count))
    animals = tuple(
        Animal((rng.uniform(0, 40), HEIGHT, rng.uniform(0, 40)), rng.uniform(0, 360)) for _ in range(others)
    )
    return Scene(
        things,
        places,
        np.array(turns).reshape(-1, 3, 3),
        sizes,
        rng.uniform(size=count) < 0.9,
        agent_at(rng, places),
        float(rng.choice([0.0, 90.0, rng.uniform(0, 360)])),
        others=animals,
    )


def agent_at(rng, places):
    """Somewhere in the arena, close to a thing, or leaning on the boundary."""
    x, z = rng.uniform(0.5, ARENA_SIZE - 0.5, 2)
    choice = rng.integers(4)
    if choice == 0 and len(places):
        x, _, z = places[rng.integers(len(places))] + rng.uniform(-2, 2, 3)
    elif choice == 1:
        x = rng.choice([0.5, ARENA_SIZE - 0.5])
        z = rng.choice([z, 0.5, 0.52, ARENA_SIZE - 0.5])
    height = rng.choice([HEIGHT, rng.uniform(0.3, 4)])
    return tuple(np.clip([x, height, z], [0.5, 0.0, 0.5], [39.5, 9.0, 39.5]).tolist())


def later(seen, rng):
    """The scene one step on: what moves moved, things tremble, one was pushed, eaten, resized or added."""
    moves = np.array([thing.moves for thing in seen.things], np.bool_)
    places = seen.positions + rng.normal(size=seen.positions.shape) * np.where(moves, 0.1, 1e-7)[:, None]
    turns = seen.rotations + 1e-6 * rng.normal(size=seen.rotations.shape)
    sizes, visible, things = seen.sizes.copy(), seen.visible.copy(), seen.things
    one, event = int(rng.integers(len(things))), rng.integers(6)
    if event == 0:
        turns[one] = tumbled(rng)
    elif event == 1:
        visible[one] = not visible[one]
    elif event == 2:
        sizes[one] = size_of(things[one].kind, rng)
    elif event == 3:
        more = scene_of(rng, 1)
        things, sizes = (*things, *more.things), np.vstack([sizes, more.sizes])
        places, turns = np.vstack([places, more.positions]), np.vstack([turns, more.rotations])
        visible = np.append(visible, True)
    return replace(
        seen,
        things=things,
        positions=places,
        rotations=turns,
        sizes=sizes,
        visible=visible,
        agent_position=agent_at(rng, places) if event == 4 else seen.agent_position,
        agent_yaw=seen.agent_yaw + 6.0 * int(rng.integers(-1, 2)),
    )
