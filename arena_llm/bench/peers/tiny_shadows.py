"""PyBullet's TinyRenderer with shadows."""

from arena_llm.bench.peers.contenders import Timed, Work
from arena_llm.bench.peers.tiny import about, frames

__all__ = ["about", "opened"]


def opened(work: Work, side: int, seed: int, batch: int) -> Timed:
    """Pictures with shadows."""
    return frames(side, seed, shadows=True)
