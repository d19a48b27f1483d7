"""arena-llm's renderer, drawing several scenes in one call."""

from time import perf_counter

from benchmarks.peers.contenders import Timed, Work
from benchmarks.peers.ours import about
from benchmarks.peers.scenery import scene_subject
from render import BatchRenderer

__all__ = ["about", "opened"]


def opened(work: Work, side: int, seed: int, batch: int) -> Timed:
    """Frames of `batch` episodes a call; a count is rounded up to full calls, and the time is per count."""
    renderer = BatchRenderer(batch, side, side)
    subjects = [scene_subject(seed + number) for number in range(batch)]

    def frames(count: int) -> float:
        calls, seconds = -(-count // batch), 0.0
        for _ in range(calls):
            for subject in subjects:
                subject.step()
            started = perf_counter()
            renderer.frames([subject.episode.scene() for subject in subjects])
            seconds += perf_counter() - started
        return seconds * count / (calls * batch)

    return frames
