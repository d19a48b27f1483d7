"""Which episode is being played: for offline agents that know more than what a model is told."""

from contextvars import ContextVar

from arena import Episode

PLAYED: ContextVar[Episode] = ContextVar("played")
"""The episode that the present coroutine plays; set where an episode begins."""
