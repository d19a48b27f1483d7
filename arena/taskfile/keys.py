"""Every YAML spelling of versions 2 to 4, and the field of `arena.taskfile.config` that it sets."""

from typing import get_args

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from arena.taskfile.config import RGB, ArenaFile, ArenaSpec, Item, Operation, Vector3

_OTHERWISE_SPELLED = {
    "reward_position": "rewardSpawnPos",
    "reward_size": "spawnedRewardSize",
    "zone_id": "triggerZoneID",
    "zone_visible": "zoneVisibility",
    "initially_present": "objectInitiallyPresent",
    "weights": "operationWeights",
    "merge_next": "mergeNextArena",
}
"""Fields whose key is not their name in camel case."""

_OLDER = {"time_limit": "t", "pass_mark": "pass_mark", "random_seed": "random_seed"}
"""A second, older key of a field."""

_WITHOUT_KEY = ("type", "source", "warnings", "version", "then")
"""Fields that no key sets."""

MODELS: dict[str, type[BaseModel]] = {
    **{"ArenaConfig": ArenaFile, "Arena": ArenaSpec, "Item": Item, "Vector3": Vector3, "RGB": RGB},
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
        if name in _OLDER:
            keys[_OLDER[name]] = name
        if name not in _WITHOUT_KEY:
            keys[_OTHERWISE_SPELLED.get(name, to_camel(name))] = name
    return keys


KEYS = {tag: _keys(model) for tag, model in MODELS.items()}
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
