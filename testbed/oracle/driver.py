"""Simple motions in an episode: wait, turn, drive."""

from arena import BACKWARD, FORWARD, TURN_LEFT, TURN_RIGHT, Action, Episode
from arena.geometry.angles import wrap_deg

TURN_DEG = 6.0
"""Angle of one step of turning, degrees."""


def waiting(episode: Episode) -> Action:
    """The next action of waiting: turning left and right alternately, as scripts have no idle command."""
    return TURN_RIGHT if episode.steps % 2 else TURN_LEFT


class Driver:
    """Moves the agent of an episode until the episode is done, then does nothing."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self._parity = False

    def idle(self, steps: int) -> None:
        """Wait by turning right and left alternately."""
        for _ in range(steps):
            self._parity = not self._parity
            self.turn(1 if self._parity else -1)

    def turn(self, steps: int) -> None:
        """Turn by steps of 6 degrees, to the right if positive."""
        self._repeat(TURN_RIGHT if steps > 0 else TURN_LEFT, abs(steps))

    def face(self, bearing: float) -> None:
        """Turn to a bearing (degrees), as closely as steps of turning allow."""
        self.turn(round(wrap_deg(bearing - self.episode.yaw) / TURN_DEG))

    def drive(self, steps: int) -> None:
        """Drive forward, or backward if negative."""
        self._repeat(FORWARD if steps > 0 else BACKWARD, abs(steps))

    def _repeat(self, action: Action, count: int) -> None:
        for _ in range(count):
            if self.episode.done:
                return
            self.episode.step(action)
