"""The arrays that the kernel reads and writes.

Everything is in Animal-AI's frame (left-handed, y up), metres, seconds and kilograms. Where the order of a
sum decides its last bits, the two horizontal components come first. Rows are records, so that their fields
are attributes in Python too, where the kernel is not compiled.
"""

from enum import IntEnum

import numpy as np

EDGE = np.dtype(
    (np.record, [(name, "f8") for name in ("x", "y", "u", "v", "length", "out_x", "out_y", "offset")])
)
"""A side of a section: its first corner, unit direction and length, and its normal outwards with offset."""

PART = np.dtype(
    (
        np.record,
        [
            ("centre", "f8", 3),
            ("radius", "f8"),
            ("axes", "f8", (3, 3)),
            ("half", "f8", 3),
            ("rounding", "f8"),
            ("edges", EDGE, 4),
            ("is_prism", "i8"),
            ("owner", "i8"),
            ("collider", "i8"),
            ("role", "i8"),
            ("friction", "f8"),
            ("mass", "f8"),
            ("hold", "f8"),
            ("arm", "f8"),
            ("slide", "f8"),
            ("bottom", "f8"),
            ("motion", "f8", (4, 3)),
            ("still", "i8"),
        ],
    ),
    align=True,
)
"""A convex part of a thing: a box, a ball (a box of size 0 with a rounding) or a prism.

`centre` and the rows of `axes`, the part's own, are in the arena; `half` are its half extents along them,
`radius` that of the ball around it. A prism has the convex section of its `edges` in its own x and y.
`owner` is the index of its thing, `collider` the number of the collider that it belongs to: the wedges of a
tunnel are one.

The rest is for contacts: `role` (`Role`), `friction` against the agent, the `mass` of its thing, and for one
that stands on the floor the impulse `hold` that its weight can take in a tick (N s), its `arm` against
tipping, its friction on the floor (`slide`) and the height of its `bottom`.

The `motion` of a ball are its velocity (m/s) and spin (rad/s, by the right-hand formulas although the frame
is left-handed), and both during the last tick; it sleeps once it was `still` for long enough
(`arena.kernel.balls`).
"""


class Role(IntEnum):
    """What it means to touch a part."""

    FIXED = 0
    """It never moves."""
    HEAVY = 1
    """A wall or ramp: only a strong push moves it where it stands on the floor, any push elsewhere."""
    LOOSE = 2
    """It moves when touched."""
    BALL = 3
    """The agent eats it in the tick in which it touches it, and is slowed by its mass."""
    ZONE = 4
    """Not solid; being in it is an event."""
    BOUNDARY = 5
    """Of the walls around the arena, for rays; contacts with them have a rule of their own."""


CONTACT = np.dtype(
    (
        np.record,
        [
            ("normal", "f8", 3),
            ("gap", "f8"),
            ("friction", "f8"),
            ("mass_ratio", "f8"),
            ("surface", "f8", 3),
            ("surface_before", "f8", 3),
            ("impulse", "f8", 3),
            ("limit", "f8"),
            ("group", "i8"),
            ("owner", "i8"),
            ("along", "f8", 3),
            ("across", "f8", 3),
            ("leave", "f8"),
            ("press", "f8"),
            ("rub", "f8"),
            ("rub_across", "f8"),
        ],
    ),
    align=True,
)
"""A contact of the agent.

`normal` points to the agent, `gap` is the distance between the surfaces (negative: overlap), `friction` the
coefficient of the pair. `mass_ratio` is the agent's mass over that of a ball, which gives way, and 0 for
everything else. `surface` is the velocity of the touched surface, and `surface_before` its velocity
after the tick's forces have acted and before any contact is solved. `impulse` on the agent, N s per kg, is
found by the solver; above the horizontal impulse `limit` (N s) the touched body would move. Contacts are
solved in the order of `group` and `owner`. The rest is the solver's own.
"""

MOST_CONTACTS = 48
"""Contacts of one tick; with more, which only heaps of things make, Bullet takes over."""

BODY = 8
X, Y, Z, VX, VY, VZ, YAW, GROUNDED = range(BODY)
"""Values of the agent's body: centre, velocity (m/s), heading (degrees), whether it stands on something."""

CLOCK = 3
HEALTH, REWARD, DECAY = range(CLOCK)
"""Values of an account, float32: health 0 to 100, reward of this step so far, reward per tick."""
