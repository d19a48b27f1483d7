"""The agent's sliding friction, computed contact by contact.

Bullet's own friction acts along two axes that are fixed before a tick is solved and include gravity and
drive; where floor and wall are touched together each contact then loads the other, and an agent sticks to
walls along which Unity's slides. Coulomb's law on the solved velocities has no such coupling.
"""

import math
from typing import NamedTuple

import numpy as np

from arena.scene import Floats, Vector


class Partner(NamedTuple):
    """What the agent slides on: its mass and motion.

    `inverse_mass` 1/kg, `inverse_inertia` (3, 3) in world axes, `velocity` m/s and `spin` rad/s of its
    centre; all zero for what cannot move.
    """

    inverse_mass: float
    inverse_inertia: Floats
    velocity: Floats
    spin: Floats


def friction_impulse(
    velocity: Vector, normal: Vector, limit: float, inverse_mass: float, partner: Partner | None, arm: Floats
) -> Vector:
    """The impulse (N s) on the agent from one contact.

    `velocity` is the agent's after the contacts were solved, `normal` points to it, `limit` is the friction
    coefficient times the normal impulse, `inverse_mass` the agent's in 1/kg; `arm` leads from the partner's
    centre to the contact point (metres). Without a partner the other side cannot move.
    """
    relative = velocity
    if partner is not None:
        at_point = partner.velocity + np.cross(partner.spin, arm)
        relative = (velocity[0] - at_point[0], velocity[1] - at_point[1], velocity[2] - at_point[2])
    into = relative[0] * normal[0] + relative[1] * normal[1] + relative[2] * normal[2]
    sliding = tuple(v - into * n for v, n in zip(relative, normal, strict=True))
    speed = math.sqrt(sliding[0] ** 2 + sliding[1] ** 2 + sliding[2] ** 2)
    if limit <= 0 or speed < 1e-12:
        return (0.0, 0.0, 0.0)
    along = (sliding[0] / speed, sliding[1] / speed, sliding[2] / speed)
    give = inverse_mass
    if partner is not None:
        lever = np.cross(arm, along)
        give += partner.inverse_mass + float(lever @ partner.inverse_inertia @ lever)
    size = min(limit, speed / give)
    return (-size * along[0], -size * along[1], -size * along[2])
