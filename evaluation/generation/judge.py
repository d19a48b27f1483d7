"""How a suite asks a second model about a finished episode: see `evaluation.suite.Suite.judge`."""

from collections.abc import Awaitable, Callable

Ask = Callable[[str, str], Awaitable[str]]
"""Asks a second model, by its name as a user writes it, and returns its answer to a text.

`Suite.judge` is called with it once for each finished episode; the models of `choices.judges` were found to
exist before the run. The record that it returns may have further `metrics` and entries of `replay`. Raises
EvaluationError if the model cannot be asked or a limit of the run is reached; who does not catch it loses the
episode.
"""
