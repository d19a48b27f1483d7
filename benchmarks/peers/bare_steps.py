"""PyBullet on its own: a world of as many boxes, with a camera, with rays or without either."""

from arena.physics.bullet import bullet
from arena.rays.rays import CAST_LENGTH, Rays
from benchmarks.bare import BareWorld
from benchmarks.measure import random_actions, timed
from benchmarks.peers.contenders import Timed, Work
from benchmarks.peers.ours import RAYS_PER_SIDE
from benchmarks.peers.scenery import scene_subject


def about() -> dict[str, str]:
    """Bullet's version."""
    return {"bullet": str(bullet.getAPIVersion())}


def opened(work: Work, side: int, seed: int, batch: int) -> Timed:
    """Steps of three ticks, each followed by what the work asks for."""
    with scene_subject(seed) as subject:
        world: BareWorld = subject.bare()
    actions = random_actions("bench", seed)
    angles = Rays(RAYS_PER_SIDE).angles

    def step() -> None:
        world.step(next(actions))
        if work is Work.CAMERA:
            world.picture(side)
        elif work is Work.RAYS:
            world.rays(angles, CAST_LENGTH)

    return lambda count: timed(count, step).seconds
