"""What people answer with: how likely each object is to be a Blicket, and what is tried next."""

from collections.abc import Sequence

from evaluation.by_hand.form import Box, Checkbox, Form, Slider, Values
from evaluation.prompts import load_prompt
from evaluation.script import Listed
from evaluation.suite import Observation, TaskSpec
from suites.est.episode import read_drawn
from suites.est.prompts import VARIABLES
from suites.est.replies import written
from suites.est.suite import EstChoices
from suites.est.world import CONTEXT, HORIZON, OBJECTS, PRESETS

TASK = (
    "Find out which of the nine objects are Blickets; {low} to {high} of them are. The machine: {rule}\n\n"
    "Set how likely each object is to be a Blicket. You have solved the task as soon as every Blicket is "
    "above 50 % and every other object below."
)
HELP = (
    "A machine stands on a table. Blickets cannot be told from other objects by their looks: shape, material "
    "and colour mean nothing.\n\n"
    "There are {steps} steps. In the first {context} you see what somebody else has put on the machine, and "
    "whether it is lit. From then on you see your own trials: what you choose is put on the machine, "
    "everything else is taken off.\n\n"
    "Set all sliders in every step. As soon as every Blicket is above 50 % and every other object below, you "
    "have solved the task and get 20 points. Every other step costs 1 point, and up to 0.83 more the further "
    "your sliders are from what can be known by then."
)
CHOICES = {"observation": "image"}
"""What people play with unless something else is chosen."""

TRY = "Then choose what is put on the machine next. Everything else is taken off it."
COST = "At least one slider was on the wrong side of 50 %. That step cost {points:.2f} points."
WATCH = "Somebody else has put these objects on the machine. After {context} such panels you choose them."


def form(task: TaskSpec, choices: EstChoices, observation: Observation) -> Form:
    """A slider in percent for each object, and the objects to be tried if a trial follows this step."""
    labels = [f"{k}: {thing}" for k, thing in enumerate(read_drawn(task.content).things, start=1)]
    beliefs = [
        Slider(id=f"belief{k}", ask=label, start=50, unit="%", shown=True) for k, label in enumerate(labels)
    ]
    step, tries = observation.data["step"], CONTEXT <= observation.data["step"] < HORIZON
    low, high = PRESETS[choices.machine].blickets
    name = f"rule_{'est' if choices.machine == 'ivre' else choices.machine}"
    rule = load_prompt("suites.est.prompts", name, VARIABLES).fill()
    about = TASK.format(low=low, high=high, rule=rule)
    intro = TRY if tries else WATCH.format(context=CONTEXT) if step < CONTEXT else ""
    boxes = _boxes(choices, observation.data["on"]) if choices.shows_images else ()
    put = Checkbox(id="trial", ask="Put on the machine", options=tuple(labels), boxes=boxes, required=False)
    trial = [put] if tries else []

    def reply(values: Values) -> str:
        belief = tuple(values[f"belief{k}"] / 100 for k in range(OBJECTS))
        if not tries:
            return str(Listed("Belief", belief))
        return written(belief, [k in values["trial"] for k in range(OBJECTS)])

    cost = COST.format(points=-observation.reward) if step > 1 else ""
    said = observation.told if choices.observation != "image" else ""
    text = "\n".join(filter(None, (f"Step {step} of {HORIZON}.", cost, said)))
    help_text = HELP.format(steps=HORIZON, context=CONTEXT)
    return Form(intro, (*beliefs, *trial), reply, text=text, help=help_text, task=about)


def _boxes(choices: EstChoices, on: Sequence[bool]) -> tuple[Box, ...]:
    """Where each object is in the picture."""
    from suites.est.picture import table

    size = choices.image_size
    edges = (table(size, size).box(k, there) for k, there in enumerate(on))
    return tuple(Box(*(min(max(edge / size, 0.0), 1.0) for edge in each)) for each in edges)
