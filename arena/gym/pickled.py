"""An episode between its steps as a value that can be pickled: it is replayed to where it was."""

from typing import Any, NamedTuple

from arena.episode import Episode
from arena.errors import RecordingError
from arena.recording import Recording
from arena.replay import Replay
from arena.taskfile.config import ArenaSpec


class Kept(NamedTuple):
    """All that an episode is made of again; physics itself cannot be stored to the last bit."""

    spec: ArenaSpec
    recording: Recording

    @classmethod
    def of(cls, episode: Episode) -> "Kept":
        """An episode as it is now."""
        return cls(episode.spec, episode.recording())

    def replayed(self) -> Episode:
        """The episode again; raises RecordingError where other software makes something else of it."""
        kept = self.recording
        episode = Replay(kept, self.spec).to_end()
        if (episode.total_reward, episode.health) != (kept.total_reward, kept.health):
            episode.close()
            raise RecordingError(
                f"{kept.task_id}: the environment's episode does not replay here: reward and health are "
                f"{episode.total_reward:g} and {episode.health:g}, expected {kept.total_reward:g} and "
                f"{kept.health:g}; it was pickled by {kept.versions}"
            )
        return episode


class KeepsEpisode:
    """An environment that can be copied and pickled, also within an episode; a copy has its own physics."""

    _episode: Episode | None

    def __getstate__(self) -> dict[str, Any]:
        """With the episode as something that can be replayed."""
        return self.__dict__ | {"_episode": None if self._episode is None else Kept.of(self._episode)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        kept: Kept | None = state["_episode"]
        self._episode = None if kept is None else kept.replayed()
