"""EST's 48 objects, and which nine of them an episode shows."""

from itertools import product
from typing import NamedTuple

import numpy as np

from suites.est.world import OBJECTS

SHAPES = ("cube", "sphere", "cylinder")
MATERIALS = ("metal", "rubber")

RGB = {
    **{"gray": (87, 87, 87), "red": (173, 35, 35), "blue": (42, 75, 215), "green": (29, 105, 20)},
    **{"brown": (129, 74, 25), "cyan": (41, 208, 208), "purple": (129, 38, 192), "yellow": (255, 238, 51)},
}
"""Colours of surfaces, sRGB, as in CLEVR (Johnson et al. 2017), whose objects EST's are."""

COLORS = tuple(RGB)


class Thing(NamedTuple):
    """One object, a word of each of `SHAPES`, `MATERIALS` and `COLORS`."""

    shape: str
    material: str
    color: str

    def __str__(self) -> str:
        return f"{self.color} {self.material} {self.shape}"


THINGS = tuple(Thing(*words) for words in product(SHAPES, MATERIALS, COLORS))
"""All 48 objects."""


def appearances(rng: np.random.Generator) -> tuple[Thing, ...]:
    """What an episode's nine objects look like: nine different ones of `THINGS`, in random order.

    The first is object 0, which also stands at place 0.
    """
    return tuple(THINGS[number] for number in rng.random(len(THINGS)).argsort()[:OBJECTS])
