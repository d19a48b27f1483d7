"""arena-llm's learning environment on the peers' scene, for `benchmarks.peers.worker`."""

from benchmarks.peers.contenders import Timed, Work
from benchmarks.peers.ours import about
from benchmarks.peers.scenery import SCENE_FILE
from benchmarks.rl.setups import BOTH, RAYS, VECTOR, Setup, held_actions, seconds_of_steps

__all__ = ["about", "opened"]


def opened(work: Work, side: int, seed: int, batch: int) -> Timed:
    """Steps of the environment; resets are not timed."""
    setups = {Work.RAYS: RAYS, Work.BARE: VECTOR, Work.BOTH: BOTH}
    setup = setups[work] if work in setups else Setup("camera", "camera", side)
    env = setup.made(SCENE_FILE)
    env.reset(seed=seed)
    actions = held_actions("bench", seed)
    return lambda count: seconds_of_steps(env, actions, count)
