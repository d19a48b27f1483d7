"""Theme of translation: meanings of words, from signs and a counting computer."""

from collections.abc import Iterator
from contextlib import suppress

from suites.discoveryworld.actions import PLAIN
from suites.discoveryworld.scripts.player import Player, Stuck, found_in

_ROUND = ((2, 1), (2, 30), (30, 30), (30, 1))
"""Corners of a path around the village with a view of everything outside."""

_FETCHING, _PATIENCE = (24, 1), 100
"""Tile next to the fallen stick, and maximum steps of waiting for it."""


def translation(play: Player) -> None:
    """Ask for the request, infer the words' meanings, and bring the things."""
    if "talk to" in play.known.task:
        _at_the_store(play)
    else:
        _in_the_village(play)


def _at_the_store(play: Player) -> None:
    person = play.one(found_in(r"talk to (\w+)", play.known.task))
    word = found_in("`(.+)`", play.apply("talk", person))
    play.say("")
    play.goto("initial location")
    thing = play.take(_signed(play)[word])
    play.put(thing, person, f"{word} means {play.name(thing)}.")


def _in_the_village(play: Player) -> None:
    """Translate the elder's `bring me`, a number or colour or both, and a thing."""
    play.goto("town square")
    elder = play.one("Elder")
    _, *others, last = found_in("Elder: (.+?)!", play.apply("talk", elder)).split()
    play.say("You can't")
    play.goto("general store")
    signed = _signed(play)
    if last in signed:
        means = {last: play.name(signed[last]).partition("#")[0].split()[-1]}
        things = _gathered(play, *_kind(play, others, means))
    else:
        means, things = {last: "stick"}, [_fetched(play, last)]
    play.goto("town square")
    for thing in things:
        play.put(thing, elder, f"The words mean {means}.")


def _kind(play: Player, words: list[str], means: dict[str, str]) -> tuple[int, str]:
    """Infer count and names from words before a thing's; `means` collects meanings."""
    (noun,) = means.values()
    count, kind = 1, rf"(\w+ )?{noun}(#|$)"
    for word in words:
        if number := _number(play, word):
            means[word], count = str(number), number
        else:
            play.goto("paint shop")
            means[word] = play.name(_signed(play)[word]).split()[0]
            kind = rf"{means[word]} {noun}(#|$)"
    return count, kind


def _gathered(play: Player, count: int, kind: str) -> list[int]:
    """Gather things of a kind, from wherever they are."""
    search = _search(play)
    while len(found := play.seen(kind)) < count:
        if next(search, None) is None:
            raise Stuck(f"only {len(found)} of {count} called {kind} were found")
    return [play.take(each) for each in found[:count]]


def _fetched(play: Player, word: str) -> int:
    """Find the stick that a dog fetches by the same words. It is there for a few steps."""
    if word not in play.apply("talk", play.one("Trainer")):
        raise Stuck(f"nobody knows {word}")
    play.say("Let's not")
    path = _walk(play, _FETCHING)
    for _ in range(_PATIENCE):
        if sticks := play.near("wood stick"):
            with suppress(Stuck):
                return play.take(next(iter(sticks)))
        elif next(path, None) is None:
            play.wait(1)
    raise Stuck("the stick was never in reach")


def _signed(play: Player) -> dict[str, int]:
    """Find things on visible tables, by the last words of their signs."""
    found = {}
    for table in play.near("table with a sign"):
        words = play.apply("read", table).partition("reads:")[2].split()
        found[words[-1]] = _things_on(play, table)[0]
    return found


def _things_on(play: Player, table: int) -> list[int]:
    """List the things on a table that is in reach."""
    reach, carried = play.known.reach, play.known.carried
    others = [thing for thing in play.seen("") if thing in reach and thing not in (table, *carried)]
    return [thing for thing in others if play.name(thing).partition("#")[0] not in PLAIN]


def _number(play: Player, word: str) -> int | None:
    """Count a word's disk on the flag, after resetting its height."""
    play.goto("school")
    for disk in play.seen("floppy disk"):
        play.reach(disk)
    if not (disks := play.seen(rf"floppy disk \(\w+ {word}\)")):
        return None
    computer, tape = play.one("computer"), play.take(play.one("measuring tape"))
    for disk in (play.one(r"floppy disk \(\w+\)"), disks[0]):
        play.use(computer, play.take(disk))
    (flag,) = play.near("flag")
    return int(found_in(r"is (\d+) meter", play.use(tape, flag)))


def _search(play: Player) -> Iterator[bool]:
    """Search shops, farm and village; yield after each step."""
    for place in play.known.places:
        play.goto(place)
        yield True
    sign = play.one(r"sign \(village\)")
    play.reach(sign)
    yield from _walk(play, (24, 1))
    for soil in play.seen("soil")[:: max(len(play.seen("soil")) - 1, 1)]:
        play.reach(soil)
        yield True
    play.reach(sign)
    for corner in _ROUND:
        yield from _walk(play, corner)


def _walk(play: Player, goal: tuple[int, int]) -> Iterator[bool]:
    """Go tile by tile, around obstacles."""
    while (here := play.known.at) != goal:
        east, south = goal[0] - here[0], goal[1] - here[1]
        ways = ["east" if east > 0 else "west", "south" if south > 0 else "north"]
        if abs(south) > abs(east):
            ways.reverse()
        ways += [way for way in ("north", "east", "south", "west") if way not in ways]
        play.do(next(move for way in ways if (move := f"move({way})") in play.known.commands))
        yield True
