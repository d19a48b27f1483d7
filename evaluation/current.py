"""Which episode is being played: for offline agents that know more than what a model is shown."""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from evaluation.engines.backend import backend, in_thread
from evaluation.suite import Environment, EpisodeSetup

Made = TypeVar("Made")


@dataclass
class CurrentEpisode:
    """The episode that a conversation is playing now.

    It is changed in place, because a tool call runs in a context of its own: what is set there is lost.
    """

    setup: EpisodeSetup
    environment: Environment

    async def compute(self, function: Callable[[], Made]) -> Made:
        """Call a function in the process that plays the episode; other episodes continue meanwhile."""
        return await in_thread(backend().compute, self.environment, function)


CURRENT: ContextVar[CurrentEpisode] = ContextVar("current_episode")
"""The episode of the present coroutine; set where a conversation begins."""
