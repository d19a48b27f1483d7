"""Answer forms for people: each object's probability, and the next trial."""

from collections.abc import Sequence

from arena.packages import data_of
from evaluation.by_hand.form import Box, Checkbox, Form, Slider, Values
from evaluation.prompts import load_prompt
from evaluation.script import Listed
from evaluation.suite import Observation, TaskSpec
from suites.est.episode import read_drawn
from suites.est.prompts import VARIABLES
from suites.est.replies import written
from suites.est.suite import EstChoices
from suites.est.world import CONTEXT, HORIZON, OBJECTS, PRESETS

CHOICES = {"observation": "image"}
"""Default choices for human play."""


def form(task: TaskSpec, choices: EstChoices, observation: Observation) -> Form:
    """Make a percent slider per object, and the trial if one follows."""
    texts = data_of(__package__, "form.yaml")
    labels = [f"{k}: {thing}" for k, thing in enumerate(read_drawn(task.content).things, start=1)]
    beliefs = [
        Slider(id=f"belief{k}", ask=label, start=50, unit="%", shown=True) for k, label in enumerate(labels)
    ]
    step, tries = observation.data["step"], CONTEXT <= observation.data["step"] < HORIZON
    low, high = PRESETS[choices.machine].blickets
    name = f"rule_{'est' if choices.machine == 'ivre' else choices.machine}"
    rule = load_prompt("suites.est.prompts", name, VARIABLES).fill()
    about = texts["task"].format(low=low, high=high, rule=rule)
    intro = texts["try"] if tries else texts["watch"].format(context=CONTEXT) if step < CONTEXT else ""
    boxes = _boxes(choices, observation.data["on"]) if choices.shows_images else ()
    put = Checkbox(id="trial", ask="Put on the machine", options=tuple(labels), boxes=boxes, required=False)
    trial = [put] if tries else []

    def reply(values: Values) -> str:
        belief = tuple(values[f"belief{k}"] / 100 for k in range(OBJECTS))
        if not tries:
            return str(Listed("Belief", belief))
        return written(belief, [k in values["trial"] for k in range(OBJECTS)])

    cost = texts["cost"].format(points=-observation.reward) if step > 1 else ""
    said = observation.told if choices.observation != "image" else ""
    text = "\n".join(filter(None, (f"Step {step} of {HORIZON}.", cost, said)))
    help_text = texts["help"].format(steps=HORIZON, context=CONTEXT)
    return Form(intro, (*beliefs, *trial), reply, text=text, help=help_text, task=about)


def _boxes(choices: EstChoices, on: Sequence[bool]) -> tuple[Box, ...]:
    """Locate each object in the picture."""
    from suites.est.picture import table

    size = choices.image_size
    edges = (table(size, size).box(k, there) for k, there in enumerate(on))
    return tuple(Box(*(min(max(edge / size, 0.0), 1.0) for edge in each)) for each in edges)
