"""Plant Nutrients: the nutrients that let a plant grow, by the soils in which plants stand."""

import re
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import NamedTuple

from suites.discoveryworld.scripts.player import Player, Stuck

Soil = dict[str, str]

_LEVELS = ("low", "medium", "high")
_FIELD = "Experimental Field #1"
_GROWING = 20
"""The most steps until plants have grown; the task says that a few are enough."""

_KINDS = {
    "{}": (1,),
    "it is not so that {}": (0,),
    "{} and {}": (2,),
    "{} or {}": (1, 2),
    "either {} or {}": (1,),
}
"""The rules that there are: their texts, and how many of their facts are true where a plant grows."""


class _Rule(NamedTuple):
    """One of the kinds with its facts, each a nutrient and a level."""

    text: str
    facts: tuple[tuple[str, str], ...]
    true: tuple[int, ...]

    def __str__(self) -> str:
        return self.text.format(*(f"{nutrient} is {level}" for nutrient, level in self.facts))

    def holds(self, soil: Soil) -> bool:
        """Whether a plant grows in a soil."""
        return sum(soil[nutrient] == level for nutrient, level in self.facts) in self.true


def plant_nutrients(play: Player) -> None:
    """Measures all soils of the pilot field, and names the nutrient or grows two plants."""
    other = set(play.seen("soil"))
    if "Storage Building" in play.known.places:
        play.goto("Storage Building")
        _, shovel, meter = [
            play.take(play.one(name)) for name in ("seed jar", "shovel", "soil nutrient meter")
        ]
        play.goto("Pilot Field")
        good, bad = _measured(play, meter, other)
        rule = _rule(good, bad)
        _configure(play, good[0], f"A plant grows if {rule}. One grew in {good[0]}.")
        _plant(play, shovel)
        play.wait(_GROWING)
    else:
        good, bad = _measured(play, play.take(play.one("soil nutrient meter")), set())
        (needed,) = (name for name, level in good[0].items() if level != "zero")
        play.apply("talk", play.one("soil nutrient controller"))
        play.say(
            needed.capitalize(), f"A plant grows if there is {needed}: it grew in {good}, but not in {bad}."
        )


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
    for rule in _rules(good[0]):
        if all(map(rule.holds, good)) and not any(map(rule.holds, bad)):
            return str(rule)
    raise Stuck("no rule explains where plants grow")


def _rules(nutrients: Iterable[str]) -> Iterator[_Rule]:
    """Those of one fact, then those of two."""
    facts = tuple(product(nutrients, _LEVELS))
    for text, numbers in _KINDS.items():
        for chosen in combinations(facts, text.count("{}")):
            if len(dict(chosen)) == len(chosen):
                yield _Rule(text, chosen, numbers)


def _configure(play: Player, soil: Soil, note: str) -> None:
    """Give the first field the nutrients of a soil."""
    play.goto(_FIELD)
    play.apply("talk", play.one(r"soil nutrient controller \(field #1\)"))
    for nutrient, level in soil.items():
        name = nutrient.capitalize()
        for text in (f"Set {name}", f"{name} level: {level}", "Back"):
            play.say(text)
    play.say("Imprint", note)


def _plant(play: Player, shovel: int) -> None:
    """Plant seeds where the agent stands and in the soil north of it."""
    play.goto(_FIELD)
    places = play.near("soil(#|$)").items()
    for soil in [thing for thing, place in places if place in (("same_location", 0), ("north", 1))]:
        play.sow(shovel, soil)
