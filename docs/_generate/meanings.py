"""What every YAML key means, in a sentence; all else about a key is read off the models.

Sections are those of the behaviour specification on which `arena.geometry.layout` and `arena.mechanisms` are
built.
"""

KEY_MEANINGS: dict[str, dict[str, str]] = {
    "ArenaConfig": {
        "arenas": "The arenas, each behind its whole number: `0: !Arena`. Several are played in turn.",
        "randomize_arenas": "Play them in random order. Obeyed by programs in version 4 only.",
        "show_notification": "For the original's window; read and without effect.",
        "can_reset_episode": "For the original's window; read and without effect.",
        "can_change_perspective": "For the original's window; read and without effect.",
    },
    "Arena": {
        "time_limit": "The clock: the episode lasts 5/3 of it in environment steps. 0 is without limit.",
        "pass_mark": "Total reward from which the task counts as passed. Without one it is not judged.",
        "items": "What stands in the arena, in the order in which it is built.",
        "blackouts": "Frames (1 frame = 5/3 steps) at which the light goes out or on again; one negative "
        "number is the period of a light that blinks for ever.",
        "random_seed": "Kept for the original's files; here the episode's own seed draws what is random.",
        "merge_next": "A success leads into the next arena of the file, within the same episode.",
        "episode_end": "Of several agents, `any` that finishes ends the episode, or only `all` of them.",
    },
    "Item": {
        "name": "Kind of object, or `Agent`.",
        "positions": "Where each instance stands: x, z of its middle, y of its foot. A negative x or z is "
        "random; so is a y of exactly -1 in version 3.1.3.",
        "rotations": "Degrees clockwise seen from above, 0 looks along +z. Negative is random.",
        "sizes": "Metres along the object's own axes, cut to the kind's range and times 0.999. Negative is "
        "random within the range.",
        "colors": "Colour of kinds that take one. A negative channel is random.",
        "skins": "Look of an agent: `panda`, `pig`, `hedgehog`, or `random`.",
        "teams": "Team number of an agent; kept, without effect on the physics.",
        "frozen_agent_delays": "Seconds that an agent cannot move at the start.",
        "symbol_names": "Symbol of a sign board; see the list of symbols.",
        "delays": "Ticks (0.02 s) before a changing ball begins to change.",
        "initial_values": "Reward or size of a changing ball at the start; size of a spawned ball when it "
        "appears.",
        "final_values": "Reward or size at which a changing ball stops; size of a spawned ball when ripe.",
        "change_rates": "Change of reward or size per tick; the sign does not matter.",
        "spawn_counts": "How many balls a spawner gives; -1 is without end.",
        "spawn_colors": "Colour of the spawned balls.",
        "times_between_spawns": "Seconds from one spawned ball to the next.",
        "ripen_times": "Seconds that a fruit grows on a tree before it drops.",
        "door_delays": "Read for the original's files; the door opens after its prefab's delay.",
        "times_between_door_opens": "Seconds that a door stays closed between openings; negative: it stays "
        "open.",
        "move_durations": "Seconds that a button takes to move in; negative: the default, 1 s.",
        "reset_durations": "Seconds that a button takes to come back; negative: the default, 1 s.",
        "spawn_probability": "Chance that a pressed button lets a reward appear.",
        "reward_names": "Kinds of ball of which a pressed button lets one appear.",
        "reward_weights": "Weights with which one of them is drawn; equal where none are given.",
        "max_reward_counts": "How often each of them may appear; -1 is without limit.",
        "reward_position": "Where a button's reward appears; (0, 0, 0) is a random place.",
        "reward_size": "Size of a button's reward.",
        "zone_id": "Name of a data zone, for your own analysis.",
        "zone_visible": "Whether a data zone is drawn.",
        "operations": "What a button or a data zone sets off; see the list of operations.",
    },
    "Vector3": {
        "x": "To the right (east), metres.",
        "y": "Up, metres.",
        "z": "Forward (north), metres.",
    },
    "RGB": {"r": "Red; 255 is full.", "g": "Green.", "b": "Blue."},
    "endEpisode": {"reward": "Last reward."},
    "grantReward": {"reward": "Reward, positive or negative."},
    "grantContinuousReward": {"reward_per_step": "Reward of every tick (0.02 s) in the zone."},
    "freezeAgent": {"freeze_steps": "Ticks (0.02 s) for which the agent cannot move."},
    "toggleObject": {
        "spawnable": "The object.",
        "initially_present": "Whether it is there from the start.",
        "spawn_and_forget": "Each time another one appears, and none is taken away.",
    },
    "limitedInvocationsOperation": {
        "max_invocations": "How often; -1 is without limit.",
        "operation": "The other operation.",
    },
    "operationFromList": {
        "operations": "The operations to draw from.",
        "weights": "Weight of each; equal where none are given.",
    },
    "noneOperation": {},
}
"""By tag and field of `arena.taskfile.config`."""

