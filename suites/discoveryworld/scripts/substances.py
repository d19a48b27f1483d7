"""Themes of substances: chemistry, plant nutrients and space sick.

Chemistry: the mixture that removes the rust from a key, by the key's remaining rust. Plant Nutrients: the
nutrients that let a plant grow, by the soils in which plants stand. Space Sick: harmless food, by
instruments, a microscope and a rock from a cave.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import combinations, product
from math import gcd, sqrt
from typing import NamedTuple

from suites.discoveryworld.scripts.player import Player, Stuck

Recipe = tuple[int, ...]

MOST_PARTS = 4

_LIKENESS = (0.33, 0.66, 0.99)
"""Minimum cosine between a mixture and the right one per rust grade. The key never becomes more rusty."""


class _Trial(NamedTuple):
    recipe: Recipe
    before: int
    after: int


def chemistry(play: Player) -> None:
    """Try each substance alone, then the simplest mixtures consistent with all trials."""
    jar, key = play.take(play.one("jar")), play.take(play.one(".*key"))
    dispensers = sorted(play.seen("Dispenser"), key=play.name)
    trials: list[_Trial] = []
    for recipe in _recipes(len(dispensers)):
        if sum(recipe) > 1 and (_grade(play, key) == len(_LIKENESS) or not _agrees(recipe, trials)):
            continue
        before = _grade(play, key)
        _try(play, jar, key, dict(zip(dispensers, recipe, strict=True)))
        trials.append(_Trial(recipe, before, _grade(play, key)))
    solved = next((trial for trial in trials if trial.after == len(_LIKENESS)), None)
    if solved is None:
        raise Stuck("no mixture removes the rust")
    parts = [f"{n} of {play.name(each)}" for each, n in zip(dispensers, solved.recipe, strict=True) if n]
    door = play.one("door")
    play.reach(door)
    play.do(f"open({play.name(door)})", f"This removes the rust: {', '.join(parts)}.")
    for _ in range(3):
        play.do("move(south)")


def _try(play: Player, jar: int, key: int, parts: dict[int, int]) -> None:
    """Mix, put the key into the jar, take it out, and clean the jar."""
    for dispenser, number in parts.items():
        for _ in range(number):
            play.use(dispenser, jar)
    play.put(key, jar)
    play.wait(2)  # until it has mixed and worked, as the task says
    play.do(f"take({play.name(key)})")
    play.use(play.one("bottle cleaner"), jar)


def _grade(play: Player, key: int) -> int:
    grades = ("heavily", "moderately", "lightly", "no rust")
    return next(k for k, word in enumerate(grades) if word in play.name(key))


def _recipes(substances: int) -> Iterator[Recipe]:
    """Yield all proportions of few parts, the simplest first."""
    every = product(range(MOST_PARTS + 1), repeat=substances)
    yield from sorted((r for r in every if sum(r) <= MOST_PARTS and gcd(*r) == 1), key=sum)


def _agrees(recipe: Recipe, trials: list[_Trial]) -> bool:
    likeness = [_cosine(recipe, trial.recipe) for trial in trials]
    grades = [sum(each >= bound for bound in _LIKENESS) for each in likeness]
    return all(max(t.before, grade) == t.after for t, grade in zip(trials, grades, strict=True))


def _cosine(a: Recipe, b: Recipe) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True)) / sqrt(sum(x * x for x in a) * sum(y * y for y in b))


Soil = dict[str, str]

_FIELD = "Experimental Field #1"
_GROWING = 20
"""Maximum steps until plants have grown. The task says that a few are enough."""

_KINDS = {
    "{}": (1,),
    "it is not so that {}": (0,),
    "{} and {}": (2,),
    "{} or {}": (1, 2),
    "either {} or {}": (1,),
}
"""Kinds of rules: texts, and number of true facts where plants grow."""


class _Rule(NamedTuple):
    """Rule of a kind with its facts, each a nutrient and a level."""

    text: str
    facts: tuple[tuple[str, str], ...]
    true: tuple[int, ...]

    def __str__(self) -> str:
        return self.text.format(*(f"{nutrient} is {level}" for nutrient, level in self.facts))

    def holds(self, soil: Soil) -> bool:
        """Return whether a plant grows in a soil."""
        return sum(soil[nutrient] == level for nutrient, level in self.facts) in self.true


def plant_nutrients(play: Player) -> None:
    """Measure the pilot field's soils; name the nutrient or grow two plants."""
    other = set(play.seen("soil"))
    if "Storage Building" in play.known.places:
        play.goto("Storage Building")
        things = ("seed jar", "shovel", "soil nutrient meter")
        _, shovel, meter = [play.take(play.one(name)) for name in things]
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
    """Measure the soils with plants, and those without."""
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
    """Find the simplest rule consistent with all soils."""
    for rule in _rules(good[0]):
        if all(map(rule.holds, good)) and not any(map(rule.holds, bad)):
            return str(rule)
    raise Stuck("no rule explains where plants grow")


