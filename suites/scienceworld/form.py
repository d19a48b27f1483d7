"""Answer forms for people: a command."""

from typing import Any

from arena.packages import data_of
from evaluation.by_hand.form import Command, Form
from evaluation.suite import Observation, TaskSpec
from suites.scienceworld.episode import LONGEST


def form(task: TaskSpec, choices: Any, observation: Observation) -> Form:
    """Make a command box with completion by templates and present names."""
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
    texts = data_of(__package__, "form.yaml")
    help_text = texts["help"].format(commands="\n".join(f"- {each}" for each in templates))
    text = "\n\n".join(filter(None, observation.data["seen"]))
    shown = {"text": text, "help": help_text, "task": observation.data["task"]}
    return Form(texts["intro"], (box,), lambda values: str(values["command"]), **shown)
