"""Arrays of the kernel, and tables of parts of shapes and arenas.

Everything is in Animal-AI's frame (left-handed, y up), metres, seconds and kilograms. Where the order of a
sum decides its last bits, the two horizontal components come first. Rows are records, so that their fields
are attributes in Python too, where the kernel is not compiled.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import cache, lru_cache
from typing import Annotated, Any, Protocol, TypeVar, get_type_hints, overload

import numpy as np
import numpy.typing as npt

from arena.geometry.shapes import boundary_parts, parts_of, prism_vertices, tube_wedges
from arena.kernel.compiled import compiled
from arena.scene import Floats, Vector, rotated
from arena.taskfile.kind import Shape

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Singles = npt.NDArray[np.float32]

RowT = TypeVar("RowT")


class Rows(Protocol[RowT]):
    """An array of records."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[RowT]: ...
    @overload
    def __getitem__(self, key: int, /) -> RowT: ...
    @overload
    def __getitem__(self, key: slice, /) -> "Rows[RowT]": ...
    def __setitem__(self, key: int, value: RowT, /) -> None: ...
    def copy(self) -> "Rows[RowT]":
        """Return an array of its own."""


def record(row: type, align: bool = False) -> np.dtype[Any]:
    """Return the dtype of rows from their class's annotations: numbers and arrays."""
    numbers = {float: ("f8",), int: ("i8",)}
    hints = get_type_hints(row, include_extras=True).items()
    fields = [(name, *(numbers.get(hint) or hint.__metadata__)) for name, hint in hints]
    return np.dtype((np.record, np.dtype(fields, align=align)))


Triple = Annotated[Floats, "f8", 3]
Matrix3 = Annotated[Floats, "f8", (3, 3)]
Motion = Annotated[Floats, "f8", (4, 3)]
"""Velocity (m/s) and spin (rad/s), then both during the last tick."""


class EdgeRow:
    """A side of a section. First corner, unit direction and length, and its normal outwards with offset."""

    x: float
    y: float
    u: float
    v: float
    length: float
    out_x: float
    out_y: float
    offset: float


EDGE = record(EdgeRow)


class PartRow:
    """A convex part of a thing: box, ball or prism. A ball is a box of size 0 with a rounding.

    `centre` and the rows of `axes`, the part's own, are in the arena; `half` are its half extents along them,
    `radius` that of the ball around it. A prism has the convex section of its `edges` in its own x and y.
    `owner` is the index of its thing, `collider` the number of the collider that it belongs to: the wedges of
    a tunnel are one.

    The rest is for contacts: `role` (`Role`), `friction` against the agent, the `mass` of its thing, and for
    one that stands on the floor the impulse `hold` that its weight can take in a tick (N s), its `arm`
    against tipping, its friction on the floor (`slide`) and the height of its `bottom`.

    A ball has a `motion` (its spin by the right-hand formulas although the frame is left-handed); it sleeps
    once it was `still` for long enough (`arena.kernel.motion`).
    """

    centre: Triple
    radius: float
    axes: Matrix3
    half: Triple
    rounding: float
    edges: Annotated[Rows[EdgeRow], EDGE, 4]
    is_prism: int
    owner: int
    collider: int
    role: int
    friction: float
    mass: float
    hold: float
    arm: float
    slide: float
    bottom: float
    motion: Motion
    still: int


PART = record(PartRow, align=True)
Table = Rows[PartRow]


class Role(IntEnum):
    """Role of a part that is touched."""

    FIXED = 0
    """An immovable part."""
    HEAVY = 1
    """A wall or ramp, moved only by strong pushes on the floor. Any push moves it elsewhere."""
    LOOSE = 2
    """A part that moves when touched."""
    BALL = 3
    """A ball, which the agent eats when it touches it. The agent is slowed by its mass."""
    ZONE = 4
    """A zone, which is not solid; being in it is an event."""
    BOUNDARY = 5
    """The walls around the arena, for rays. Contacts with them have a rule of their own."""


class ContactRow:
    """A contact of the agent or a ball.

    `normal` points to it, `gap` is the distance between the surfaces (negative: overlap), `friction` the
    coefficient of the pair. `mass_ratio` is the agent's mass over that of a ball, which gives way, and 0 for
    everything else. `surface` is the velocity of the touched surface, and `surface_before` its velocity after
    the tick's forces have acted and before any contact is solved. `impulse` on the agent, N s per kg, is
    found by the solver; above the horizontal impulse `limit` (N s) the touched body would move. Contacts are
    solved in the order of `group` and `owner`. The rest is the solver's own.
    """

    normal: Triple
    gap: float
    friction: float
    mass_ratio: float
    surface: Triple
    surface_before: Triple
    impulse: Triple
    limit: float
    group: int
    owner: int
    along: Triple
    across: Triple
    leave: float
    press: float
    rub: float
    rub_across: float


CONTACT = record(ContactRow, align=True)
Contacts = Rows[ContactRow]

MOST_CONTACTS = 48
"""Maximum contacts of a sphere in a tick. With more, as in heaps of things, all bodies are solved."""

BODY = 8
X, Y, Z, VX, VY, VZ, YAW, GROUNDED = range(BODY)
"""Values of the agent's body. Centre, velocity (m/s), heading (degrees), whether it stands on something."""

