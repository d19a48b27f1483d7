"""The ten worlds."""

from suites.boxing.environments.animals import Dugongs, Peregrines
from suites.boxing.environments.death import Death
from suites.boxing.environments.emotions import Emotions
from suites.boxing.environments.hyperbolic import Hyperbolic
from suites.boxing.environments.irt import Irt
from suites.boxing.environments.location import Location
from suites.boxing.environments.morals import Morals
from suites.boxing.environments.predator_prey import PredatorPrey
from suites.boxing.environments.survival import Survival
from suites.boxing.world import World

WORLDS: dict[str, type[World]] = {
    world.name: world
    for world in (
        *(Location, Hyperbolic, Death, Irt, Dugongs),
        *(Peregrines, Survival, PredatorPrey, Emotions, Morals),
    )
}
"""By name, in the order of the paper."""
