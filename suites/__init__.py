"""Suites of tasks in addition to the arena's, one folder each."""
