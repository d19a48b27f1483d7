"""What follows an episode tick by tick."""

from collections.abc import Sequence
from typing import Protocol

from arena.action import Action
from arena.rules import Event


class TickObserver(Protocol):
    """Called in every tick of an episode whose `observer` it is."""

    def before_tick(self, actions: Sequence[Action]) -> None:
        """A tick begins, with an action for each agent."""

    def after_tick(self, events: Sequence[Event]) -> None:
        """A tick has ended; `events` are those of agent 0 in it."""
