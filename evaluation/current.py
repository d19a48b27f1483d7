"""Which episode is being played: for offline agents that know more than what a model is told."""

from contextvars import ContextVar
from dataclasses import dataclass

from evaluation.engines.backend import Known, Stage
from llm_control.choices import Protocol


@dataclass
class Seat:
    """A conversation's place at the arena: the episode that it plays now, under which protocol.

    It is changed in place, because a tool call runs in a context of its own: what is set there is lost.
    """

    episode: Known
    protocol: Protocol
    far: Stage | None = None
    """The episode's stage, where it is played in another process."""


PLAYED: ContextVar[Seat] = ContextVar("played")
"""The seat of the present coroutine; set where a conversation begins."""
