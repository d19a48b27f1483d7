"""The table of all kinds of objects.

Numbers are those of Animal-AI v3.1.3 (`Assets/Prefabs` of animal-ai-unity at revision 0739f7f), and in
`in_4` those of version 4 (at build 4.3.1). A new kind is an entry here and,
unless its appearance follows from these facts, one in `render/looks/look.py`. Behaviour is in `physics/`
(bodies), `rules.py` (rewards) and `mechanisms.py`.
"""

from dataclasses import replace
from typing import Any

from arena.scene import Vector
from arena.taskfile.kind import Body, Change, Ends, Kind, Settings, Shape, Spawner

LOW_FRICTION = 0.25
"""The `LowFriction` material of the pushable boxes."""

_Bounds = tuple[Vector, Vector]
_WALL: _Bounds = ((0.1, 0.1, 0.1), (40.0, 10.0, 40.0))
_RAMP: _Bounds = ((0.5, 0.1, 0.5), (40.0, 10.0, 40.0))
_TUBE: _Bounds = ((2.5, 2.5, 2.5), (10.0, 10.0, 10.0))
_BLOCK: _Bounds = ((0.5, 0.5, 0.5), (10.0, 10.0, 10.0))
_BARS: _Bounds = ((1.0, 0.3, 3.0), (5.0, 2.0, 20.0))
_HOLLOW: _Bounds = ((0.5, 0.5, 0.5), (5.0, 5.0, 5.0))
_BALL: _Bounds = ((0.5, 0.5, 0.5), (5.0, 5.0, 5.0))
_GROWING: _Bounds = ((0.0, 0.0, 0.0), (8.0, 8.0, 8.0))
_ZONE: _Bounds = ((1.0, 0.5, 1.0), (40.0, 10.0, 40.0))
_DATA_ZONE: _Bounds = ((1.0, 0.5, 1.0), (30.0, 10.0, 30.0))
_BOARD: _Bounds = ((0.1, 0.1, 0.1), (10.0, 10.0, 10.0))
_PAD: _Bounds = ((1.0, 0.5, 1.0), (4.0, 0.5, 4.0))
_FIELD: _Bounds = ((1.0, 0.5, 1.0), (16.0, 0.5, 16.0))
_TOKEN: _Bounds = ((0.45, 0.3, 0.45), (0.45, 2.0, 0.45))
_PANEL: _Bounds = ((1.0, 1.0, 0.1), (4.0, 4.0, 0.5))
_DOOR: _Bounds = ((0.0, 0.0, 0.0), (0.1, 1.15, 1.0))

_SPAWNING = ("spawn_counts", "spawn_colors", "times_between_spawns", "initial_values", "final_values")
_HOUSE = (*_SPAWNING, "door_delays", "times_between_door_opens")
_BUTTON = ("move_durations", "reset_durations", "spawn_probability", "reward_names", "reward_weights",
           "max_reward_counts", "reward_position", "reward_size", "operations")  # fmt: skip

_DEFAULTS = Settings(1.5, 0.0, 0.2, 1.0, -1)
_TREE = Spawner(Settings(4.0, 6.0, 0.2, 1.0, -1), Settings(1.5, 4.0, 0.2, 1.0, 10), (0.2, 3.0))
_TALL = Spawner(_DEFAULTS, Settings(0.5, 0.0, 1.0, 1.0, 10), (0.2, 1.0), height=3.65)
_SHORT = Spawner(_DEFAULTS, Settings(1.5, 0.0, 1.0, 1.0, 1), (0.2, 1.0), height=0.55, door_delay_s=1.0)

PALETTE: tuple[Vector, ...] = (
    (0.1, 0.35, 0.9), (0.95, 0.5, 0.1), (0.55, 0.2, 0.7),
    (0.95, 0.95, 0.95), (0.1, 0.1, 0.1), (0.1, 0.7, 0.7),
)  # fmt: skip
"""Colours of what is numbered, sRGB: blue, orange, purple, white, black, turquoise."""

LAMP_SIZE: Vector = (0.8, 0.8, 0.8)
_SEGMENT: _Bounds = ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))

_NUMBERED: dict[str, Any] = {"laboratory": True, "random_yaw": False, "colourable": True, "palette": PALETTE}
_ANY_COLOR: dict[str, Any] = {"colourable": True, "random_color": True}


