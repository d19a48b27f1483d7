"""What people answer with: a command."""

from typing import Any

from evaluation.by_hand.form import Command, Form
from evaluation.suite import Observation, TaskSpec
from suites.scienceworld.episode import LONGEST

INTRO = (
    "One command at a time: click what you want to do and with what, or type it. If a name fits several "
    "things, answer the question with a number alone."
)

HELP = (
    "You are in a house with a kitchen, a workshop, a greenhouse and other places, in which things can be "
    "opened, moved, heated, connected, planted and mixed. Solve the task by one command at a time; every "
    "command takes a step, and the number of steps is limited.\n\n"
    "Only focus on something when the task tells you to: focusing on a wrong thing ends the task without "
    "points. Putting something into the box that stands for an answer is final, too. The command wait lets "
    "time pass, wait1 a single moment of it.\n\n"
    "The score begins at 0 and ends at 100 when the task is solved; each stage that you reach adds to it.\n\n"
    "Commands, in which OBJ stands for the name of a thing or place that you can see:\n{commands}"
)


def form(task: TaskSpec, choices: Any, observation: Observation) -> Form:
    """A box for commands, completed from the kinds of commands and from what can be named now."""
    templates, objects = observation.data["templates"], observation.data["objects"]
    box = Command(
        id="command",
        ask="Command",
        longest=LONGEST,
        templates=tuple(templates),
        words=tuple(objects),
        buttons=("look around", "inventory"),
        near="Near you",
    )
    help_text = HELP.format(commands="\n".join(f"- {each}" for each in templates))
    text = "\n\n".join(filter(None, observation.data["seen"]))
    shown = {"text": text, "help": help_text, "task": observation.data["task"]}
    return Form(INTRO, (box,), lambda values: str(values["command"]), **shown)
