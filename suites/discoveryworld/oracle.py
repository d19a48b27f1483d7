"""Scripts that solve a theme, as an upper reference: what to do next, from what was done and is seen."""

import re
from collections.abc import Callable, Sequence

import numpy as np

from suites.discoveryworld.episode import Known

Script = Callable[[Known], str]

_SPECIES = re.compile(r"has (\d+) different animal species")
_STATUE = re.compile(r"statue of an? ([^#]+)", re.IGNORECASE)
_PROTEIN = re.compile(r"Protein \w+: ([\d.]+)")

_AGE = re.compile(r"(\d+) years")

DATER, ARTEFACT, START = "radiocarbon meter", "ancient artifact", "starting location"
METER, FLAG, TABLE = "proteomics meter", "flag", "Instrument Table"


def proteomics(known: Known) -> str:
    """Measures the proteins of every species, and puts the flag beside the statue of the outlier."""
    for thing in (METER, FLAG):
        if thing not in known.carried and not _has_dropped(known, thing):
            return _taken(known, thing)
    species = _species(known)
    measured = _measured(known)
    missing = [each for each in species if each not in measured]
    if missing:
        return _measuring(known, missing)
    if _has_dropped(known, FLAG):
        return ""
    outlier = _outlier(measured)
    if any(_named(label, outlier) and far == 1 for label, (_, far) in known.near.items()):
        found = ", ".join(f"{name} {values}" for name, values in measured.items())
        return f"The {outlier} is the outlier; the others cluster together: {found}.\ndrop({FLAG})"
    return _next_place(known, [place for place in known.places if _STATUE.match(place)])


def archaeology(known: Known) -> str:
    """Dates the artefacts of the easy worlds, and puts the flag one tile to the east of the oldest."""
    for thing in (DATER, FLAG):
        if thing not in known.carried and not _has_dropped(known, thing):
            return _taken(known, thing)
    ages = {turn.action: int(found[1]) for turn in known.turns if (found := _AGE.search(turn.message))}
    for artefact in (label for label in known.seen if label.startswith(ARTEFACT)):
        if f"use({DATER}, {artefact})" not in ages:
            return f"use({DATER}, {artefact})" if artefact in known.reach else f"beside({artefact})"
    if _has_dropped(known, FLAG):
        return ""
    oldest = max(ages, key=lambda action: ages[action]).partition(", ")[2].rstrip(")")
    way, far = known.near[oldest]
    if (way, far) == ("west", 1):
        others = sorted(ages.values())[:-1]
        return f"{oldest} is the oldest, {max(ages.values())} years; the others are {others}.\ndrop({FLAG})"
    # All artefacts are in one column, west of the tiles through which the agent goes.
    if known.turns[-1].action not in (f"goto({START})", "move(north)", "move(south)"):
        return f"goto({START})"
    return f"move({way.partition('-')[0]})"


def _taken(known: Known, thing: str) -> str:
    if thing in known.reach:
        return f"take({thing})"
    return f"beside({thing})" if thing in known.seen else f"goto({TABLE})"


def _has_dropped(known: Known, thing: str) -> bool:
    return any(turn.action == f"drop({thing})" and turn.done for turn in known.turns)


def _species(known: Known) -> list[str]:
    """From the statues if all were seen, otherwise from the places, which are named after them."""
    number = int(found[1]) if (found := _SPECIES.search(known.task)) else 0
    statues = [found[1] for label in known.seen if (found := _STATUE.match(label))]
    places = [found[1] for place in known.places if (found := _STATUE.match(place))]
    return statues if len(statues) == number else places


def _measured(known: Known) -> dict[str, tuple[float, ...]]:
    """The proteins of each species that was measured."""
    found = {}
    for turn in known.turns:
        if turn.done and turn.action.startswith(f"use({METER}, "):
            name = turn.action.partition(", ")[2].rstrip(")").partition("#")[0]
            if values := tuple(map(float, _PROTEIN.findall(turn.message))):
                found[name] = values
    return found


def _measuring(known: Known, missing: Sequence[str]) -> str:
    for species in missing:
        animals = [label for label in known.seen if label.partition("#")[0] == species]
        within = [label for label in animals if label in known.reach]
        if within:
            return f"use({METER}, {within[0]})"
        if animals:
            return f"beside({animals[0]})"
    return _next_place(known, [place for place in known.places if "Animal Area" in place])


def _next_place(known: Known, places: Sequence[str]) -> str:
    """The one of some places where the agent was least often."""
    went = [turn.action for turn in known.turns]
    return f"goto({min(places, key=lambda place: went.count(f'goto({place})'))})"


def _outlier(measured: dict[str, tuple[float, ...]]) -> str:
    """The species that is farthest from the others."""
    points = np.array(list(measured.values()))
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1).sum(axis=1)
    return list(measured)[int(apart.argmax())]


def _named(label: str, species: str) -> bool:
    found = _STATUE.match(label)
    return found is not None and found[1] == species


ORACLES: dict[str, Script] = {"proteomics": proteomics, "archaeology-easy": archaeology}
"""The scripts by the names of their agents and of the worlds; an empty reply is the end of one."""
