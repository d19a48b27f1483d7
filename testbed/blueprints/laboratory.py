"""Levels 11 to 14: experiments reveal a hidden state before a choice. The choice is that of a door.

Variants have three grades of motor difficulty: pads are driven onto (1), blocks are pushed onto them (2), and
pushed round a wall (3).
"""

from collections.abc import Callable, Sequence

from arena.science import families
from arena.science.families import ENTRY_M, FARTHEST_M, WIDEST_M, MachineQuestion, Question
from arena.taskfile.catalog import PALETTE
from testbed.blueprints.blueprint import GREY, Blueprint, Color, Condition, Object, Point, Rng, task
from testbed.blueprints.parts import agent, pane, ramp, wall
from testbed.blueprints.places import GAP, HEIGHT, THICK, even, near

PADS_Z, TOKENS_Z, MACHINE_Z, DOORS_Z = 9.0, 12.0, 17.0, 28.0
"""Rows of the arena from the agent's start to the rooms, metres."""

PUSHED_Z, BLOCKS_Z, BARRIER_Z = 7.5, 4.7, 5.85
"""Rows of the blocks' pads, the blocks, and walls between, metres."""

START_Z = 12.5
"""Start of sliding or rolling things, metres."""

PANE = pane(20, 10.7, (27, HEIGHT, THICK))
"""Glass between the agent and sliding or rolling things. It goes round."""

DOOR_M = 2.0
"""Width of a door, metres."""

TOKEN_M = (0.45, 0.6, 0.45)
"""Size of the machine's tokens, metres. Those of the meter have half this height for each unit of size."""

PER_EXPERIMENT, PER_MOTION = 40, 70
"""Time of each experiment in the clock's units, without and with motion. 67 steps, of which the ideal player
needs about half; and for one in which something moves, which takes 3 s, 50 steps."""

_PARTS: Sequence[str] = ("causal reasoning", "planning", "approach")


def machine(rng: Rng, question: MachineQuestion, grade: int) -> Blueprint:
    """Return the machine: pads put things on a plate, a lamp lights.

    A door decides. After Gopnik and Sobel (2000) and Lucas and Griffiths (2010). In an arena every change of
    the plate is an experiment, so that there may be twice as many as with a whole set put on at once.
    """
    goal = {
        "which": f"Find out which of the first {question.candidates} things counts, and open its door.",
        "rule": "Find out whether one thing that counts lights the lamp or two, and open that door.",
        "number": "Find out how many of the things count, and open the door with that number.",
    }[question.asks]
    places = _spread(rng, question.things)
    tokens = [Object("Token", (x, 0, TOKENS_Z), TOKEN_M) for x in places]
    asked = question.model_copy(update={"experiments": 2 * question.experiments})
    things = [Object("Machine", (20, 0, MACHINE_Z)), *tokens, *_pads(places, range(question.things), grade)]
    return _laboratory(rng, asked, goal, things, grade, PER_EXPERIMENT)


def slopes(rng: Rng, question: families.SlopesQuestion, grade: int) -> Blueprint:
    """Slopes: pads let boxes slide, lines show the distance. A door decides; after Siegler (1976)."""
    things, places = [], _spread(rng, question.things)
    for x in places:
        things.append(Object("Field", (x, 0, START_Z + FARTHEST_M / 2), (2, 0.5, FARTHEST_M)))
    things += [Object("Slider", (x, 0.01, START_Z)) for x in places]
    if question.hides == "friction":
        things += [ramp(x, START_Z - 0.9, (1.2, 0.3, 1.2), 0, GREY) for x in places]
    goal = f"Find out {'on which floor a box' if question.hides == 'friction' else 'which box'} "
    goal += "gets farthest" if question.asks == "farthest" else "stops first"
    pads = _pads(places, range(question.things), grade)
    return _laboratory(rng, question, f"{goal}, and open that door.", [*things, *pads, PANE], grade)


def instrument(rng: Rng, question: families.InstrumentQuestion, grade: int) -> Blueprint:
    """Return the instrument: pads put things on a pan, a number appears. A door decides."""
    goal = {
        "large": f"Find out what a meter would show for size {question.large}, and open that door.",
        "odd": "Find out for which thing the meter shows too much, and open its door.",
    }[question.asks]
    places = _spread(rng, question.things)
    wide, tall, deep = TOKEN_M
    tokens = [
        Object("Token", (x, 0, TOKENS_Z), (wide, tall / 2 * (k + 1), deep)) for k, x in enumerate(places)
    ]
    things = [Object("Meter", (20, 0, MACHINE_Z)), *tokens, *_pads(places, range(question.things), grade)]
    return _laboratory(rng, question, goal, things, grade, PER_EXPERIMENT)


