"""Translation: the meaning of words, by what stands on the tables whose signs have them."""

import re

from suites.discoveryworld.actions import PLAIN
from suites.discoveryworld.scripts.player import Player, Stuck


def translation(play: Player) -> None:
    """Asks what is wanted, looks for the word on the signs, and brings the thing."""
    found = re.search(r"talk to (\w+)", play.known.task)
    if found is None:
        raise Stuck("nobody is to be talked to")
    person = play.one(found[1])
    wanted = re.search("`(.+)`", play.apply("talk", person))
    if wanted is None:
        raise Stuck(f"{found[1]} wants nothing")
    play.say("")
    for table in play.seen("table with a sign"):
        if wanted[1] in play.apply("read", table):
            thing = _things_on(play, table)[0]
            play.put(play.take(thing), person, f"{wanted[1]} means {play.name(thing)}.")


def _things_on(play: Player, table: int) -> list[int]:
    """What stands on a table that is in reach."""
    reach = [thing for thing, name in play.known.seen.items() if name in play.known.reach]
    return [thing for thing in reach if thing != table and play.name(thing).partition("#")[0] not in PLAIN]
