"""What all environments share: one episode at a time, which can be copied and pickled."""

from typing import Any, NamedTuple

from gymnasium.error import ResetNeeded

from arena.cameras import Frame
from arena.episode import Episode
from arena.errors import RecordingError
from arena.gym.sensors import Sensors
from arena.recording import Recording
from arena.replay import Replay
from arena.taskfile.config import ArenaSpec


class PickledEpisode(NamedTuple):
    """An episode as it is pickled: replayed when it is read, as the physics cannot be stored exactly."""

    spec: ArenaSpec
    recording: Recording

    def replayed(self) -> Episode:
        """The episode; raises RecordingError if other software replays it differently."""
        recorded = self.recording
        episode = Replay(recorded, self.spec).to_end()
        if (episode.total_reward, episode.health) != (recorded.total_reward, recorded.health):
            episode.close()
            raise RecordingError(
                f"{recorded.task_id}: the environment's episode does not replay here: reward and health are "
                f"{episode.total_reward:g} and {episode.health:g}, expected {recorded.total_reward:g} and "
                f"{recorded.health:g}; it was pickled by {recorded.versions}"
            )
        return episode


class PlaysEpisode:
    """Base of the environments. It can be copied and pickled, even during an episode; a copy has its own
    physics."""

    render_mode: str | None
    sensors: Sensors
    """What agents observe."""
    _episode: Episode | None = None

    @property
    def episode(self) -> Episode:
        """The current episode. Raises ResetNeeded if there is none."""
        if self._episode is None:
            raise ResetNeeded("call reset() first: there is no episode")
        return self._episode

    def render(self) -> Frame | None:
        """The (first) agent's view, uint8 (render_resolution, render_resolution, 3); None without a mode."""
        return self.sensors.view(self.episode) if self.render_mode else None

    def close(self) -> None:
        """Free the physics of the current episode."""
        if self._episode is not None:
            self._episode.close()
        self._episode = None

    def __getstate__(self) -> dict[str, Any]:
        """The state, with the episode as a `PickledEpisode`."""
        episode = self._episode
        return self.__dict__ | {"_episode": episode and PickledEpisode(episode.spec, episode.recording())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        pickled: PickledEpisode | None = state["_episode"]
        self._episode = None if pickled is None else pickled.replayed()
