"""Answer forms for people: designs, answers, and explanations."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from arena.errors import ConfigError
from arena.packages import data_of
from evaluation.by_hand.form import Choice, Command, Form, Number, Question, Slider, Text, Values
from evaluation.prompts import without_gaps
from evaluation.suite import Observation, TaskSpec
from suites.boxing.choices import BoxingChoices
from suites.boxing.environments import WORLDS, drawn
from suites.boxing.environments.people import CHARACTER_NAMES
from suites.boxing.questions import CHANCE, Questions
from suites.boxing.replies import answers_of, design_of
from suites.boxing.world import Field as Asked
from suites.boxing.world import WrongReplyError

CHOICES = {"wording": "story"}
"""Default choices for human play."""

EXPERIMENT = "Choose an experiment."

_FOR_MODELS = re.compile(
    r"[ \t]*(?:: what is its design\? )?Reply with `<[^\n]*"
    r"| (?:A design is written as|Answer with the prob)[^.]*\."
)
"""Instructions on a model's format."""


def form(task: TaskSpec, choices: BoxingChoices, observation: Observation) -> Form:
    """Make fields for the observation's request, below its text for people."""
    story, text = (_FOR_MODELS.sub("", observation.data[part]).strip() for part in ("story", "shown"))
    about = without_gaps(story).replace("`", "")
    shown = _form(task, choices, observation)
    return replace(shown, task=about, text=text, help=data_of(__package__, "form.yaml")["help"])


def _form(task: TaskSpec, choices: BoxingChoices, observation: Observation) -> Form:
    if observation.kind == "explain":
        longest = 12 * choices.explanation
        text = Text(id="explanation", ask="Explanation", lines=8, longest=longest)
        intro = data_of(__package__, "form.yaml")["explain"].format(words=choices.explanation)
        return Form(intro, (text,), lambda values: f"<answer>{values['explanation']}</answer>")
    world, rng = drawn(task.content["environment"], task.content["number"])
    if observation.kind == "act":
        return replace(_design_form(task), check=_checked(lambda reply: design_of(reply, world)))
    questions = Questions(world, task.content["goal"], choices.mode, rng, choices.questions)
    fields, unit = questions.fields, 100 if questions.chances else 1
    places: Sequence[int] = observation.data["questions"]
    asked = [
        (f"{k}_{j}", _named(k, field, len(places)), field) for k in places for j, field in enumerate(fields)
    ]
    shown = tuple(_question(*each) for each in asked)
    names = [[f"{k}_{j}" for j in range(len(fields))] for k in places]

    def reply(values: Values) -> str:
        rows = (", ".join(f"{values[each] / unit:.10g}" for each in row) for row in names)
        return f"<answer>{'; '.join(rows)}</answer>"

    check = _checked(lambda reply: answers_of(reply, fields, len(places)))
    return Form("What do you expect?", shown, reply, check)


def _checked(read: Callable[[str], object]) -> Callable[[str], None]:
    """Make a check that refuses unreadable replies before they count."""

    def check(reply: str) -> None:
        try:
            read(reply)
        except WrongReplyError as error:
            raise ConfigError(re.sub(r"</?(answer|observe)>", "", str(error))) from None

    return check


def _design_form(task: TaskSpec) -> Form:
    if task.content["environment"] == "morals":
        return _groups_form()
    fields = WORLDS[task.content["environment"]].fields
    shown = tuple(_question(str(k), _named(k, field, 1), field) for k, field in enumerate(fields))

    def reply(values: Values) -> str:
        return f"<observe>{', '.join(str(values[str(k)]) for k in range(len(fields)))}</observe>"

    return Form(EXPERIMENT, shown, reply)


def _groups_form() -> Form:
    groups = [
        Command(
            id=f"group{k}",
            ask=f"Group {k}, 1 to 4 with commas",
            templates=("OBJ",),
            words=tuple(CHARACTER_NAMES),
        )
        for k in (1, 2)
    ]
    action = Choice(id="action", ask="To save group 1, the car has to", options=("swerve", "stay"))

    def reply(values: Values) -> str:
        return f"<observe>{values['group1']}; {values['group2']}; {values['action']}</observe>"

    return Form(EXPERIMENT, (*groups, action), reply)


def _named(question: int, field: Asked, together: int) -> str:
    label = field.label[:1].upper() + field.label[1:]
    return f"{question + 1}. {label}" if together > 1 else label


def _question(name: str, label: str, field: Asked) -> Question:
    """Make a slider, in percent for probabilities, or a typed number. Long ranges are typed."""
    if field.label == CHANCE:
        label = label.replace(CHANCE.capitalize(), "How likely is the outcome (1)?")
        return Slider(id=name, ask=label, unit="%", shown=True)
    # Longer ranges have too many values for a slider: they are typed.
    if field.high - field.low > 400.0:
        return Number(
            id=name, ask=f"{label} ({field.expected})", whole=field.whole, least=field.low, most=field.high
        )
    step = 1.0 if field.whole else 0.01
    margin = step if field.open else 0.0
    start = max(field.start, field.low + margin)
    least, most = field.low + margin, field.high - margin
    return Slider(id=name, ask=label, least=least, most=most, step=step, start=start, shown=True)