def _rules(nutrients: Iterable[str]) -> Iterator[_Rule]:
    """Yield rules of one fact, then of two."""
    facts = tuple(product(nutrients, ("low", "medium", "high")))
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
    """Plant seeds at the agent's place and north of it."""
    play.goto(_FIELD)
    places = play.near("soil(#|$)").items()
    for soil in [thing for thing, place in places if place in (("same_location", 0), ("north", 1))]:
        play.sow(shovel, soil)


_INSTRUMENTS = ("densitometer", "spectrometer", "PH meter", "microscope", "radiation meter")
_LAB = (
    *("microscope", "spectrometer", "PH meter", "radiation meter"),
    *("sampler", "thermometer", "NPK field test"),
)

_QUIET, _BIN = "infirmary", "cave"
"""Places without mushrooms: to examine the rock, and to leave bad ones."""

_COOKING, _WATCHED = 5, 55
"""Steps in the stove, and steps until a meal counts."""

_SOWN, _RIPENING = 12, 250
"""Seeds sown together, and maximum steps until all have grown."""


def space_sick(play: Player) -> None:
    """Put the one contaminated mushroom into the jar, or feed the colonists."""
    if "jar" in play.known.task:
        _find_contaminated(play)
    else:
        _feed_colony(play)


def _find_contaminated(play: Player) -> None:
    instruments = [play.take(play.one(name)) for name in _INSTRUMENTS]
    for mushroom in play.seen("mushroom"):
        said = [play.use(instrument, mushroom) for instrument in instruments]
        if found := [each for each in said if "contaminated" in each]:
            play.put(play.take(mushroom), play.one("jar"), found[0])
            return
    raise Stuck("no mushroom is contaminated")


def _feed_colony(play: Player) -> None:
    """Collect good mushrooms, grow more if necessary, and give them out."""
    play.goto("science lab")
    tools = [play.take(play.one(name)) for name in _LAB]
    play.goto("cave")
    rock = play.take(play.one("rock .glowing"))
    good: list[int] = []
    tried: set[int] = set()
    while True:
        good += _good_ones(play, tools, rock, tried)
        if len(good) >= 10:  # are to be eaten, as the task says
            break
        _grow(play)
    while good:
        for colonist in play.seen("Colonist")[: len(good)]:
            _give(play, good.pop(), colonist)
        play.wait(_WATCHED)
    raise Stuck("all good mushrooms are eaten")


def _good_ones(play: Player, tools: list[int], rock: int, tried: set[int]) -> list[int]:
    """Select good mushrooms: cook moldy ones, and drop those the rock marks. Mold makes ill only while it
    lives; the rock shines next to other bad ones."""
    good, moldy = [], []
    for mushroom in _harvest(play, tried):
        said = [play.use(tool, mushroom) for tool in (tools if len(tried) == 1 else tools[:1])]
        if "mold" in said[0]:
            moldy.append(mushroom)
        play.goto(_QUIET)
        play.wait(1)
        if "luminous" in play.name(rock):
            play.goto(_BIN)
            play.do(f"drop({play.name(mushroom)})", "The rock shines: this one makes ill.")
        else:
            good.append(mushroom)
    if moldy:
        _cook(play, moldy)
    return good


def _harvest(play: Player, before: set[int]) -> Iterator[int]:
    """Take each new mushroom of the farm and the cafeteria's tables."""
    for place in ("farm", "cafeteria"):
        play.goto(place)
        spots = play.near("(soil|table)(#|$)")
        play.reach(max(spots, key=lambda spot: spots[spot][1]))
    for mushroom in play.seen("mushroom"):
        if mushroom not in before:
            before.add(mushroom)
            yield play.take(mushroom)


def _cook(play: Player, moldy: list[int]) -> None:
    """Heat moldy mushrooms, which kills the mold."""
    play.goto("cafeteria")
    stove = play.one("stove")
    play.apply("open", stove)
    for each in moldy:
        play.put(each, stove)
    play.apply("activate", stove)
    play.wait(_COOKING)
    play.apply("deactivate", stove)
    for each in moldy:
        play.take(each)
    play.do(f"close({play.name(stove)})", f"{len(moldy)} mushrooms had mold that makes ill; it is dead now.")


def _grow(play: Player) -> None:
    """Sow seeds at the mushrooms' former places, and wait for new ones."""
    play.goto("farm")
    play.reach(play.one("fertilizer bag"))
    play.take(play.one("seed jar"))
    play.goto("farm")
    for soil in list(play.near("soil(#|$)"))[:_SOWN]:
        play.sow(play.one("shovel"), soil)
    play.goto("farm")
    for _ in range(_RIPENING):
        if len([each for each in play.near("mushroom") if each not in play.known.carried]) >= _SOWN:
            break
        play.wait(1)


def _give(play: Player, thing: int, person: int) -> None:
    """Give something to a person who walks about."""
    while thing in play.known.carried:
        with suppress(Stuck):
            play.put(thing, person, "This one has no living mold, and the rock does not shine beside it.")
