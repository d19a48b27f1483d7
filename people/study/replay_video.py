"""Replay of a finished episode: drawn again from its recording, by the workers that draw for players."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator

from arena import ACTIONS, Recording
from people.play.worker_protocol import Drawn, Open
from people.play.workers import EpisodeFailed, RemoteEpisode, WorkerPool
from testbed import Task

SIZE, QUALITY = 384, 80
"""Pixels per side and JPEG quality of the images."""

MAX_IMAGES = 1200
"""A longer episode is shown with every second step, or fewer."""

TIMEOUT_S = 20.0
"""An image that is not there after so long never comes."""


class _Images(asyncio.Queue[Drawn | EpisodeFailed]):
    """The images that the worker sends, or why there are no more."""

    def drawn(self, drawn: Drawn) -> None:
        self.put_nowait(drawn)

    def lost(self) -> None:
        self.failed("a worker process died")

    def failed(self, reason: str) -> None:
        self.put_nowait(EpisodeFailed(reason))

    async def next(self) -> Drawn:
        """The next image. Raises EpisodeFailed if it never comes."""
        try:
            image = await asyncio.wait_for(self.get(), TIMEOUT_S)
        except TimeoutError:
            raise EpisodeFailed("the image was not drawn in time") from None
        if isinstance(image, EpisodeFailed):
            raise image
        return image


async def replay_images(
    workers: WorkerPool, task: Task, recording: Recording, steps: int | None
) -> AsyncIterator[str]:
    """The images of an episode, each as a line of JSON: step, health, reward, image (a data URL).

    Only the first `steps` are shown, those that were played; None: all.
    Raises EpisodeFailed if it cannot be drawn.
    """
    images = _Images()
    start = Open(task, recording.seed, recording.trial, "keys")
    episode = RemoteEpisode(workers, start, images)
    try:
        state = (await episode.open()).state
        actions = [ACTIONS.index(action) for action in recording.unpacked()[:steps]]
        interval = 1 + len(actions) // MAX_IMAGES
        for first in range(0, len(actions) + interval, interval):
            episode.draw(0.0, "first", SIZE, QUALITY)
            drawn = await images.next()
            image = "data:image/jpeg;base64," + base64.b64encode(drawn.jpeg).decode()
            values = {
                "step": state.step,
                "health": state.health,
                "reward": state.total_reward,
                "image": image,
            }
            yield json.dumps(values) + "\n"
            if first < len(actions):
                state = (await episode.step(tuple(actions[first : first + interval]))).state
    finally:
        episode.close()
