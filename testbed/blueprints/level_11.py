"""Level 11, the machine: what makes it light up is found out by driving onto pads."""

from arena.science.families import MachineQuestion, questions
from testbed.blueprints.blueprint import Blueprint, Condition, Object, Rng, task
from testbed.blueprints.parts import GAP, HEIGHT, THICK, agent, even, near, wall

PADS_Z, TOKENS_Z, MACHINE_Z, DOORS_Z = 9.0, 12.0, 17.0, 28.0
"""Rows of the arena from the agent's start to the rooms, metres."""

DOOR_M = 2.0
"""Width of a door, metres."""

PER_EXPERIMENT = 40
"""Time of each experiment in the clock's units (67 steps); the ideal player needs about half."""

GOALS = {
    "which": "Find out which of the first {candidates} things makes the lamp light up, and open its door.",
    "rule": "Find out whether one thing that counts lights the lamp or two are needed, and open that door.",
    "number": "Find out how many of the things count, and open the door with that number.",
}


def machine(rng: Rng, question: MachineQuestion) -> Blueprint:
    """The machine: pads put things on a plate, a lamp shows the outcome, and a door decides.

    After Gopnik and Sobel (2000) and Lucas and Griffiths (2010). In an arena every change of what is on the
    plate is an experiment, so that there may be twice as many as where a whole set is put on at once.
    """
    asked = question.model_copy(update={"experiments": 2 * question.experiments})
    left, right = near(rng, 9, 1), near(rng, 31, 1)
    step = (right - left) / (question.things - 1)
    places = [round(left + step * k, 2) for k in range(question.things)]
    return task(
        GOALS[question.asks].format(candidates=question.candidates),
        ("causal reasoning", "planning", "approach"),
        "Drive onto pads, watch the lamp, and open a door when it is clear which.",
        agent(near(rng, 20, 3), near(rng, 4, 1), near(rng, 0, 20)),
        Object("Machine", (20, 0, MACHINE_Z)),
        *(Object("Token", (x, 0, TOKENS_Z)) for x in places),
        *(Object("Pad", (x, 0, PADS_Z), (2, 1, 2)) for x in places),
        *_rooms(question),
        time_limit=250 + PER_EXPERIMENT * asked.experiments,
        question=asked,
    )


def _rooms(question: MachineQuestion) -> list[Object]:
    """Doors, the wall that they are in, and walls between the rooms behind them."""
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


def _symbol(question: MachineQuestion, door: int) -> str:
    """The mark of a door: as many dots as it stands for; of a thing none, as its colour says which."""
    if question.asks == "which":
        return "1"
    dots = door + 1 if question.asks == "rule" else door + question.low
    return "/".join(("0" * (2 * dots + 1), "01" * dots + "0", "0" * (2 * dots + 1)))


CONDITIONS = tuple(
    Condition(machine, 1 + number // 10, question=question) for number, question in enumerate(questions(11))
)
