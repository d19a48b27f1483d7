"""A suite of tasks: guess a number."""
