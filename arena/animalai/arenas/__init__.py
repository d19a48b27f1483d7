"""Paths of two one-ball arenas, as in `animalai.arenas` (`animalai` 4.1 to 6.2)."""

from pathlib import Path

_FOLDER = Path(__file__).parent

GOOD_GOAL_FIXED_POS = str(_FOLDER / "GoodGoal_Fixed.yml")
"""File of a 3 m ball in the middle, agent cornered."""

GOOD_GOAL_RANDOM_POS = str(_FOLDER / "GoodGoal_Random.yml")
"""File with ball and agent in random positions."""