_CHANGING = ("delays", "initial_values", "final_values", "change_rates")
_SPAWNING = ("spawn_counts", "spawn_colors", "times_between_spawns", "initial_values", "final_values")
_HOUSE = (*_SPAWNING, "door_delays", "times_between_door_opens")

OWN_KEYS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("DecayGoal", "RipenGoal", "GrowGoal", "ShrinkGoal"), _CHANGING),
    "SpawnerTree": (*_SPAWNING, "ripen_times"),
    "SpawnerDispenserTall": _HOUSE,
    "SpawnerContainerShort": _HOUSE,
    "SpawnerButton": (
        "move_durations", "reset_durations", "spawn_probability", "reward_names", "reward_weights",
        "max_reward_counts", "reward_position", "reward_size", "operations",
    ),
    "DataZone": ("zone_id", "zone_visible", "operations"),
    "SignBoard": ("symbol_names",),
}  # fmt: skip
"""Fields that mean something to a kind, besides its place, rotation, size and colour."""

KIND_MEANINGS: dict[str, str] = {
    "Wall": "Solid; so heavy that it hardly ever moves.",
    "WallTransparent": "A wall of glass: as solid, but seen through.",
    "Ramp": "A wedge to drive up, from its low edge at +z (rotation 0).",
    "CylinderTunnel": "Half a pipe, open at both ends; wide ones can be driven through.",
    "CylinderTunnelTransparent": "A tunnel of glass.",
    "LightBlock": "A block that is easy to push.",
    "HeavyBlock": "A block that is harder to push.",
    "LBlock": "Bars in the shape of an L, to push.",
    "JBlock": "Bars in the shape of an L with its foot to the other side, to push.",
    "UBlock": "Bars in the shape of a U, to push.",
    "HollowBox": "A box that can hold things and is hard to push.",
    "GoodGoal": "Green ball: a reward, and the episode ends.",
    "GoodGoalBounce": "A green ball that starts with a speed of 10 m/s along its rotation.",
    "GoodGoalMulti": "Yellow ball: a reward; the last good ball ends the episode.",
    "GoodGoalMultiBounce": "A yellow ball that starts with a speed of 10 m/s along its rotation.",
    "BadGoal": "Red ball: costs reward, and the episode ends.",
    "BadGoalBounce": "A red ball that starts with a speed of 10 m/s along its rotation.",
    "BadGoalMulti": "Orange ball: costs reward, and the episode goes on.",
    "DecoyGoal": "Grey ball without a reward; the episode ends.",
    "DecoyGoalBounce": "A grey ball that starts with a speed of 10 m/s along its rotation.",
    "DecoyGoalMulti": "Grey ball without a reward; the episode goes on.",
    "DecayGoal": "Purple ball whose reward falls with time.",
    "RipenGoal": "Purple ball whose reward rises with time; called `AntiDecayGoal` it also does so without "
    "values of its own.",
    "GrowGoal": "Ball that grows, and its reward with it; it waits where there is no room.",
    "ShrinkGoal": "Ball that shrinks, and its reward with it.",
    "DeathZone": "Red floor: entering it costs 1 and ends the episode.",
    "HotZone": "Orange floor: costs reward and health as long as the agent is on it.",
    "DataZone": "A zone that records who comes and goes, and can set off operations.",
    "SpawnerTree": "Lets yellow balls grow in its crown and drops them.",
    "SpawnerDispenserTall": "Drops yellow balls inside a tall house with a door.",
    "SpawnerContainerShort": "Gives yellow balls inside a low house with a door.",
    "SpawnerButton": "A button on a pillar, pressed by driving against its front (+x).",
    "SignBoard": "A board with a symbol on its -x side.",
}
"""What each kind is for."""
