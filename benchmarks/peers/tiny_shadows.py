"""PyBullet's TinyRenderer with shadows."""

from benchmarks.peers.contenders import Timed, Work
from benchmarks.peers.tiny import about, frames

__all__ = ["about", "opened"]


def opened(work: Work, side: int, seed: int, batch: int) -> Timed:
    """Pictures with shadows."""
    return frames(side, seed, shadows=True)
