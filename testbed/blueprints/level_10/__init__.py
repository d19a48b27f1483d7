"""Level 10, causal reasoning: the reward is obtained with a tool, or by moving an obstacle."""

from testbed.blueprints.blueprint import Blueprint, Object, Push, Rng, task
from testbed.blueprints.condition import Condition
from testbed.blueprints.level_10 import blocks, tubes
from testbed.blueprints.parts import BLUE, DEATH, agent, ball, block, wall, zone
from testbed.blueprints.placement import anywhere, in_frame, upright
from testbed.blueprints.places import near

OFF_LIMITS = "Get the green ball out of the red zone without entering it."

BAR = 1.5
"""Width of the bar of the largest L, J and U blocks, metres: 0.3 of the greatest size in x."""


@in_frame(anywhere, 1)
def pushing_out(rng: Rng, kind: str, width: float, length: float, inside: float, side: float) -> Blueprint:
    """Stick tool use: the reward is pushed out of a place that is deadly to enter (Visalberghi 1989).

    `inside` is how far the stick, which is in line with the reward, reaches into the zone; `side` is the
    zone's length; both in metres.
    """
    middle, edge = near(rng, 0, 1), -side / 2
    stick = edge + inside - length / 2
    behind = stick - length / 2 - near(rng, 2.2, 0.2)
    return task(
        OFF_LIMITS,
        ("tool use", "causal reasoning", "avoidance"),
        "Push the stick at the ball, so that it rolls out at the other side; go round and fetch it.",
        agent(near(rng, 0, 5), min(behind - 1.2, -10.5), 6 * int(rng.integers(-15, 16))),
        zone(DEATH, 0, 0, side, side),
        block(kind, middle, stick, (width, 1, length)),
        ball("GoodGoal", near(rng, middle, 0.15), near(rng, 0, 0.8), 1),
        time_limit=500,
        pushes=(Push(middle, behind, 0, 7),),
    )


@in_frame(upright)
def raking(rng: Rng, gap: float, size: float, ends: bool) -> Blueprint:
    """Raking: a hooked tool reaches behind the reward and is drawn back (Koehler 1925, cane task).

    `gap` is how deep in the zone the reward lies, metres, `size` the tool's length in z. With `ends` the
    zone can be passed at its sides, which does not help.
    """
    edge, unit = near(rng, 2, 1), size / 10
    goal_z = edge + gap
    x = near(rng, 5, 2)
    bar = goal_z + near(rng, 1.7, 0.2) - 5 * unit
    foot = bar - 5.5 * unit
    push_x = x - BAR / 2 - near(rng, 1.3, 0.2)
    width = 40 if not ends else near(rng, 22, 2)
    return task(
        OFF_LIMITS,
        ("tool use", "causal reasoning", "avoidance"),
        "Stand between the arms of the tool and push the near one away from the zone: the far one takes "
        "the ball along.",
        agent(near(rng, -8, 4), near(rng, -14, 2), 6 * int(rng.integers(-8, 9))),
        zone(DEATH, 0 if width == 40 else near(rng, 3, 1), (edge + 19.95) / 2, width - 0.1, 19.95 - edge),
        block("UBlock", x, bar, (5, 1, size), 90),
        ball("GoodGoal", x - near(rng, 2.3, 0.3), goal_z, 1),
        time_limit=500,
        pushes=(Push(push_x, foot + unit / 2 + 1.1, 180, 8),),
    )