def _ball(
    name: str, words: str, meaning: str, tag: str | None, reward: float, ends: Ends, launch: float = 0.0,
    **facts: Any,
) -> Kind:  # fmt: skip
    facts.setdefault("in_4", {"colourable": True})
    facts.setdefault("random_yaw", launch > 0 or name in ("GoodGoalMulti", "BadGoalMulti"))
    return Kind(
        name, words, meaning, Shape.BALL, Body.DYNAMIC, *_BALL, tag, mass=1.0, reward=reward, ends=ends,
        launch=launch, corner_height=0.5, **facts,
    )  # fmt: skip


def _changing(
    name: str, words: str, meaning: str, change: Change, place_diameter: float, **facts: Any
) -> Kind:
    """`place_diameter` is that of the prefab before the file's values are applied, in version 4.

    A place is sought for a decay or ripen goal of 3 m, and for a point that grows or shrinks.
    """
    grows = change in (Change.GROW, Change.SHRINK)
    facts |= {"random_yaw": grows, "tested": (0.0, 0.0, 0.0) if grows else (2.997, 2.997, 2.997)}
    ball = _ball(name, words, meaning, "goodGoalMulti", +1.0, Ends.LAST, change=change, **facts)
    fields = ("delays", "initial_values", "final_values", "change_rates")
    in_4: dict[str, Any] = {"ends": Ends.ALWAYS, "place_diameter": place_diameter}
    in_4 |= {"tag": None} if grows else {"change": Change.FALL}
    return replace(ball, minimum=_GROWING[0], maximum=_GROWING[1], fields=fields, in_4=in_4)


def _bars(name: str, words: str, meaning: str, shape: Shape, older: str) -> Kind:
    return Kind(
        name, words, meaning, shape, Body.DYNAMIC, *_BARS, "Movable", mass=1.5, corner_height=1.0,
        older=(older,), in_4={"mass": 180.0, "colourable": True, "fitted": True},
    )  # fmt: skip


def _fixed(name: str, words: str, meaning: str, shape: Shape, size: Vector, tag: str, **facts: Any) -> Kind:
    return Kind(name, words, meaning, shape, Body.STATIC, size, size, tag, **facts)


