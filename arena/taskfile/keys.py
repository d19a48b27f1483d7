"""Every YAML spelling of versions 2 to 4, and the field of `arena.taskfile.config` that it sets."""

_KEYS_OF_VECTOR = {"x": "x", "y": "y", "z": "z"}
_KEYS_OF_COLOR = {"r": "r", "g": "g", "b": "b"}

OPERATIONS: dict[str, dict[str, str]] = {
    "endEpisode": {"reward": "reward"},
    "grantReward": {"reward": "reward"},
    "grantContinuousReward": {"rewardPerStep": "reward_per_step"},
    "freezeAgent": {"freezeSteps": "freeze_steps"},
    "toggleObject": {
        "spawnable": "spawnable",
        "objectInitiallyPresent": "initially_present",
        "spawnAndForget": "spawn_and_forget",
    },
    "limitedInvocationsOperation": {"maxInvocations": "max_invocations", "operation": "operation"},
    "operationFromList": {"operations": "operations", "operationWeights": "weights"},
    "noneOperation": {},
}
"""Keys of each operation of 4.3 and later (the original's `docs/Operations-guide.md`), by its tag."""

KEYS: dict[str, dict[str, str]] = {
    "ArenaConfig": {
        "arenas": "arenas",
        "randomizeArenas": "randomize_arenas",
        "showNotification": "show_notification",
        "canResetEpisode": "can_reset_episode",
        "canChangePerspective": "can_change_perspective",
    },
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
    "Item": {
        "name": "name",
        "positions": "positions",
        "rotations": "rotations",
        "sizes": "sizes",
        "colors": "colors",
        "skins": "skins",
        "teams": "teams",
        "frozenAgentDelays": "frozen_agent_delays",
        "symbolNames": "symbol_names",
        "delays": "delays",
        "initialValues": "initial_values",
        "finalValues": "final_values",
        "changeRates": "change_rates",
        "spawnCounts": "spawn_counts",
        "spawnColors": "spawn_colors",
        "timesBetweenSpawns": "times_between_spawns",
        "ripenTimes": "ripen_times",
        "doorDelays": "door_delays",
        "timesBetweenDoorOpens": "times_between_door_opens",
        "moveDurations": "move_durations",
        "resetDurations": "reset_durations",
        "spawnProbability": "spawn_probability",
        "rewardNames": "reward_names",
        "rewardWeights": "reward_weights",
        "maxRewardCounts": "max_reward_counts",
        "rewardSpawnPos": "reward_position",
        "spawnedRewardSize": "reward_size",
        "triggerZoneID": "zone_id",
        "zoneVisibility": "zone_visible",
        "operations": "operations",
    },
    "Vector3": _KEYS_OF_VECTOR,
    "RGB": _KEYS_OF_COLOR,
    **OPERATIONS,
}
"""Per tag, every spelling and the field it sets."""

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
"""Fields that hold one operation or a list of them, each with a tag of its own."""

SINCE_4 = frozenset(
    {
        "mergeNextArena", "episodeEnd", "teams", "spawnedRewardSize", "triggerZoneID", "zoneVisibility",
        "operations",
    }
)  # fmt: skip
"""Keys that version 3.1.3 does not know."""
