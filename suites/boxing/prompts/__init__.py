"""Texts of the suite, in Markdown files of this package."""

from evaluation.prompts import Variables, variables_of
from suites.boxing.environments import WORLDS
from suites.boxing.world import WORDINGS

_WORLDS = tuple(f"{name}_{wording}" for name in WORLDS for wording in WORDINGS)

VARIABLES: Variables = {
    name: variables
    for each, variables in variables_of(__package__).items()
    for name in (_WORLDS if each == "WORLD_WORDING" else (each,))
}
"""Variables by text name, explained in `variables.yaml`."""
