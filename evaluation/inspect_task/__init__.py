"""Inspect AI task of a suite: dataset, setup, solver, scorer, tools, registration."""