# Supported walls and ramps sleep (`arena.kernel.pushing`).
_TABLE = (
    Kind("Wall", "wall", "Solid; so heavy that it hardly ever moves.",
         Shape.BOX, Body.DYNAMIC, *_WALL, "Immovable", mass=10000.0, corner_height=2.5, **_ANY_COLOR),
    Kind("WallTransparent", "transparent wall", "A wall of glass: as solid, but transparent.",
         Shape.BOX, Body.DYNAMIC, *_WALL, "Immovable", mass=10000.0, corner_height=2.5, transparent=True),
    Kind("Ramp", "ramp", "A wedge to drive up, from its low edge at +z (rotation 0).",
         Shape.PRISM, Body.DYNAMIC, *_RAMP, "Immovable", mass=1000.0, **_ANY_COLOR),
    Kind("CylinderTunnel", "tunnel", "Half a pipe, open at both ends; wide ones can be driven through.",
         Shape.TUBE, Body.STATIC, *_TUBE, "Immovable", **_ANY_COLOR,
         in_4={"colourable": False, "random_color": False}, in_41=_ANY_COLOR),
    Kind("CylinderTunnelTransparent", "transparent tunnel", "A tunnel of glass.",
         Shape.TUBE, Body.STATIC, *_TUBE, "Immovable", transparent=True),
    Kind("LightBlock", "grey block", "A block that is easy to push.",
         Shape.BOX, Body.DYNAMIC, *_BLOCK, "Movable", mass=1.0, friction=LOW_FRICTION, corner_height=0.5,
         older=("Cardbox1",), in_4={"mass": 220.0, "colourable": True}),
    Kind("HeavyBlock", "grey block", "A block that is harder to push.",
         Shape.BOX, Body.DYNAMIC, *_BLOCK, "Movable", mass=2.0, friction=LOW_FRICTION,
         older=("Cardbox2",), in_4={"mass": 420.0, "colourable": True}),
    _bars("LBlock", "grey block in the shape of an L", "Bars in the shape of an L, to push.",
          Shape.L_BARS, "LObject"),
    _bars("JBlock", "grey block in the shape of an L",
          "Bars in the shape of an L with its foot on the other side, to push.", Shape.J_BARS, "LObject2"),
    _bars("UBlock", "grey block in the shape of a U", "Bars in the shape of a U, to push.",
          Shape.U_BARS, "UObject"),
    Kind("HollowBox", "box", "A box that can hold things and is hard to push.",
         Shape.BOX, Body.DYNAMIC, *_HOLLOW, mass=500.0, stretch=(1.0476, 0.8624, 1.0188), based=True,
         new_in_4=True, in_4={"colourable": True}),
    _ball("GoodGoal", "green ball", "Green ball: a reward, and the episode ends.",
          "goodGoal", +1.0, Ends.ALWAYS),
    _ball("GoodGoalBounce", "green ball",
          "A green ball that starts with a speed of 10 m/s along its rotation.",
          "goodGoal", +1.0, Ends.ALWAYS, launch=10.0),
    _ball("GoodGoalMulti", "yellow ball", "Yellow ball: a reward; the last good ball ends the episode.",
          "goodGoalMulti", +1.0, Ends.LAST),
    _ball("GoodGoalMultiBounce", "yellow ball",
          "A yellow ball that starts with a speed of 10 m/s along its rotation.",
          "goodGoalMulti", +1.0, Ends.LAST, launch=10.0),
    _ball("BadGoal", "red ball", "Red ball: costs reward, and the episode ends.",
          "badGoal", -1.0, Ends.ALWAYS),
    _ball("BadGoalBounce", "red ball", "A red ball that starts with a speed of 10 m/s along its rotation.",
          "badGoal", -1.0, Ends.ALWAYS, launch=10.0),
    _ball("BadGoalMulti", "orange ball", "Orange ball: costs reward, and the episode goes on.",
          None, -1.0, Ends.NEVER, new_in_4=True),
    _ball("DecoyGoal", "grey ball", "Grey ball without a reward; the episode ends.",
          None, 0.0, Ends.ALWAYS, new_in_4=True),
    _ball("DecoyGoalBounce", "grey ball",
          "A grey ball that starts with a speed of 10 m/s along its rotation.",
          None, 0.0, Ends.ALWAYS, new_in_4=True, launch=10.0),
    _ball("DecoyGoalMulti", "grey ball", "Grey ball without a reward; the episode goes on.",
          None, 0.0, Ends.NEVER, new_in_4=True),
    _changing("DecayGoal", "purple ball", "Purple ball whose reward falls with time.", Change.DECAY,
              place_diameter=2.997),
    _changing("RipenGoal", "purple ball",
              "Purple ball whose reward rises with time; as `AntiDecayGoal` even without values of its own. "
              "In version 4 it falls like that of a `DecayGoal`, as in the original.",
              Change.RIPEN, place_diameter=0.0, older=("AntiDecayGoal",)),
    _changing("GrowGoal", "yellow ball",
              "Ball that grows, and its reward with it; it waits while there is no room.", Change.GROW,
              place_diameter=0.0),
    _changing("ShrinkGoal", "yellow ball", "Ball that shrinks, and its reward with it.", Change.SHRINK,
              place_diameter=0.0),
    Kind("DeathZone", "red zone on the floor", "Red floor: entering it costs 1 and ends the episode.",
         Shape.BOX, Body.ZONE, *_ZONE, "badGoal", reward=-1.0, ends=Ends.ALWAYS, in_4={"tag": "DeathZone"}),
    Kind("HotZone", "orange zone on the floor",
         "Orange floor: costs reward and health as long as the agent is on it.",
         Shape.BOX, Body.ZONE, *_ZONE, "HotZone"),
    Kind("DataZone", "blue zone on the floor",
         "A zone that records who enters and leaves, and can trigger operations.",
         Shape.BOX, Body.ZONE, *_DATA_ZONE, fields=("zone_id", "zone_visible", "operations"), new_in_4=True),
    _fixed("SpawnerTree", "tree", "Lets yellow balls grow in its crown and drops them.",
           Shape.TREE, (3.0, 5.3, 3.0), "GoalSpawner", fields=(*_SPAWNING, "ripen_times"), spawner=_TREE,
           random_yaw=False, tested=(3.0, 5.31, 3.0)),
    _fixed("SpawnerDispenserTall", "tall container", "Drops yellow balls inside a tall house with a door.",
           Shape.HOUSE, (1.67, 4.46, 1.67), "GoalSpawner", fields=_HOUSE, spawner=_TALL,
           random_yaw=False, tested=(1.6144, 4.412, 1.6144),
           older=("SpawnerDispenser",), **_ANY_COLOR),
    _fixed("SpawnerContainerShort", "short container", "Gives yellow balls inside a low house with a door.",
           Shape.HOUSE, (1.67, 1.67, 1.67), "GoalSpawner", fields=_HOUSE, spawner=_SHORT,
           random_yaw=False, tested=(1.6144, 1.6126, 1.6144),
           older=("SpawnerContainer",), **_ANY_COLOR),
    _fixed("SpawnerButton", "button on a pillar",
           "A button on a pillar, pressed by driving against its front (+x).",
           Shape.BUTTON, (0.4, 1.6, 0.4), "PillarButton", fields=_BUTTON, older=("Pillar-Button",),
           random_yaw=False,
           in_4={"fitted": True}),
    Kind("SignBoard", "sign", "A board with a symbol on its -x side.",
         Shape.BOX, Body.STATIC, *_BOARD, "SignPoster", stretch=(0.1, 2.0, 3.0), colourable=True,
         fields=("symbol_names",), older=("SignPosterboard",), random_yaw=False,
         in_4={"minimum": (0.5, 0.5, 0.5), "maximum": (2.5, 2.5, 2.5), "random_yaw": True},
         in_41={"random_yaw": False}),
    Kind("Door", "door", "", Shape.BOX, Body.STATIC, *_DOOR, "GoalSpawner", internal=True),
    _fixed("Machine", "machine", "A plate for tokens, and a lamp on a post that their rule lights.",
           Shape.MACHINE, (4.0, 1.6, 1.4), "Immovable", laboratory=True, random_yaw=False),
    _fixed("Meter", "meter", "A pan for a token, and a board on a post that shows a number.",
           Shape.MACHINE, (1.4, 1.6, 1.4), "Immovable", laboratory=True, random_yaw=False),
    Kind("Token", "token", "A thing that its pad puts on a plate or pan, or takes off.",
         Shape.BOX, Body.STATIC, *_TOKEN, "Immovable", **_NUMBERED),
    _fixed("Slider", "sliding box", "A box that its pad lets slide along its +z.",
           Shape.BOX, (0.6, 0.6, 0.6), "Immovable", laboratory=True, random_yaw=False),
    _fixed("Roller", "rolling ball", "A ball that its pad lets roll along its +z.",
           Shape.BOX, (0.6, 0.6, 0.6), "Immovable", **_NUMBERED),
    Kind("Pad", "pad on the floor", "Driving onto it makes the experiment with what has its number.",
         Shape.BOX, Body.ZONE, *_PAD, "PillarButton", **_NUMBERED),
    Kind("BlockPad", "pad with a frame", "A block over it makes the experiment with what has its number.",
         Shape.BOX, Body.ZONE, *_PAD, "PillarButton", **_NUMBERED),
    Kind("Block", "block", "A block that is pushed onto pads with a frame; its centre decides.",
         Shape.BOX, Body.DYNAMIC, *_BLOCK, "Movable", mass=5.0, in_4={"mass": 220.0}, **_NUMBERED),
    Kind("Field", "floor with lines", "A floor with a line at each metre, which things slide or roll over.",
         Shape.BOX, Body.ZONE, *_FIELD, **_NUMBERED),
    Kind("MarkedDoor", "door",
         "A door with a symbol on its -z side; the first that is touched opens, all others stay shut.",
         Shape.BOX, Body.STATIC, *_PANEL, "GoalSpawner", fields=("symbol_names",), **_NUMBERED),
    Kind("Threshold", "door", "", Shape.BOX, Body.ZONE, *_PANEL, "GoalSpawner",
         laboratory=True, internal=True),
    _fixed("DarkLamp", "dark lamp", "", Shape.BOX, LAMP_SIZE, "Immovable", internal=True),
    _fixed("LitLamp", "lit lamp", "", Shape.BOX, LAMP_SIZE, "SignPoster", internal=True),
    Kind("Segment", "", "", Shape.BOX, Body.STATIC, *_SEGMENT, "Immovable", internal=True),
)  # fmt: skip

KINDS: dict[str, Kind] = {kind.name: kind for kind in _TABLE}
"""All kinds by their current names, as in v3.1.3 or in the first version that has them."""

ALIASES: dict[str, str] = {older: kind.name for kind in _TABLE for older in kind.older}
"""Names in older files, and the current name of each (`YAMLclasses.cs`)."""