@in_frame(upright)
def tool_choice(rng: Rng, wrong: str) -> Blueprint:
    """Choice between tools: a cane with the reward in its hook, and one that cannot bring it (Hauser 1997).

    The agent comes down from a wall on one side or the other, and cannot go back. `wrong` is what lies on the
    side that does not lead to the reward.
    """
    edge, z_goal = near(rng, 0.5, 0.5), near(rng, 3.6, 0.5)
    x, bar = near(rng, 12.5, 1.5), edge + near(rng, 0.3, 0.3)
    return task(
        "Choose the side on which the green ball can be drawn out of the red zone.",
        ("tool use", "causal reasoning", "inhibition"),
        "Go down to the side where an arm of the tool is behind the ball and another within reach; push "
        "that one away from the zone.",
        agent(0, near(rng, -18, 1), 0, y=2),
        wall(0, 0, (2, 2, 40), color=BLUE),
        zone(DEATH, 10.5, (edge + 19.95) / 2, 18.9, 19.95 - edge),
        zone(DEATH, -10.5, (edge + 19.95) / 2, 18.9, 19.95 - edge),
        block("UBlock", x, bar, (5, 1, 10), 90),
        ball("GoodGoal", x - near(rng, 2.4, 0.3), z_goal, 1),
        *_useless(rng, wrong, bar, z_goal),
        time_limit=500,
        pushes=(Push(x - BAR / 2 - near(rng, 1.3, 0.2), bar - 3.6, 180, 8),),
    )


def _useless(rng: Rng, wrong: str, bar: float, z_goal: float) -> list[Object]:
    """Tool and ball of the side at -x, where the tool cannot bring the ball."""
    x = -near(rng, 12.5, 1.5)
    goal = ball("GoodGoal", x + near(rng, 2.4, 0.3), z_goal, 1)
    if wrong == "none":
        return [goal]
    if wrong == "hook on this side":
        return [goal, block("LBlock", x, bar, (5, 1, 10), 270)]
    if wrong == "hook turned away":
        return [goal, block("JBlock", x, bar, (5, 1, 10), 270)]
    if wrong == "outside":
        return [
            ball("GoodGoal", x - near(rng, 2.4, 0.3), z_goal, 1),
            block("UBlock", x, bar, (5, 1, 10), 270),
        ]
    if wrong == "short":
        return [goal, block("UBlock", x, bar - 3, (5, 1, 6), 270)]
    return [goal, block("JBlock", x, bar + 3, (5, 1, 4), 90), block("LBlock", x, bar - 3, (5, 1, 4), 270)]


CONDITIONS = (
    Condition(pushing_out, 1, kind="HeavyBlock", width=1.5, length=6, inside=3, side=9),
    Condition(pushing_out, 2, kind="LightBlock", width=2, length=2, inside=-0.5, side=9),
    Condition(pushing_out, 2, kind="HeavyBlock", width=1, length=8, inside=0.5, side=12),
    Condition(raking, 1, gap=2, size=10, ends=True),
    Condition(raking, 2, gap=2.8, size=8.5, ends=False),
    Condition(tubes.low_shelf_raking, 2, back=True),
    Condition(tool_choice, 1, wrong="none"),
    Condition(tool_choice, 2, wrong="hook on this side"),
    Condition(tool_choice, 2, wrong="hook turned away"),
    Condition(tool_choice, 2, wrong="outside"),
    Condition(tool_choice, 3, wrong="short"),
    Condition(tubes.low_shelf_poking, 1, length=6),
    Condition(tubes.tube, 1, long=8, thick=False),
    Condition(tubes.tube, 2, long=6, thick=True),
    Condition(blocks.releasing, 2, stop=False),
    Condition(tool_choice, 3, wrong="two parts"),
    Condition(tubes.trap_tube, 3, inserted=False),
    Condition(tubes.trap_tube, 3, inserted=True),
    Condition(blocks.knocking_down, 1, lookalike=False),
    Condition(blocks.knocking_down, 2, lookalike=True),
    Condition(blocks.knocking_down_choice, 3),
    Condition(blocks.bridging, 2, stop=True, other=0),
    Condition(blocks.bridging, 3, stop=False, other=0),
    Condition(blocks.bridging, 3, stop=False, other=0.7),
    Condition(blocks.toppling, 1, fixed=0),
    Condition(blocks.toppling, 2, fixed=2),
    Condition(blocks.care, 2, count=5),
    Condition(blocks.doorway, 2, count=1),
    Condition(blocks.doorway, 3, count=2),
    Condition(blocks.releasing, 3, stop=True),
)
