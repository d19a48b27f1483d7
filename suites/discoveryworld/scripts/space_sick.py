"""Space Sick, the easy worlds: the mushroom that an instrument finds contaminated."""

from suites.discoveryworld.scripts.player import Player, Stuck

_INSTRUMENTS = ("densitometer", "spectrometer", "PH meter", "microscope", "radiation meter")


def space_sick(play: Player) -> None:
    """Uses all instruments on the mushrooms, and puts the contaminated one into the jar."""
    instruments = [play.take(play.one(name)) for name in _INSTRUMENTS]
    for mushroom in play.seen("mushroom"):
        said = [play.use(instrument, mushroom) for instrument in instruments]
        if found := [each for each in said if "contaminated" in each]:
            play.put(play.take(mushroom), play.one("jar"), found[0])
            return
    raise Stuck("no mushroom is contaminated")
