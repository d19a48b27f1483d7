"""The form by which people play the arena as a model does: by scripts, with the same texts and pictures."""

from evaluation.by_hand.form import Form, Text
from evaluation.suite import Observation, TaskSpec
from llm_control.choices import ArenaChoices
from llm_control.messages import system_text
from llm_control.prompts import arena_prompts

SCRIPT = "script"
"""Id of the question."""

LONGEST = 4_000
"""Characters of a script; enough for thirty commands and a page of thoughts."""


def form(task: TaskSpec, choices: ArenaChoices, observation: Observation) -> Form:
    """A field for the script, below the observation's own text; the rules are the system prompt's."""
    script = Text(id=SCRIPT, ask="Your script", longest=LONGEST)
    rules = system_text(choices, arena_prompts(), 1)
    return Form("", (script,), lambda values: str(values[SCRIPT]), help=rules)
