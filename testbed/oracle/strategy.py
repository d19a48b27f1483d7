"""How an attempt goes about a task."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Strategy:
    """The choices of one attempt.

    `push`: drive through loose objects, at a cost. `wait`: first let everything come to rest. `leap`: may
    drive fast over edges and fly. `probes`: maximum number of random probes (ramming something loose, or a
    leap) when no path is found. `careful` scales the cost of edges and walls. `longest` is the maximum number
    of driven steps per leg. `seed` is for random probes.
    """

    push: bool = False
    wait: bool = False
    leap: bool = False
    probes: int = 0
    careful: float = 1.0
    longest: int = 16
    seed: int = 0
