"""Answer forms for people: an experiment or a door, and probabilities."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from arena.packages import data_of
from arena.science.families import COLORS, MachineQuestion, read_question
from arena.science.words import doors, numbers_of
from evaluation.by_hand.form import Box, Checkbox, Choice, Form, Question, Reply, Slider, Values
from evaluation.script import Listed
from evaluation.suite import Observation, TaskSpec

SEEN = f"In the picture everything has colours in the order of the numbers: {', '.join(COLORS)}."
ACT = "Try something, or open a door."


def form(task: TaskSpec, choices: Any, observation: Observation) -> Form:
    """Offer experiments and doors; after an experiment a slider per door."""
    texts, question = data_of(__package__, "form.yaml"), read_question(task.content)
    said = observation.data["said"]
    # Texts without commands.
    about = [re.sub(r": `Try\([^.]*\.", ".", text) for text in observation.data["task"]]
    about += [SEEN] if choices.shows_images else []
    shown = partial(Form, task="\n\n".join(about), help=texts["help"])
    if observation.data["predicts"]:
        names = enumerate(doors(question))
        sliders = (Slider(id=f"door{k}", ask=f"Door {k + 1}: {d}", unit="%", shown=True) for k, d in names)
        return shown(texts["likely"], tuple(sliders), _believed, text=said)
    shown = partial(shown, text="\n\n".join(filter(None, (said, _left(observation)))))
    boxes = partial(_boxes, task, choices)
    opens = {
        f"Open door {k}: {door}": Listed("Open", (k,)) for k, door in enumerate(doors(question), start=1)
    }
    if not observation.data["experiments_left"]:
        choice = Choice(id="act", ask="Open a door", options=tuple(opens), boxes=boxes("MarkedDoor"))
        return shown("", (choice,), lambda values: str(opens[values["act"]]))
    if isinstance(question, MachineQuestion):
        return shown(ACT, *_machine(question, opens, boxes))
    count = len(question.hidden.likelihood)
    tries = {
        f"Try {k} ({COLORS[k - 1]})": Listed("Try", (k,))
        for k in (numbers_of(question, each)[0] for each in range(count))
    }
    acts = {**tries, **opens}
    choice = Choice(id="act", ask="What do you do?", options=tuple(acts), boxes=boxes("Pad", "MarkedDoor"))
    return shown(ACT, (choice,), lambda values: str(acts[values["act"]]))


def _boxes(task: TaskSpec, choices: Any, *kinds: str) -> tuple[Box, ...]:
    """Locate things of these kinds in the picture, if it exists."""
    if not choices.shows_images:
        return ()
    # Here, as words need no arena.
    from suites.laboratory.picture import places

    return tuple(box for kind in kinds for box in places(task.id, kind))


def _left(observation: Observation) -> str:
    left = observation.data["experiments_left"]
    return f"{left} experiment{'s' * (left != 1)} left." if left else "No experiments are left."


def _machine(
    question: MachineQuestion, opens: dict[str, Listed], boxes: Callable[..., tuple[Box, ...]]
) -> tuple[tuple[Question, ...], Reply]:
    labels = [f"{k + 1} ({COLORS[k]})" for k in range(question.things)]
    things = Checkbox(
        id="things", ask="On the plate", options=tuple(labels), required=False, boxes=boxes("Pad")
    )
    placed, options = boxes("Machine", "MarkedDoor"), ("Put what is ticked on the plate", *opens)
    choice = Choice(id="act", ask="What do you do?", options=options, boxes=placed)

    def reply(values: Values) -> str:
        return str(opens.get(values["act"]) or Listed("Try", tuple(k + 1 for k in sorted(values["things"]))))

    return (things, choice), reply


def _believed(values: Values) -> str:
    """Normalise the sliders' shares; equal ones if all are 0."""
    given = [float(value) for value in values.values()]
    total = sum(given)
    return str(Listed("Belief", tuple(each / total if total else 1 / len(given) for each in given)))
