"""PyBullet on its own: a world of as many boxes, with a camera, rays, or no sensor."""

from arena.physics.bullet import bullet
from arena.rays import CAST_LENGTH, Rays
from benchmarks.bare import BareWorld
from benchmarks.measure import random_actions, timed
from benchmarks.peers.contenders import Timed, Work
from benchmarks.peers.scenery import scene_subject


def about() -> dict[str, str]:
    """Bullet's version."""
    return {"bullet": str(bullet.getAPIVersion())}


def opened(work: Work, side: int, seed: int) -> Timed:
    """Steps of three ticks, each followed by its observation."""
    with scene_subject(seed) as subject:
        world: BareWorld = subject.bare()
    actions = random_actions("bench", seed)
    angles = Rays().angles

    def step() -> None:
        world.step(next(actions))
        if work is Work.CAMERA:
            world.picture(side)
        elif work is Work.RAYS:
            world.rays(angles, CAST_LENGTH)

    return lambda count: timed(count, step).seconds
