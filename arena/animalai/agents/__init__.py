"""The example agents, as in `animalai.agents` (package `animalai` 4.1 to 6.2)."""

from arena.animalai.agents.braitenberg import Braitenberg
from arena.animalai.agents.randomActionAgent import RandomActionAgent

__all__ = ["Braitenberg", "RandomActionAgent"]
