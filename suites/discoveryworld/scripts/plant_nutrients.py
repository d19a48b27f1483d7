"""Plant Nutrients: which nutrients let a plant grow, by the soils in which plants stand and those in which none does."""

import re
from collections.abc import Callable, Iterator
from itertools import combinations, product

from suites.discoveryworld.scripts.player import Player, Stuck

Soil = dict[str, str]

_LEVELS = ("low", "medium", "high")
_FIELD = "Experimental Field #1"
_GROWING = 20
"""Steps for which is waited; the task says that plants grow within a few."""


def plant_nutrients(play: Player) -> None:
    """Measures all soils of the pilot field, and names the nutrient, or grows two plants where it is right."""
    other = set(play.seen("soil"))
    if "Storage Building" in play.known.places:
        play.goto("Storage Building")
        jar, shovel = (play.take(play.one(name)) for name in ("seed jar", "shovel"))
        meter = play.take(play.one("soil nutrient meter"))
        play.goto("Pilot Field")
        good, bad = _measured(play, meter, other)
        rule = _rule(good, bad)
        _configure(play, good[0], f"A plant grows if {rule}. One grew in {good[0]}.")
        _plant(play, jar, shovel)
        play.wait(_GROWING)
    else:
        good, bad = _measured(play, play.take(play.one("soil nutrient meter")), set())
        (needed,) = (name for name, level in good[0].items() if level != "zero")
        play.apply("talk", play.one("soil nutrient controller"))
        play.say(needed.capitalize(), f"A plant grows if there is {needed}: it grew in {good}, but not in {bad}.")


def _measured(play: Player, meter: int, other: set[int]) -> tuple[list[Soil], list[Soil]]:
    """The soils in which plants stand, and those in which none does."""
    found: tuple[list[Soil], list[Soil]] = ([], [])
    done = set(other)
    while new := [soil for soil in play.seen("soil(#|$)") if soil not in done]:
        said = play.use(meter, new[0])
        done.add(new[0])
        here = play.near("soil")[new[0]]
        found[here not in play.near("mushroom").values()].append(dict(re.findall(r"- (\w+): (\w+)", said)))
    if not found[0]:
        raise Stuck("no plant stands in any soil")
    return found


def _rule(good: list[Soil], bad: list[Soil]) -> str:
    """The simplest rule that all soils obey."""
    for text, holds in _rules(tuple(good[0])):
        if all(map(holds, good)) and not any(map(holds, bad)):
            return text
    raise Stuck("no rule explains where plants grow")


def _rules(nutrients: tuple[str, ...]) -> Iterator[tuple[str, Callable[[Soil], bool]]]:
    """Conditions on one nutrient, then on two."""
    facts = list(product(nutrients, _LEVELS))
    for a, level in facts:
        yield f"{a} is {level}", lambda soil, a=a, level=level: soil[a] == level
        yield f"{a} is not {level}", lambda soil, a=a, level=level: soil[a] != level
    for (a, one), (b, two) in combinations(facts, 2):
        if a != b:
            for word, holds in (("and", all), ("or", any), ("or else", lambda pair: sum(pair) == 1)):
                yield (
                    f"{a} is {one} {word} {b} is {two}",
                    lambda soil, a=a, one=one, b=b, two=two, holds=holds: holds(
                        [soil[a] == one, soil[b] == two]
                    ),
                )


def _configure(play: Player, soil: Soil, note: str) -> None:
    """Give the first field the nutrients of a soil."""
    play.goto(_FIELD)
    play.apply("talk", play.one(r"soil nutrient controller \(field #1\)"))
    for nutrient, level in soil.items():
        name = nutrient.capitalize()
        for text in (f"Set {name}", f"{name} level: {level}", "Back"):
            play.say(text)
    play.say("Imprint", note)


def _plant(play: Player, jar: int, shovel: int) -> None:
    """Plant seeds where the agent stands and in the soil north of it."""
    play.goto(_FIELD)
    places = play.near("soil(#|$)").items()
    for soil in [thing for thing, place in places if place in (("same_location", 0), ("north", 1))]:
        play.use(shovel, soil)
        play.take(jar)
        seed = next(each for each in play.seen("seed(#|$)") if play.name(each) in play.known.carried)
        play.put(seed, soil)
        play.put(next(each for each in play.seen("dirt") if play.name(each) in play.known.carried), soil)
