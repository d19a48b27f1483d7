"""Evaluation of agents on suites of tasks, on Inspect AI: choices, budgets, logs, results."""
