"""Space Sick: food that makes nobody ill, by instruments, a microscope and a rock from a cave."""

from collections.abc import Iterator
from contextlib import suppress

from suites.discoveryworld.scripts.player import Player, Stuck

_INSTRUMENTS = ("densitometer", "spectrometer", "PH meter", "microscope", "radiation meter")
_LAB = (
    "microscope",
    "spectrometer",
    "PH meter",
    "radiation meter",
    "sampler",
    "thermometer",
    "NPK field test",
)

_QUIET, _BIN = "infirmary", "cave"
"""Places without mushrooms: to look at the rock, and to leave what is bad."""

_MEALS = 10
"""Good mushrooms that are to be eaten, as the task says."""

_COOKING, _WATCHED = 5, 55
"""Steps in the stove, and steps until a meal counts."""

_SOWN, _GROWING = 12, 250
"""Seeds that are sown at once, and the most steps until all have grown."""


def space_sick(play: Player) -> None:
    """Puts the one contaminated mushroom into the jar, or feeds the colonists with good ones."""
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
    """Collects good mushrooms, grows more if there are too few, and gives them to the colonists."""
    play.goto("science lab")
    tools = [play.take(play.one(name)) for name in _LAB]
    play.goto("cave")
    rock = play.take(play.one("rock .glowing"))
    good: list[int] = []
    tried: set[int] = set()
    while True:
        good += _good_ones(play, tools, rock, tried)
        if len(good) >= _MEALS:
            break
        _grow(play)
    while good:
        for colonist in play.seen("Colonist")[: len(good)]:
            _give(play, good.pop(), colonist)
        play.wait(_WATCHED)
    raise Stuck("all good mushrooms are eaten")


def _good_ones(play: Player, tools: list[int], rock: int, tried: set[int]) -> list[int]:
    """Mold makes ill only while it lives, so what has some is cooked; a rock shines beside other bad ones."""
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
    """Takes each new mushroom of the farm and of the tables in the cafeteria."""
    for place in ("farm", "cafeteria"):
        play.goto(place)
        spots = play.near("(soil|table)(#|$)")
        play.reach(max(spots, key=lambda spot: spots[spot][1]))
    for mushroom in play.seen("mushroom"):
        if mushroom not in before:
            before.add(mushroom)
            yield play.take(mushroom)


def _cook(play: Player, moldy: list[int]) -> None:
    """Heat what has mold, which dies."""
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
    """Sow seeds where the mushrooms were, and wait for new ones."""
    play.goto("farm")
    play.reach(play.one("fertilizer bag"))
    play.take(play.one("seed jar"))
    play.goto("farm")
    for soil in list(play.near("soil(#|$)"))[:_SOWN]:
        play.sow(play.one("shovel"), soil)
    play.goto("farm")
    for _ in range(_GROWING):
        if len([each for each in play.near("mushroom") if each not in play.known.carried]) >= _SOWN:
            break
        play.wait(1)


def _give(play: Player, thing: int, person: int) -> None:
    """Give something to somebody who walks about."""
    while thing in play.known.carried:
        with suppress(Stuck):
            play.put(thing, person, "This one has no living mold, and the rock does not shine beside it.")
