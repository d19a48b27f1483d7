"""The contract of an agent that plays whole episodes by itself."""

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from evaluation.suite import EpisodeSetup, Record, TaskSpec


class Player(Protocol):
    """An agent that plays whole episodes by itself, without messages, such as a learned policy."""

    @property
    def draws(self) -> bool:
        """Whether it looks at pictures, for which OpenGL is needed."""
        ...

    def play(self, setup: "EpisodeSetup") -> "Record":
        """Play an episode to its end; called in other processes too."""
        ...

    def describe(self, task: "TaskSpec") -> str:
        """What a log has in the place of the first message."""
        ...

    def facts(self) -> dict[str, Any]:
        """What a log keeps of the agent, its SHA-256 among it if it is a file."""
        ...
