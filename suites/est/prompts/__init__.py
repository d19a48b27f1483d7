"""The suite's texts, in Markdown files beside this module."""

from evaluation.prompts import variables_of

VARIABLES = variables_of(__package__)
"""By name of a text: the variables that it is filled with, as `variables.yaml` explains them."""
