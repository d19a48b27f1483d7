"""Generates the parts of the documentation that come from the code: `python -m docs._generate docs`."""
