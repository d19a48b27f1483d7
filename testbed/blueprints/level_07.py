"""Level 7, internal modelling: tasks of levels 1 to 5 in which the lights go out."""

from testbed.blueprints.blueprint import Blueprint, Condition, Rng


def darkness(rng: Rng, of: Condition, after: int) -> Blueprint:
    """Acting from memory: after a first look it stays dark (delayed response, Hunter 1913)."""
    return _darkened(of.drawn(rng), (after + int(rng.integers(0, 6)),))


def dark_interval(rng: Rng, of: Condition, after: int, length: int) -> Blueprint:
    """Acting through a dark interval: where was the agent when the light went out, where is it now?"""
    begin = after + int(rng.integers(0, 6))
    return _darkened(of.drawn(rng), (begin, begin + length))


def blinking(rng: Rng, of: Condition, period: int) -> Blueprint:
    """Path integration with a light that goes off and on in regular turns."""
    return _darkened(of.drawn(rng), (-period - int(rng.integers(0, 6)),))


def flashes(rng: Rng, of: Condition, after: int, light: int, dark: int) -> Blueprint:
    """Path integration between short flashes of light in a long darkness."""
    task = of.drawn(rng)
    switches: list[int] = []
    now = after + int(rng.integers(0, 6))
    while now + dark + light < task.time_limit:
        switches += [now, now + dark]
        now += dark + light
    return _darkened(task, tuple(switches))


def _darkened(task: Blueprint, blackouts: tuple[int, ...]) -> Blueprint:
    """`blackouts` in the clock's units of five ticks, as the time limit is."""
    return task._replace(blackouts=blackouts, capacities=("internal model of the way", *task.capacities))
