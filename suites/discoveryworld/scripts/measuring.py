"""Proteomics and archaeology: everything is measured once, and the flag is put beside what stands out."""

import re
from itertools import cycle

import numpy as np

from suites.discoveryworld.scripts.player import Player, Stuck, numbers

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
    return sorted(found, key=lambda each: each not in play.known.reach)


def _species(play: Player) -> list[str]:
    """From the statues if all were seen, otherwise from the places, which are named after them."""
    number = int(found[1]) if (found := _SPECIES.search(play.known.task)) else 0
    statues = [found[1] for name in play.known.names.labels().values() if (found := _STATUE.match(name))]
    places = [found[1] for place in play.known.places if (found := _STATUE.match(place))]
    return statues if len(statues) == number else places


_AGE = re.compile(r"(\d+) years")
_ARTEFACT = "ancient artifact"
_ANY_ARTEFACT = f"{_ARTEFACT}|.*(hammer|chisel|tongs)"
_AGES = {"stone": 10_000, "bronze": 4_000, "iron": 1_000}
"""Years since the ages of the known artefacts' materials, roughly: only their proportions matter."""


def archaeology(play: Player) -> None:
    """Dates the artefacts, and puts the flag beside the oldest."""
    sites = [place for place in play.known.places if place.startswith("dig site")]
    if sites:
        _excavate(play, sites)
    else:
        _indoors(play)


def _indoors(play: Player) -> None:
    """All artefacts lie in one column, west of the tiles through which the agent goes."""
    meter, flag = play.take(play.one("radiocarbon meter")), play.take(play.one("flag"))
    ages = {each: _age(play.use(meter, each)) for each in play.seen(_ARTEFACT)}
    oldest = max(ages, key=lambda each: ages[each])
    play.goto("starting location")
    while (way := play.near(_ARTEFACT)[oldest][0]) != "west":
        play.do(f"move({way.partition('-')[0]})")
    others = sorted(ages.values())[:-1]
    play.do(
        f"drop({play.name(flag)})",
        f"{play.name(oldest)} is the oldest, {ages[oldest]:.0f} years; the others are {others}.",
    )


def _excavate(play: Player, sites: list[str]) -> None:
    play.goto("base camp")
    meter, shovel, flag = (play.take(play.one(name)) for name in ("radio.* meter", "shovel", "flag"))
    readings = {}
    for site in sites:
        play.goto(site)
        artefact = _dug_out(play, shovel)
        said = play.use(meter, artefact)
        readings[site] = (play.name(artefact), numbers(said) or [-_age(said)])
    known = {name: values for name, values in readings.values() if not name.startswith(_ARTEFACT)}
    channel = _channel(known) if known else 0
    unknown = {s: values[channel] for s, (name, values) in readings.items() if name.startswith(_ARTEFACT)}
    oldest = min(unknown, key=lambda site: unknown[site])
    play.goto(oldest)
    why = f"channel {channel + 1} is lower the older the known artefacts are" if known else "by its age"
    play.do(f"drop({play.name(flag)})", f"The artefact of {oldest} is the oldest, {why}: {readings}.")


def _dug_out(play: Player, shovel: int) -> int:
    """The artefact of the site whose soil begins east of the agent."""
    if found := _eastward(play, _ANY_ARTEFACT):
        return found[0]
    before = set(play.seen(_ANY_ARTEFACT))
    for soil in _eastward(play, "soil"):
        play.use(shovel, soil)
        if found := [each for each in play.seen(_ANY_ARTEFACT) if each not in before]:
            return found[0]
    raise Stuck("no artefact was dug out")


def _eastward(play: Player, pattern: str) -> list[int]:
    near = play.near(pattern).items()
    return [thing for thing, (way, _) in near if way in ("east", "south-east")]


def _channel(known: dict[str, list[float]]) -> int:
    """The isotope that falls with the age of the artefacts of stone, bronze and iron."""
    ages = [next(age for word, age in _AGES.items() if word in name) for name in known]
    columns = np.array(list(known.values())).T
    return int(np.argmin([np.corrcoef(ages, column)[0, 1] for column in columns]))


def _age(said: str) -> float:
    return float(found[1]) if (found := _AGE.search(said)) else 0.0
