"""Proteomics: the species whose proteins are far from those of the others."""

import re
from itertools import cycle

import numpy as np

from suites.discoveryworld.scripts.player import Player, numbers

_SPECIES = re.compile(r"has (\d+) different animal species")
_STATUE = re.compile(r"statue of an? ([^#]+)", re.IGNORECASE)
_TABLE = "Instrument Table"


def proteomics(play: Player) -> None:
    """Measures the proteins of every species, and puts the flag beside the statue of the outlier."""
    meter, flag = (_taken(play, name) for name in ("proteomics meter", "flag"))
    measured: dict[str, list[float]] = {}
    areas = cycle([place for place in play.known.places if "Animal Area" in place])
    while missing := [each for each in _species(play) if each not in measured]:
        found = next((each for each in missing if _animals(play, each)), None)
        if found is None:
            play.goto(next(areas))
        else:
            measured[found] = numbers(play.use(meter, _animals(play, found)[0]))
    points = np.array(list(measured.values()))
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1).sum(axis=1)
    outlier = list(measured)[int(apart.argmax())]
    for place in filter(_STATUE.match, play.known.places):
        play.goto(place)
        if any(far == 1 for _, far in play.near(f"(?i)statue of an? {outlier}").values()):
            break
    note = f"The {outlier} is the outlier; the others cluster together: {measured}."
    play.do(f"drop({play.name(flag)})", note)


def _taken(play: Player, name: str) -> int:
    if not play.seen(name):
        play.goto(_TABLE)
    return play.take(play.one(name))


def _animals(play: Player, species: str) -> list[int]:
    """Those in reach first."""
    found = play.seen(f"{species}(#|$)")
    return sorted(found, key=lambda each: play.name(each) not in play.known.reach)


def _species(play: Player) -> list[str]:
    """From the statues if all were seen, otherwise from the places, which are named after them."""
    number = int(found[1]) if (found := _SPECIES.search(play.known.task)) else 0
    statues = [found[1] for name in play.known.seen.values() if (found := _STATUE.match(name))]
    places = [found[1] for place in play.known.places if (found := _STATUE.match(place))]
    return statues if len(statues) == number else places
