"""Every YAML spelling of versions 2 to 4, and the field of `arena.taskfile.config` that it sets."""

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from arena.taskfile.config import (
    RGB,
    ArenaFile,
    EndEpisode,
    FreezeAgent,
    GrantContinuousReward,
    GrantReward,
    Item,
    LimitedInvocations,
    NoneOperation,
    OperationFromList,
    ToggleObject,
    Vector3,
)

_OTHERWISE_SPELLED = {
    "reward_position": "rewardSpawnPos",
    "reward_size": "spawnedRewardSize",
    "zone_id": "triggerZoneID",
    "zone_visible": "zoneVisibility",
    "initially_present": "objectInitiallyPresent",
    "weights": "operationWeights",
}
"""Fields whose key is not their name in camel case."""

_WITHOUT_KEY = ("type", "source", "warnings")
"""Fields that no key sets."""


def _keys(model: type[BaseModel]) -> dict[str, str]:
    fields = [name for name in model.model_fields if name not in _WITHOUT_KEY]
    return {_OTHERWISE_SPELLED.get(name, to_camel(name)): name for name in fields}


OPERATIONS: dict[str, dict[str, str]] = {
    "endEpisode": _keys(EndEpisode),
    "grantReward": _keys(GrantReward),
    "grantContinuousReward": _keys(GrantContinuousReward),
    "freezeAgent": _keys(FreezeAgent),
    "toggleObject": _keys(ToggleObject),
    "limitedInvocationsOperation": _keys(LimitedInvocations),
    "operationFromList": _keys(OperationFromList),
    "noneOperation": _keys(NoneOperation),
}
"""Keys of each operation of 4.3 and later (the original's `docs/Operations-guide.md`), by its tag."""

KEYS: dict[str, dict[str, str]] = {
    "ArenaConfig": _keys(ArenaFile),
    "Arena": {
        "t": "time_limit",
        "timeLimit": "time_limit",
        "pass_mark": "pass_mark",
        "passMark": "pass_mark",
        "items": "items",
        "blackouts": "blackouts",
        "random_seed": "random_seed",
        "randomSeed": "random_seed",
        "mergeNextArena": "merge_next",
        "episodeEnd": "episode_end",
    },
    "Item": _keys(Item),
    "Vector3": _keys(Vector3),
    "RGB": _keys(RGB),
    **OPERATIONS,
}
"""For each tag, every spelling and the field it sets."""

ENTRIES = {
    "arenas": "Arena",
    "items": "Item",
    "positions": "Vector3",
    "sizes": "Vector3",
    "colors": "RGB",
    "spawn_colors": "RGB",
}
"""Tag of the entries of each field that holds a list of mappings."""

VALUES = {"reward_position": "Vector3", "reward_size": "Vector3", "spawnable": "Item"}
"""Tag of each field that holds one mapping."""

OPERATION_FIELDS = ("operation", "operations")
"""Fields that hold an operation or a list of them; each operation has its own tag."""

SINCE_4 = frozenset(
    {
        "mergeNextArena", "episodeEnd", "teams", "spawnedRewardSize", "triggerZoneID", "zoneVisibility",
        "operations",
    }
)  # fmt: skip
"""Keys that do not exist in version 3.1.3."""