def floor(rng: Rng, question: families.FloorQuestion, grade: int) -> Blueprint:
    """Return the strange floor: pads let balls roll over it. Lines show the deviation, and a door decides."""
    goal = {
        "kind": "Find out by which law a floor pushes what rolls over it, and open the door of that law.",
        "side": f"Find out to which side a ball from lane {question.shut + 1} would go, and open that door.",
    }[question.asks]
    lanes, places = question.open_lanes(), _spread(rng, len(question.open_lanes()))
    width = question.lanes + 1 + 2 * WIDEST_M
    things = [Object("Field", (20, 0, START_Z + 0.5 + ENTRY_M), (width, 0.5, 2 * ENTRY_M), color=GREY)]
    things += [
        Object("Roller", (20 + question.place(lane), 0.01, START_Z), color=_color(lane)) for lane in lanes
    ]
    return _laboratory(rng, question, goal, [*things, *_pads(places, lanes, grade), PANE], grade)


def _spread(rng: Rng, count: int) -> list[float]:
    """Places in a row, metres from the left fence."""
    left, right = near(rng, 9, 1), near(rng, 31, 1)
    return [round(left + (right - left) / (count - 1) * k, 2) for k in range(count)]


def _pads(places: Sequence[float], numbers: Sequence[int], grade: int) -> list[Object]:
    """Pads to drive onto. Or pads with blocks to push there, behind walls in the last grade."""
    colors = [_color(number) for number in numbers]
    if grade == 1:
        return _row("Pad", places, PADS_Z, (2, 0.5, 2), colors)
    pads = _row("BlockPad", places, PUSHED_Z, (1.6, 0.5, 1.6), colors)
    barriers = [wall(x, BARRIER_Z, (1.2, 0.6, 0.3)) for x in places] if grade == 3 else []
    return [*pads, *_row("Block", places, BLOCKS_Z, (0.8, 0.8, 0.8), colors), *barriers]


def _row(kind: str, places: Sequence[float], z: float, size: Point, colors: Sequence[Color]) -> list[Object]:
    pairs = zip(places, colors, strict=True)
    return [Object(kind, (x, 0, z), size, color=color) for x, color in pairs]


def _color(number: int) -> Color:
    red, green, blue = (round(255 * channel) for channel in PALETTE[number])
    return red, green, blue


def _laboratory(
    rng: Rng, question: Question, goal: str, things: Sequence[Object], grade: int, time: int = PER_MOTION
) -> Blueprint:
    """Return a task with agent, experimental things, and rooms with doors. `time` is for an experiment."""
    pushed = grade > 1
    # More time for pushing, and as much again for the path round a wall.
    time += 100 * (grade - 1)
    how = "Push blocks onto pads" if pushed else "Drive onto pads"
    return task(
        goal,
        (*_PARTS, "pushing") if pushed else tuple(_PARTS),
        f"{how}, watch what they show, and open a door when it is clear which.",
        agent(near(rng, 20, 3), near(rng, 2 if pushed else 4, 1), near(rng, 0, 20)),
        *things,
        *_rooms(question),
        time_limit=250 + time * question.experiments,
        question=question,
    )


def _rooms(question: Question) -> list[Object]:
    """Return doors, their wall, and walls between the rooms behind them."""
    count = question.doors
    middles = [even(40 * (k + 0.5) / count) for k in range(count)]
    edges = [0.0, *(x for middle in middles for x in (middle - DOOR_M / 2, middle + DOOR_M / 2)), 40.0]
    pairs = zip(edges[::2], edges[1::2], strict=True)
    walls = [wall((low + high) / 2, DOORS_Z, (high - low - GAP, HEIGHT, THICK)) for low, high in pairs]
    depth = 40 - DOORS_Z - THICK
    between = [wall(even(40 * k / count), 40 - depth / 2, (THICK, HEIGHT, depth)) for k in range(1, count)]
    doors = [Object("MarkedDoor", (x, 0, DOORS_Z), (DOOR_M, HEIGHT, 0.2), symbol=_symbol(question, k))
             for k, x in enumerate(middles)]  # fmt: skip
    return [*doors, *walls, *between]


def _symbol(question: Question, door: int) -> str:
    """Return the mark of a door: dots for a number. A thing has none, as its colour identifies it."""
    if question.asks in ("which", "farthest", "nearest", "odd"):
        return "1"
    first = question.low if isinstance(question, MachineQuestion) and question.asks == "number" else 1
    dots = door + first
    return "/".join(("0" * (2 * dots + 1), "01" * dots + "0", "0" * (2 * dots + 1)))


PARADIGMS: dict[int, Callable[..., Blueprint]] = {11: machine, 12: slopes, 13: instrument, 14: floor}
"""The paradigm of each level: a family of hidden states."""

CONDITIONS = {
    level: [
        Condition(paradigm, 1 + number // 10, question=question)
        for number, question in enumerate(families.questions(level))
    ]
    for level, paradigm in PARADIGMS.items()
}
