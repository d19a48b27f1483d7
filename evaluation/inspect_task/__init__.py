"""A suite as a task of Inspect AI: dataset, setup, solver, scorer, tools, and how it is registered."""
