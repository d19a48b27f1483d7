"""What every YAML key means, in a sentence; everything else about a key comes from the models."""

KEY_MEANINGS: dict[str, dict[str, str]] = {
    "ArenaConfig": {
        "arenas": "The arenas, each behind its whole number: `0: !Arena`. Several are played in turn.",
        "randomize_arenas": "Play them in random order. Obeyed by programs in version 4 only.",
        "show_notification": "For the original's window; without effect here.",
        "can_reset_episode": "For the original's window; without effect here.",
        "can_change_perspective": "For the original's window; without effect here.",
    },
    "Arena": {
        "time_limit": "The clock: the episode lasts 5/3 of it in environment steps. 0 means no limit.",
        "pass_mark": "Total reward from which the task counts as passed. Without it, the task is not graded.",
        "items": "The contents of the arena, in building order.",
        "blackouts": "Frames (1 frame = 5/3 steps) at which the light goes out or on again; one negative "
        "number is the period of a light that blinks forever.",
        "random_seed": "Accepted for the original's files; here randomness depends on the episode's seed.",
        "merge_next": "An end with the pass mark reached and health left continues in the next arena of the "
        "file, within the same episode, whose clock and count of balls go on; "
        "no episode begins with that arena.",
        "episode_end": "With several agents, the episode ends when `any` or `all` of them have finished.",
    },
    "Item": {
        "name": "Kind of object, or `Agent`.",
        "positions": "Where each instance stands: x, z of its middle, y of its foot. A negative x or z is "
        "random; a negative y is 0.",
        "rotations": "Degrees clockwise seen from above, 0 looks along +z. Negative is random.",
        "sizes": "Metres along the object's own axes, cut to the kind's range and times 0.999. Negative is "
        "random within the range.",
        "colors": "Colour of kinds that take one. A negative channel is random. In version 2 also "
        "`!Vector3`.",
        "skins": "Look of an agent: `panda`, `pig`, `hedgehog`, or `random`.",
        "teams": "Team number of an agent; without effect on the physics.",
        "frozen_agent_delays": "Seconds that an agent cannot move at the start.",
        "symbol_names": "Symbol of a sign board; see the list of symbols.",
        "delays": "Ticks (0.02 s) before a changing ball begins to change.",
        "initial_values": "Reward or size of a changing ball at the start; size of a spawned ball when it "
        "appears.",
        "final_values": "Reward or size at which a changing ball stops; size of a spawned ball when ripe.",
        "change_rates": "Change of reward or size per tick; the sign does not matter.",
        "spawn_counts": "Number of balls that a spawner gives; -1 means no limit.",
        "spawn_colors": "Colour of the spawned balls.",
        "times_between_spawns": "Seconds from one spawned ball to the next.",
        "ripen_times": "Seconds that a fruit grows on a tree before it drops.",
        "door_delays": "Accepted for the original's files; the door opens after its prefab's delay.",
        "times_between_door_opens": "Seconds that a door stays closed between openings; negative: it stays "
        "open.",
        "move_durations": "Seconds that a button takes to move in; negative: the default, 1 s.",
        "reset_durations": "Seconds that a button takes to come back; negative: the default, 1 s.",
        "spawn_probability": "Probability that a pressed button makes a reward appear.",
        "reward_names": "Kinds of ball from which a pressed button draws one.",
        "reward_weights": "Weights of the draw; equal by default.",
        "max_reward_counts": "How often each of them may appear; -1 means no limit.",
        "reward_position": "Where a button's reward appears; (0, 0, 0) means a random place.",
        "reward_size": "Size of a button's reward.",
        "zone_id": "Name of a data zone, which its events carry. Of a list, the first counts.",
        "zone_visible": "Whether a data zone is drawn.",
        "operations": "Operations that a button or a data zone triggers; see their list.",
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
    "freezeAgent": {
        "freeze_steps": "Ticks (0.02 s) for which the agent cannot move, the first being that of its entry; "
        "time goes on."
    },
    "toggleObject": {
        "spawnable": "The object.",
        "initially_present": "Whether it is there from the start; without effect if it is forgotten.",
        "spawn_and_forget": "Each time another one appears, and none is removed.",
    },
    "limitedInvocationsOperation": {
        "max_invocations": "How often; -1 means no limit.",
        "operation": "The other operation.",
    },
    "operationFromList": {
        "operations": "The operations to draw from.",
        "weights": "Weight of each; equal by default.",
    },
    "noneOperation": {},
}
"""By tag and field of `arena.taskfile.config`."""
