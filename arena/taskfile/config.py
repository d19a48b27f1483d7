"""Specifications: the contents of a task file as typed and frozen values.

Values may still be random here (a negative number, a list that is too short); `arena.geometry.layout.resolve`
makes a concrete `Layout` from an `ArenaSpec`. Field names are the newest YAML keys in snake case; every other
spelling is in `KEYS`.
"""

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic.alias_generators import to_camel

from arena.errors import ConfigError
from arena.packages import data_of
from arena.science.families import FloorQuestion, Question
from arena.seeds import ChanceName
from arena.taskfile.versions import Version

MAX_METRES = 100_000.0
"""Maximum of coordinates. Beyond it, the original's single precision is coarser than a centimetre."""

Finite = Annotated[float, Field(allow_inf_nan=False)]
Metres = Annotated[float, Field(ge=-MAX_METRES, le=MAX_METRES, allow_inf_nan=False)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Vector3(_Frozen):
    """A point or size in metres; x right, y up, z forward. The default is 0, negative is random."""

    x: Metres = 0.0
    y: Metres = 0.0
    z: Metres = 0.0


class RGB(_Frozen):
    """An sRGB colour, 0 to 255 per channel. More is clipped, a negative channel is random."""

    r: Finite = 0.0
    g: Finite = 0.0
    b: Finite = 0.0


Seconds = Annotated[float, Field(ge=0, le=3600)]
Finites = tuple[Finite, ...]
Times = tuple[Annotated[float, Field(ge=-1, le=3600)], ...]
"""Seconds per instance; the meaning of negative values depends on the field."""


ZoneName = str | int | float
"""The name of a data zone; numbers are read as their text."""


class Item(_Frozen):
    """One entry of an arena's item list. The number of instances is the length of its longest list.

    Instance k takes entry k of each list. If a list is shorter the value counts as -1: random, or the kind's
    default if it cannot be random (`ArenaBuilders.cs`). Rotations are degrees, clockwise seen from above.
    `frozen_agent_delays`, times and durations are in seconds; `delays` (of changing goals) are in ticks,
    `change_rates` are per tick. The last fields are for buttons and data zones.
    """

    name: str
    positions: tuple[Vector3, ...] = ()
    rotations: Finites = ()
    sizes: tuple[Vector3, ...] = ()
    colors: tuple[RGB, ...] = ()
    skins: tuple[str, ...] = ()
    teams: tuple[Annotated[int, Field(ge=0)], ...] = ()
    frozen_agent_delays: tuple[Seconds, ...] = ()
    symbol_names: tuple[str, ...] = ()
    delays: Finites = ()
    initial_values: Finites = ()
    final_values: Finites = ()
    change_rates: Finites = ()
    spawn_counts: tuple[int, ...] = ()
    spawn_colors: tuple[RGB, ...] = ()
    times_between_spawns: Times = ()
    ripen_times: Times = ()
    door_delays: Times = ()
    times_between_door_opens: Times = ()
    move_durations: Times = ()
    reset_durations: Times = ()
    spawn_probability: Annotated[float, Field(ge=0, le=1)] = 1.0
    reward_names: tuple[str, ...] = ()
    reward_weights: tuple[Annotated[float, Field(ge=0, allow_inf_nan=False)], ...] = ()
    max_reward_counts: tuple[int, ...] = ()
    reward_position: Vector3 = Vector3()
    reward_size: Vector3 = Vector3(x=1.0, y=1.0, z=1.0)
    zone_id: ZoneName | tuple[ZoneName, ...] | None = None
    zone_visible: bool = True
    operations: "tuple[Operation, ...]" = ()

    @property
    def instances(self) -> int:
        """Number of objects of the item, at least 1."""
        return max(1, *map(len, _lists_of(self)))


_OF_ALL = {"reward_names", "reward_weights", "max_reward_counts", "operations"}
"""The lists of an item that hold for all its instances. The others have one entry per instance."""

_lists_of = attrgetter(
    *(name for name, field in Item.model_fields.items() if field.default == () and name not in _OF_ALL)
)


class EndEpisode(_Frozen):
    """Ends the episode of the triggering agent with a last reward."""

    type: Literal["endEpisode"]
    reward: Finite = 0.0


class GrantReward(_Frozen):
    """Rewards the triggering agent."""

    type: Literal["grantReward"]
    reward: Finite = 1.0


class GrantContinuousReward(_Frozen):
    """Rewards an agent for every tick in the data zone. Twice in the first; no effect from a button."""

    type: Literal["grantContinuousReward"]
    reward_per_step: Finite


class FreezeAgent(_Frozen):
    """Freezes the triggering agent for a number of ticks."""

    type: Literal["freezeAgent"]
    freeze_steps: Annotated[int, Field(ge=0)]


class ToggleObject(_Frozen):
    """Makes an object appear, and disappear the next time. Alternatively, another one appears each time."""

    type: Literal["toggleObject"]
    spawnable: Item
    initially_present: bool = False
    spawn_and_forget: bool = False


class LimitedInvocations(_Frozen):
    """Another operation, at most a given number of times. -1 means no limit."""

    type: Literal["limitedInvocationsOperation"]
    max_invocations: Annotated[int, Field(ge=-1)]
    operation: "Operation"


class OperationFromList(_Frozen):
    """One of several operations, drawn by weight; equal weights by default."""

    type: Literal["operationFromList"]
    operations: "tuple[Operation, ...]"
    weights: tuple[Annotated[float, Field(ge=0, allow_inf_nan=False)], ...] = ()


class NoneOperation(_Frozen):
    """Has no effect."""

    type: Literal["noneOperation"]


Operation = Annotated[
    EndEpisode
    | GrantReward
    | GrantContinuousReward
    | FreezeAgent
    | ToggleObject
    | LimitedInvocations
    | OperationFromList
    | NoneOperation,
    Field(discriminator="type"),
]
"""Operation of a button or a data zone (4.3 and later)."""

Item.model_rebuild()
LimitedInvocations.model_rebuild()
OperationFromList.model_rebuild()


class ArenaSpec(_Frozen):
    """The specification of an arena.

    `time_limit` is the YAML's `t`: the episode lasts 5/3 of it in environment steps, 0 means no limit.
    `pass_mark` is the total reward to reach; None means that the arena can be played but is not graded.
    `blackouts` are the frames at which the light toggles, or one negative period. `then` is the arena that
    follows in the same episode after a success (`mergeNextArena`). With several agents, `episode_end` says
    whether the first or the last to finish ends the episode. `chance` is the generator of random values:
    our own, or the original's (`arena.seeds`). `question` is what its pads and doors are
    about; there is exactly one item of each kind that belongs to its family then.
    """

    time_limit: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    pass_mark: Finite | None = None
    items: tuple[Item, ...] = ()
    blackouts: tuple[int, ...] = ()
    random_seed: int = 0
    merge_next: bool = False
    episode_end: Literal["any", "all"] = "any"
    version: Version = Version.V3
    then: "ArenaSpec | None" = None
    # Neither is in the JSON of other arenas, whose hash is in recordings.
    chance: ChanceName = Field(default="own", exclude_if=lambda each: each == "own")
    question: Question | None = Field(default=None, exclude_if=lambda each: each is None)

    @field_validator("question")
    @classmethod
    def _has_its_objects(cls, question: Question | None, info: ValidationInfo) -> Question | None:
        """Refuse a question with wrong numbers of things."""
        if question is not None and "items" in info.data:
            for name, expected in _objects(question, _has_blocks(info.data["items"])).items():
                found = [item.instances for item in info.data["items"] if item.name == name]
                if found != [expected]:
                    got = " + ".join(map(str, found)) or "no"
                    raise ValueError(f"expected one {name} item with {expected} instances, got {got}")
        return question

    @property
    def has_blocks(self) -> bool:
        """True if experiments are made by pushing blocks onto pads."""
        return _has_blocks(self.items)


def _has_blocks(items: Iterable[Item]) -> bool:
    return any(item.name == "BlockPad" for item in items)


def _objects(question: Question, blocks: bool) -> dict[str, int]:
    """Return the required number of each kind for a question. Its pads are those for blocks, or others."""
    pads = len(question.open_lanes()) if isinstance(question, FloorQuestion) else question.things
    apparatus = {
        "machine": {"Machine": 1, "Token": pads},
        "slopes": {"Slider": pads},
        "instrument": {"Meter": 1, "Token": pads},
        "floor": {"Roller": pads},
    }
    by = {"BlockPad": pads, "Block": pads} if blocks else {"Pad": pads}
    return {**apparatus[question.family], "MarkedDoor": question.doors, **by}


class ArenaFile(_Frozen):
    """A task file: arenas by id, in file order, and warnings. The warnings are for its author."""

    arenas: Mapping[Annotated[int, Field(ge=0)], ArenaSpec]
    randomize_arenas: bool = False
    show_notification: bool = False
    can_reset_episode: bool = True
    can_change_perspective: bool = True
    laboratory: bool = False
    source: str = "<text>"
    warnings: tuple[str, ...] = ()

    def drawn_by(self, chance: str) -> "ArenaFile":
        """Return the file with another `chance` of its arenas. Raises ConfigError for an unknown one."""
        if chance not in get_args(ChanceName):
            raise ConfigError(f"chance: got {chance!r}, expected one of {', '.join(get_args(ChanceName))}")
        if all(arena.chance == chance for arena in self.arenas.values()):
            return self
        arenas = {key: arena.model_copy(update={"chance": chance}) for key, arena in self.arenas.items()}
        return self.model_copy(update={"arenas": arenas})

    @property
    def starts(self) -> tuple[int, ...]:
        """Ids of the arenas that begin an episode. Arenas merged by the one before are left out."""
        merged = [False, *(arena.merge_next for arena in self.arenas.values())]
        return tuple(number for number, follows in zip(self.arenas, merged, strict=False) if not follows)


_SPELLING = data_of(__package__, "keys.yaml")

_WITHOUT_KEY = ("type", "family", "source", "warnings", "version", "then", "chance")
"""Fields that no key sets."""

QUESTIONS: dict[str, type[BaseModel]] = {
    model.model_fields["family"].default.capitalize(): model for model in get_args(get_args(Question)[0])
}
"""Tags of the questions of laboratory files: their families, capitalized."""

MODELS: dict[str, type[BaseModel]] = {
    **{"ArenaConfig": ArenaFile, "Arena": ArenaSpec, "Item": Item, "Vector3": Vector3, "RGB": RGB},
    **QUESTIONS,
    **{
        get_args(model.model_fields["type"].annotation)[0]: model
        for model in get_args(get_args(Operation)[0])
    },
}
"""The model of each tag."""

OPERATIONS = tuple(tag for tag, model in MODELS.items() if "type" in model.model_fields)
"""Tags of the operations of 4.3 and later (the original's `docs/Operations-guide.md`)."""


def _keys(model: type[BaseModel]) -> dict[str, str]:
    keys = {}
    for name in model.model_fields:
        if name in _SPELLING["older"]:
            keys[_SPELLING["older"][name]] = name
        if name not in _WITHOUT_KEY:
            keys[_SPELLING["otherwise"].get(name, to_camel(name))] = name
    return keys


KEYS = {tag: _keys(model) for tag, model in MODELS.items()}
"""For each tag, every spelling and the field it sets."""

ENTRIES: Mapping[str, str] = _SPELLING["entries"]
"""Entry tag of each field that holds a list of mappings."""

VALUES = {"reward_position": "Vector3", "reward_size": "Vector3", "spawnable": "Item"}
"""Tag of each field that holds one mapping."""

OPERATION_FIELDS = ("operation", "operations")
"""Fields that hold an operation or a list of them. Each operation has its own tag."""

SINCE_4 = frozenset(_SPELLING["since_4"])
"""Keys that do not exist in version 3.1.3."""
