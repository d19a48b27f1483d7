"""What follows an episode tick by tick."""

from collections.abc import Callable, Sequence
from typing import Protocol

from arena.action import Action
from arena.rules import Event

Tick = Callable[[Sequence[Action], list[list[Event]]], bool]
"""Simulates a tick with an action for each agent, adds to the events of each, and returns whether it is the
last."""


class TickObserver(Protocol):
    """Called in every tick of an episode whose `observer` it is."""

    def before_tick(self, actions: Sequence[Action]) -> None:
        """A tick begins, with an action for each agent."""

    def after_tick(self, events: Sequence[Event]) -> None:
        """A tick has ended; `events` are those of agent 0 in it."""


def observed(tick: Tick, observer: TickObserver | None) -> Tick:
    """The function that simulates a tick, with calls of an observer around it."""
    if observer is None:
        return tick

    def run(actions: Sequence[Action], events: list[list[Event]]) -> bool:
        observer.before_tick(actions)
        known = len(events[0])
        over = tick(actions, events)
        observer.after_tick(events[0][known:])
        return over

    return run
