"""What people answer with: an action, completed while it is typed, or what they say in a conversation."""

from evaluation.by_hand.form import Choice, Form, Text
from evaluation.suite import Observation

INTRO = (
    "One action at a time. You reach what you carry, and what is where you stand or on the tile you face. "
    "Begin to type, or press Down, to see what can be completed."
)
TALK = "You are in a conversation: choose what you say."


def action_form(observation: Observation) -> Form:
    """A line for an action, with the names of what is seen; in a conversation, what can be said."""
    data = observation.data
    if options := data["options"]:
        said = tuple(f"{number}: {text}" for number, text in options.items())
        choice = Choice("said", "Say", said)
        return Form(TALK, (choice,), lambda values: values["said"].partition(":")[0], text=data["text"])
    line = Text("action", "Action", 1, 500, data["templates"], data["labels"], buttons=data["moves"])
    return Form(
        f"{data['task']}\n\n{INTRO}", (line,), lambda values: str(values["action"]), text=data["text"]
    )
