"""The suite's texts, in Markdown files beside this module."""

from evaluation.prompts import Variables, variables_of
from suites.boxing.environments import WORLDS
from suites.boxing.world import WORDINGS

_WORLDS = tuple(f"{name}_{wording}" for name in WORLDS for wording in WORDINGS)

VARIABLES: Variables = {
    name: variables
    for each, variables in variables_of(__package__).items()
    for name in (_WORLDS if each == "WORLD_WORDING" else (each,))
}
"""By name of a text: the variables that it is filled with, as `variables.yaml` explains them."""
