"""Texts of the suite, in Markdown files of this package."""

from evaluation.prompts import variables_of

VARIABLES = variables_of(__package__)
"""Variables by text name, explained in `variables.yaml`."""
