"""Paths of two arenas with one ball, as in `animalai.arenas` (package `animalai` 4.1 to 6.2)."""

from pathlib import Path

_FOLDER = Path(__file__).parent

GOOD_GOAL_FIXED_POS = str(_FOLDER / "GoodGoal_Fixed.yml")
"""A ball of 3 m in the middle, the agent in a corner; path of the file."""

GOOD_GOAL_RANDOM_POS = str(_FOLDER / "GoodGoal_Random.yml")
"""Ball and agent in random positions; path of the file."""
