"""A suite whose replies are commands; any command is answered, and the second ends the episode."""

from arena_llm_guessing.suite import Guessing, GuessingSuite

from evaluation.by_hand.form import Command, Form
from evaluation.suite import Observation

SCENE = "You see:\n\tan orange\n\ta  door"
TEMPLATES = ("look around", "open OBJ", "move OBJ to OBJ", "mix OBJ")


class Kitchen(Guessing):
    def begin(self) -> Observation:
        return Observation((SCENE,))

    def reply(self, text: str) -> Observation:
        return self._next({"reply": text, "error": None}, f'{SCENE}\n\tnothing after "{text}"')


class KitchenSuite(GuessingSuite):
    name = task_name = "kitchen"
    title = "A kitchen"

    def open(self, setup):
        return Kitchen(setup)


def form(task, choices, observation):
    things = ("orange", "door to kitchen", *(f"cup {number}" for number in range(8)))
    command = Command(
        id="command", ask="Command", templates=TEMPLATES, words=things, buttons=("look around",)
    )
    return Form("What do you do?", (command,), lambda values: values["command"])


SUITE = KitchenSuite()
