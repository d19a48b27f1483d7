"""What people answer with: a command."""

from evaluation.by_hand.form import Form, Text
from evaluation.suite import Observation
from suites.scienceworld.replies import LONGEST

INTRO = "One command at a time. If a name fits several things, answer the question with a number alone."

BUTTONS = ("look around", "inventory")


def command_form(observation: Observation) -> Form:
    """A box for commands, completed from the kinds of commands and from what can be named now."""
    templates, objects = observation.data["templates"], observation.data["objects"]
    box = Text(
        "command",
        "Command",
        longest=LONGEST,
        templates=tuple(templates),
        words=tuple(objects),
        buttons=BUTTONS,
    )
    return Form(f"{observation.data['task']}\n\n{INTRO}", (box,), lambda values: str(values["command"]))
