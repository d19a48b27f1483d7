"""Suites of tasks beside the arena's, one folder each."""
