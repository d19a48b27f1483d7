"""The suite's texts, in Markdown files beside this module."""

from evaluation.prompts import Variables
from suites.boxing.environments import WORLDS
from suites.boxing.world import WORDINGS

VARIABLES: Variables = {
    "system": ("experiments", "tries", "rules"),
    "rules": (),
    "rules_story": (),
    **{f"{name}_{wording}": ("details", "goal") for name in WORLDS for wording in WORDINGS},
    "goal_prediction": (),
    "goal_parameters": (),
    "goal_asked": ("question",),
    "act": ("said", "number", "experiments", "form"),
    "predict": ("said", "questions", "answer"),
    "answer": ("form", "limits"),
    "chances": (),
    "explain": ("said", "words"),
    "narrate": ("said",),
    "narrated": ("said",),
    "novice": ("said", "explanation", "questions", "answer"),
    "no_experiment": ("tries",),
    "invalid_reply": ("feedback", "left"),
    "episode_end": ("error:.4g", "score:.2f"),
}
"""By name of a text: the variables that it is filled with.

The texts of worlds come before everything until the first experiment is over: `_story` with what they are
about, `_equations` with the model as well, `_plain` with neither. `details`: what was drawn at the beginning,
such as a list of patients; `goal`: one of the `goal_` texts, in stories `goal_asked` with the question on
parameters. `rules`: the text of that name, or `rules_story`. `said`: what came of the last experiment, and
what was wrong with the last reply (`invalid_reply`). `form`: how a design or an answer is written, `limits`
of its numbers. `answer`: the text of that name; `chances` follows a question whose answer is a probability.
`novice` is sent alone, without the system text, and so is `narrate` to a narrator, with what the template
says; `narrated` is what then is said.
"""
