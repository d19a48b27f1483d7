"""Level 7, internal modelling: tasks of levels 1 to 5 without light. The lights go out at times."""

from testbed.blueprints.blueprint import Blueprint, Condition, Rng


def darkness(rng: Rng, of: Condition, after: int) -> Blueprint:
    """Acting from memory: it stays dark after a first look. Delayed response (Hunter 1913)."""
    return _darkened(of.drawn(rng), (after + int(rng.integers(0, 6)),))


def dark_interval(rng: Rng, of: Condition, after: int, length: int) -> Blueprint:
    """Acting through a dark interval by remembering and updating one's place."""
    begin = after + int(rng.integers(0, 6))
    return _darkened(of.drawn(rng), (begin, begin + length))


def blinking(rng: Rng, of: Condition, period: int) -> Blueprint:
    """Path integration with a light that blinks regularly."""
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
    """Return a task with `blackouts` in the clock's units. They are five ticks, like those of the time
    limit."""
    return task._replace(blackouts=blackouts, capacities=("internal model of the way", *task.capacities))
