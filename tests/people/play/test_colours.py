"""The colour-safe palette, and the stars that children see."""

import re

import numpy as np
import pytest

from people.pages import GAME as PAGE
from people.play.worker import WorkerEpisode
from people.play.worker_protocol import Open
from tests.people.store.played import SOLUTION, TASK

SEEN_BY = {
    "deuteranopia": "0.367322 0.860646 -0.227968  0.280085 0.672501 0.047413  -0.01182 0.04294 0.968881",
    "protanopia": "0.152286 1.052583 -0.204868  0.114503 0.786281 0.099216  -0.003882 -0.048116 1.051998",
}
"""How linear RGB looks without a kind of cone (Machado, Oliveira and Fernandes 2009, IEEE TVCG 15, 1291)."""

RED, GREEN = (0.9, 0.02, 0.02), (0.05, 0.6, 0.05)


def chromaticity(colour, kind):
    change = np.array(SEEN_BY[kind].split(), float).reshape(3, 3)
    seen = np.clip(change @ np.clip(colour, 0, 1), 1e-6, 1)
    return seen / seen.sum()


@pytest.mark.parametrize("kind", SEEN_BY)
def test_red_and_green_differ_for_those_who_confuse_them(kind):
    values = re.search(r'<feColorMatrix values="([^"]+)"', (PAGE / "play.html").read_text("utf-8"))[1]
    palette = np.array(values.split(), float).reshape(4, 5)[:3, :3]
    differences = [
        np.abs(chromaticity(change @ RED, kind) - chromaticity(change @ GREEN, kind)).max()
        for change in (np.eye(3), palette)
    ]
    assert differences[0] < 0.1
    assert differences[1] > 0.4
    # Greys stay as they are.
    assert np.allclose(palette.sum(1), 1)


def test_balls_are_counted_also_when_an_episode_is_rebuilt():
    start = Open(TASK, 7, 0)
    episode = WorkerEpisode(start._replace(actions=SOLUTION[:-1]))
    assert episode.opened().state.balls == 0
    assert episode.step(SOLUTION[-1:]).state.balls == 1
    episode.close()
    again = WorkerEpisode(start._replace(actions=SOLUTION))
    assert again.opened().state.balls == 1
    again.close()