CLOCK = 3
HEALTH, REWARD, DECAY = range(CLOCK)
"""Values of an account, float32. Health 0 to 100, reward of this step so far, reward per tick."""

Parts = npt.NDArray[Any]
"""An array of `PART`."""

_BYTES = np.dtype((np.void, PART.itemsize))

_SWAP_XZ = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
"""Matrix that swaps x and z. A ramp's triangle is in y and z, a prism's section in x and y."""


@cache
def _boundary() -> Parts:
    """Return the parts of the four walls around the arena. They are in its frame; one collider each."""
    rows = _boxes(boundary_parts())
    rows["role"] = Role.BOUNDARY
    return rows


@lru_cache(maxsize=1024)
def shape_parts(shape: Shape, size: Vector, fitted: bool = False) -> Parts:
    """Return the parts of a shape of some size (metres), read-only. They are in its own frame; `fitted` L, J
    and U blocks are those of version 4 (`arena.taskfile.catalog.Kind`)."""
    if parts := parts_of(shape, size, fitted):
        rows = _boxes(parts)
    elif shape is Shape.PRISM:
        foot, toe, top = prism_vertices(size)[[0, 2, 4]][:, [2, 1]]
        rows = _prisms(np.array([[foot, toe, (toe + top) / 2, top]]), size[0], _SWAP_XZ)
    elif shape is Shape.TUBE:
        rows = _prisms(np.array(tube_wedges(size))[:, :4, :2], size[2], np.eye(3))
    elif shape is Shape.BALL:
        rows = _boxes([((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))])
        rows["rounding"] = rows["radius"] = size[0] / 2
    else:
        rows = _boxes([((0.0, 0.0, 0.0), size)])
    rows.setflags(write=False)
    return rows


def one_table(tables: Sequence[Parts]) -> Parts:
    """Return a copy of several tables in one."""
    # As bytes: NumPy compares the fields of all tables first.
    return np.concatenate([np.empty(0, _BYTES), *(table.view(_BYTES) for table in tables)]).view(PART)


def arena_parts(things: Sequence[Parts], owners: Iterable[int], boundary: int) -> Parts:
    """Return an arena's table: parts of things, then of the boundary. Parts have their owner; `boundary` is
    the boundary's. Colliders are numbered through."""
    parts = [*things, _boundary()]
    table, counts = one_table(parts), [len(each) for each in parts]
    table["owner"] = np.repeat([*owners, boundary], counts)
    # No thing has more colliders than parts.
    table["collider"] += np.repeat(np.cumsum([0, *counts[:-1]]), counts)
    return table


def _boxes(boxes: Sequence[tuple[Vector, Vector]]) -> Parts:
    """Return boxes of some centres and sizes; each is a collider."""
    rows = np.zeros(len(boxes), PART)
    rows["centre"], rows["axes"] = [centre for centre, _ in boxes], np.eye(3)
    rows["half"] = np.array([size for _, size in boxes]) / 2
    rows["radius"] = np.linalg.norm(rows["half"], axis=1)
    rows["collider"] = np.arange(len(boxes))
    return rows


def _prisms(sections: Floats, length: float, axes: Floats) -> Parts:
    """Return prisms of a length over convex sections (k, 4, 2). They are about their bounding boxes, and
    together a collider. The rows of `axes` (3, 3) are their own."""
    low, high = sections.min(axis=1), sections.max(axis=1)
    middle, lengths = (low + high) / 2, np.full(len(sections), length)
    rows = np.zeros(len(sections), PART)
    rows["axes"], rows["is_prism"] = axes, True
    rows["centre"] = rotated(np.column_stack([middle, np.zeros(len(sections))]), axes.T)
    rows["half"] = np.column_stack([high - low, lengths]) / 2
    rows["radius"] = np.linalg.norm(rows["half"], axis=1)
    rows["edges"] = _edges(sections - middle[:, None])
    return rows


def _edges(sections: Floats) -> npt.NDArray[Any]:
    """Return sides (k, 4) of sections (k, 4, 2) about the origin. Sections are convex."""
    along = np.roll(sections, -1, axis=1) - sections
    length = np.sqrt((along * along).sum(axis=-1, keepdims=True))
    along = along / length
    normal = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    normal *= np.sign((normal * sections).sum(axis=(1, 2)))[:, None, None]
    offset = (normal * sections).sum(axis=-1, keepdims=True)
    return np.concatenate([sections, along, length, normal, offset], axis=-1).view(EDGE)[..., 0]


@compiled
def place(parts: Any, positions: Any, rotations: Any, placed: Any) -> None:
    """Write centres and axes of `placed` for the poses of its things. It is a copy of `parts`. Poses are
    positions (n, 3) and rotations (n, 3, 3); parts whose owner is not among the n stay."""
    for number in range(len(parts)):
        part, now = parts[number], placed[number]
        if part.owner >= len(positions):
            continue
        turn, centre = rotations[part.owner], part.centre
        for k in range(3):
            x, y, z = part.axes[k, 0], part.axes[k, 1], part.axes[k, 2]
            for j in range(3):
                now.axes[k, j] = x * turn[j, 0] + y * turn[j, 1] + z * turn[j, 2]
            offset = turn[k, 0] * centre[0] + turn[k, 1] * centre[1] + turn[k, 2] * centre[2]
            now.centre[k] = positions[part.owner, k] + offset
