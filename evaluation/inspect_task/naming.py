"""Under which name Inspect AI knows our tasks, tools and agents."""

from collections.abc import Callable
from importlib import import_module
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

DISTRIBUTION = "arena_llm"
"""What is installed, and the first part of names such as arena_llm/testbed."""


def of_distribution(function: Callable[P, R]) -> Callable[P, R]:
    """Make Inspect register a function as `arena_llm/NAME`; this goes below Inspect's own decorator.

    Inspect puts the package that defines a function before its name. Here that would be llm_control, or
    nothing in an editable installation, because no distribution has that name.
    """
    function.__module__ = import_module(DISTRIBUTION).__name__
    return function
