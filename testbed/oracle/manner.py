"""How an attempt goes about a task."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Manner:
    """The choices of one attempt.

    `push`: what is loose is driven through, at a cost. `wait`: first lets everything come to rest. `leap`:
    may drive fast over edges and fly. `tinker`: so often tries to ram something loose, or to fly, where it
    sees no way. `careful` scales the cost of edges and walls. `longest` bounds the driven steps of a leg.
    `seed` is for what is tried at random.
    """

    push: bool = False
    wait: bool = False
    leap: bool = False
    tinker: int = 0
    careful: float = 1.0
    longest: int = 16
    seed: int = 0
