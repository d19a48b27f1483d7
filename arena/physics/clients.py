"""Bullet's clients, used again: to make one takes ten times as long as to empty one."""

from arena.physics.bullet import bullet

MOST_IDLE = 2
"""So many are kept for the next worlds; each holds some 30 MB."""

_idle: list[int] = []


def take() -> int:
    """A client without bodies."""
    try:
        return _idle.pop()
    except IndexError:
        return int(bullet.connect(bullet.DIRECT))


def give_back(client: int) -> None:
    """Free the bodies of a client; nobody may use it any more.

    An emptied client simulates the same bits as a new one.
    """
    if len(_idle) < MOST_IDLE:
        bullet.resetSimulation(physicsClientId=client)
        _idle.append(client)
    else:
        bullet.disconnect(client)
