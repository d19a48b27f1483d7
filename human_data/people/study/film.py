"""A finished episode as a film: drawn again from its recording, by the processes that draw for players."""

import asyncio
import struct
from collections.abc import AsyncIterator

from arena import ACTIONS, Recording
from human_data.people.play.wire import Draw, Drawn, View
from human_data.people.play.workers import EpisodeFailed, RemoteEpisode, Workers
from testbed import Task

SIZE, QUALITY = 384, 80
"""Pixels a side, and JPEG quality, of a film."""

MOST_PICTURES = 1200
"""Of a film; a longer episode is shown with every second step, or fewer."""

DRAWN_S = 20.0
"""A picture that is not there after so long does not come: its process has died."""

HEADER = struct.Struct("<IIff")
"""Bytes of the JPEG file that follows, step, health (0 to 100), total reward so far."""


async def film(
    workers: Workers, task: Task, recording: Recording, view: View = "first"
) -> AsyncIterator[bytes]:
    """Pictures of an episode from its start to its end, each behind its `HEADER`.

    Raises EpisodeFailed where it cannot be drawn.
    """
    pictures: asyncio.Queue[Drawn] = asyncio.Queue()
    episode = RemoteEpisode(workers, task, recording.seed, recording.trial, "keys", pictures.put_nowait)
    try:
        state = (await episode.open()).state
        actions = [ACTIONS.index(action) for action in recording.unpacked()]
        every = 1 + len(actions) // MOST_PICTURES
        for first in range(0, len(actions) + every, every):
            episode.draw(Draw(0, 0.0, view, SIZE, QUALITY))
            drawn = await asyncio.wait_for(pictures.get(), DRAWN_S)
            yield HEADER.pack(len(drawn.jpeg), state.step, state.health, state.total_reward) + drawn.jpeg
            if first < len(actions):
                state = (await episode.step(tuple(actions[first : first + every]))).state
    except TimeoutError:
        raise EpisodeFailed("the picture did not come") from None
    finally:
        episode.close()
