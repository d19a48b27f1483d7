"""Prediction of what happens if the agent does nothing: a copy of the episode, continued."""

import numpy as np

from arena import IDLE, Episode
from arena.scene import Floats

HORIZON = 200
"""Maximum number of predicted steps; fewer if everything comes to rest before."""

_STILL = 0.004
_STILL_STEPS = 6


def copy_of(episode: Episode) -> Episode:
    """The same episode in a world of its own: rebuilt and played by the same actions, so equal to the bit."""
    twin = Episode(episode.spec, task_id=episode.task_id, seed=episode.seed, trial=episode.trial)
    for action in episode.actions:
        twin.step(action)
    return twin


class Forecast:
    """Where everything will be: `positions` (steps + 1, things, 3), metres, from step `start` on."""

    def __init__(self, episode: Episode) -> None:
        self.start = episode.steps
        positions = [episode.scene().positions]
        still = 0
        with copy_of(episode) as twin:
            while len(positions) <= HORIZON and still < _STILL_STEPS and not twin.done:
                twin.step(IDLE)
                positions.append(twin.scene().positions)
                moved = np.abs(positions[-1] - positions[-2]).max(initial=0.0)
                still = still + 1 if moved < _STILL else 0
        self.positions: Floats = np.array(positions)

    def at(self, step: int) -> Floats:
        """The positions (things, 3) at a step of the episode; the last ones after the horizon."""
        return np.asarray(self.positions[min(max(step - self.start, 0), len(self.positions) - 1)])

    @property
    def end(self) -> int:
        """The last step that is known."""
        return self.start + len(self.positions) - 1

    def moves(self, index: int, step: int) -> bool:
        """Whether a thing moves away from its place after a step."""
        later = self.positions[max(step - self.start, 0) :, index]
        return bool(len(later) and np.abs(later - later[0]).max() > 0.1)

    def holds(self, positions: Floats, step: int, indices: list[int]) -> bool:
        """Whether things are where they were predicted to be."""
        if not indices:
            return True
        if step > self.end and len(self.positions) > HORIZON:
            return False
        return bool(np.abs(positions[indices] - self.at(step)[indices]).max() < 0.2)
