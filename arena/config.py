"""What a task file asks for, as typed and frozen values.

A value may still be random here (a negative number, a list too short): `arena.layout.resolve` turns an
`ArenaSpec` into a concrete `Layout`. Field names are the newest YAML keys in snake case; the older
spellings are in `arena.load.KEYS`.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

MAX_METRES = 100_000.0
"""No coordinate is larger: beyond, the original's single precision cannot place a thing to the centimetre."""

Finite = Annotated[float, Field(allow_inf_nan=False)]
Metres = Annotated[float, Field(ge=-MAX_METRES, le=MAX_METRES, allow_inf_nan=False)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Vector3(_Frozen):
    """A point or size in metres; x right, y up, z forward. Missing is 0, negative is random."""

    x: Metres = 0.0
    y: Metres = 0.0
    z: Metres = 0.0


class RGB(_Frozen):
    """An sRGB colour, 0 to 255 per channel; more saturates, a negative channel is random."""

    r: Finite = 0.0
    g: Finite = 0.0
    b: Finite = 0.0


class Item(_Frozen):
    """One entry of an arena's item list: as many instances as the longest of its lists is long.

    Instance k takes entry k of each list; where a list is shorter the value counts as -1, i.e. random
    (section 8.2 of the behaviour specification). Rotations are degrees clockwise seen from above.
    `frozen_agent_delays` are seconds; only an Agent's first one counts.
    """

    name: str
    positions: tuple[Vector3, ...] = ()
    rotations: tuple[Finite, ...] = ()
    sizes: tuple[Vector3, ...] = ()
    colors: tuple[RGB, ...] = ()
    skins: tuple[str, ...] = ()
    frozen_agent_delays: tuple[Annotated[float, Field(ge=0, le=3600)], ...] = ()

    @property
    def instances(self) -> int:
        """How many objects the item stands for; at least 1."""
        lists = (
            self.positions,
            self.rotations,
            self.sizes,
            self.colors,
            self.skins,
            self.frozen_agent_delays,
        )
        return max(1, *map(len, lists))


class ArenaSpec(_Frozen):
    """One arena as asked for.

    `time_limit` is the YAML's `t`: the episode lasts 5/3 of it in environment steps, 0 means no limit.
    `pass_mark` is the total reward to reach, None where the file gives none ("unmarked": it can be
    played, not judged). `blackouts` are the frames at which the light toggles, or one negative period.
    """

    time_limit: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    pass_mark: Finite | None = None
    items: tuple[Item, ...] = ()
    blackouts: tuple[int, ...] = ()
    random_seed: int = 0


class ArenaFile(_Frozen):
    """A whole task file: its arenas by id, in file order, and what its author should know about it."""

    arenas: Mapping[Annotated[int, Field(ge=0)], ArenaSpec]
    randomize_arenas: bool = False
    show_notification: bool = False
    can_reset_episode: bool = True
    can_change_perspective: bool = True
    source: str = "<text>"
    warnings: tuple[str, ...] = ()
