"""What people answer with: the numbers or words of a design, of answers, or of an explanation."""

from collections.abc import Sequence

from evaluation.by_hand.form import Choice, Field, Form, Number, Text, Values
from evaluation.suite import Observation, TaskSpec
from suites.boxing.choices import BoxingChoices
from suites.boxing.environments import WORLDS
from suites.boxing.environments.morals import NAMES
from suites.boxing.oracle import drawn
from suites.boxing.questions import Questions
from suites.boxing.world import Field as Asked

_SLIDER = 400.0
"""Ranges longer than this have too many values for a slider: they are typed."""

EXPERIMENT = "Choose an experiment."
ANSWER = "What do you expect?"
EXPLAIN = "Explain to somebody who has seen none of this how to answer such questions."


def boxing_form(task: TaskSpec, choices: BoxingChoices, observation: Observation) -> Form:
    """Fields for what the observation asks for."""
    if observation.kind == "explain":
        text = Text("explanation", "Explanation", lines=8, longest=12 * choices.explanation)
        return Form(EXPLAIN, (text,), lambda values: f"<answer>{values['explanation']}</answer>")
    if observation.kind == "act":
        return _design_form(task)
    world, rng = drawn(task.content["environment"], task.content["number"])
    fields = Questions(world, task.content["goal"], choices.mode, rng, choices.questions).fields
    places: Sequence[int] = observation.data["questions"]
    asked = [
        (f"{k}_{j}", _named(k, field, len(places)), field) for k in places for j, field in enumerate(fields)
    ]
    shown = tuple(_field(name, label, field) for name, label, field in asked)
    names = [[f"{k}_{j}" for j in range(len(fields))] for k in places]

    def reply(values: Values) -> str:
        return f"<answer>{'; '.join(', '.join(str(values[each]) for each in row) for row in names)}</answer>"

    return Form(ANSWER, shown, reply)


def _design_form(task: TaskSpec) -> Form:
    if task.content["environment"] == "morals":
        return _groups_form()
    fields = WORLDS[task.content["environment"]].fields
    shown = tuple(_field(str(k), field.label, field) for k, field in enumerate(fields))

    def reply(values: Values) -> str:
        return f"<observe>{', '.join(str(values[str(k)]) for k in range(len(fields)))}</observe>"

    return Form(EXPERIMENT, shown, reply)


def _groups_form() -> Form:
    groups = [
        Text(f"group{k}", f"Group {k}, 1 to 4 with commas", templates=("OBJ",), words=NAMES) for k in (1, 2)
    ]
    action = Choice("action", "To save group 1, the car has to", ("swerve", "stay"))

    def reply(values: Values) -> str:
        return f"<observe>{values['group1']}; {values['group2']}; {values['action']}</observe>"

    return Form(EXPERIMENT, (*groups, action), reply)


def _named(question: int, field: Asked, together: int) -> str:
    return f"{question + 1}. {field.label}" if together > 1 else field.label


def _field(name: str, label: str, field: Asked) -> Field:
    """A slider, or a line of text for a long range; both read as the same number."""
    if field.high - field.low > _SLIDER:
        return Text(name, f"{label} ({field.expected})", longest=30)
    step = 1.0 if field.whole else 0.01
    margin = step if field.open else 0.0
    start = max(field.start, field.low + margin)
    return Number(name, label, low=field.low + margin, high=field.high - margin, step=step, start=start)
