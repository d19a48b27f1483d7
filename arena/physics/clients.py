"""Pool of Bullet clients; creating one takes ten times as long as resetting one."""

from arena.physics.bullet import bullet

MOST_IDLE = 2
"""Maximum number of idle clients; each holds about 30 MB."""

_idle: list[int] = []


def acquire() -> int:
    """A client without bodies."""
    try:
        return _idle.pop()
    except IndexError:
        return int(bullet.connect(bullet.DIRECT))


def release(client: int) -> None:
    """Free the bodies of a client, which must not be used any more.

    A client that was reset simulates the same bits as a new one.
    """
    if len(_idle) < MOST_IDLE:
        bullet.resetSimulation(physicsClientId=client)
        _idle.append(client)
    else:
        bullet.disconnect(client)
