"""What all scripts are made of: a player that goes, takes, uses, puts and talks."""

import re
from collections.abc import Callable

from suites.discoveryworld.actions import SAY, Scene
from suites.discoveryworld.episode import Episode, Turn

WAITING = "turn(north)"
"""What is done if nothing is left to do."""

MOST_TRIES = 20
"""Times that something that walks away is followed."""


class Over(Exception):
    """The episode has ended."""


class Stuck(Exception):
    """A script cannot go on; the text says why."""


class Player:
    """Plays an episode action by action. Objects are given by our ids, because names change.

    Every method raises Over if the episode ends, and Stuck for what cannot be done. `replies` are all replies
    so far.
    """

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self.known: Scene = episode.known
        self.replies: list[str] = []

    def do(self, action: str, note: str = "") -> str:
        """One action, and what the package says to it; `note` is written above it."""
        self.replies.append(f"{note}\n{action}".strip())
        over = self.episode.reply(self.replies[-1]).done
        self.known = self.episode.known
        turn: Turn = self.known.turns[-1]
        if over:
            raise Over
        if not turn.done:
            raise Stuck(f"{action}: {turn.error or turn.message}")
        return turn.message

    def wait(self, steps: int) -> None:
        """Let time pass."""
        for _ in range(steps):
            self.do(WAITING)

    def name(self, thing: int) -> str:
        """What an object is called now."""
        return self.known.names.label(thing)

    def seen(self, pattern: str) -> list[int]:
        """All objects that were ever seen whose names begin with a pattern."""
        return [thing for thing, name in self.known.names.labels().items() if re.match(pattern, name)]

    def near(self, pattern: str) -> dict[int, tuple[str, int]]:
        """What is around now, with its direction and its distance in tiles."""
        around = self.known.near
        return {thing: around[thing] for thing in self.seen(pattern) if thing in around}

    def one(self, pattern: str) -> int:
        """An object by its name; of several the first that was seen."""
        for thing in self.seen(pattern):
            return thing
        raise Stuck(f"nothing called {pattern} was seen")

    def goto(self, place: str) -> None:
        """Be at a named place."""
        self.do(f"goto({place})")

    def reach(self, thing: int) -> None:
        """Be beside an object, turned to it."""
        for _ in range(MOST_TRIES):
            if thing in self.known.reach:
                return
            self.do(f"beside({self._called(thing)})")
        raise Stuck(f"{self.name(thing)} stays out of reach")

    def take(self, thing: int) -> int:
        """Carry an object."""
        if thing not in self.known.carried:
            self.reach(thing)
            self.do(f"take({self._called(thing)})")
        return thing

    def use(self, tool: int, thing: int, note: str = "") -> str:
        """Use a tool on an object; one of the two is carried."""
        for each in (tool, thing):
            self.reach(each)
        return self.do(f"use({self._called(tool)}, {self._called(thing)})", note)

    def put(self, thing: int, into: int, note: str = "") -> None:
        """Put what is carried into or onto an object, or give it to somebody."""
        self.reach(into)
        self.do(f"put({self._called(thing)}, {self._called(into)})", note)

    def sow(self, shovel: int, soil: int) -> None:
        """Dig a hole, put a seed that is carried into it, and fill it up."""
        self.use(shovel, soil)
        for name in ("seed(#|$)", "dirt"):
            self.put(self._carried(name), soil)

    def apply(self, verb: str, thing: int) -> str:
        """An action on one object, such as open or read."""
        self.reach(thing)
        return self.do(f"{verb}({self._called(thing)})")

    def say(self, beginning: str, note: str = "") -> str:
        """In a conversation, say what begins so; the answer."""
        for number, text in (self.known.options or {}).items():
            if text.startswith(beginning):
                return self.do(f"{SAY.verb}({number})", note)
        raise Stuck(
            f"nothing to say begins with {beginning!r}; there are {list((self.known.options or {}).values())}"
        )

    def set_number(self, change: int, more: str, less: str, unit: str, note: str = "") -> None:
        """In a conversation that changes a number in steps of 1000, 100, 10 and 1, change it by `change`."""
        for size in (1000, 100, 10, 1):
            steps = round(change / size)
            change -= steps * size
            for _ in range(abs(steps)):
                self.say(f"{more if steps > 0 else less} by {size}{unit}", note)
                note = ""

    def _carried(self, pattern: str) -> int:
        """Something that is carried, if need be after some steps in which a jar is filled again."""
        for _ in range(MOST_TRIES):
            if found := [each for each in self.seen(pattern) if each in self.known.carried]:
                return found[0]
            self.wait(1)
        raise Stuck(f"nothing called {pattern} is carried")

    def _called(self, thing: int) -> str:
        """The name, or the id if a comma in it would divide the arguments."""
        return str(thing) if "," in self.name(thing) else self.name(thing)


Script = Callable[[Player], None]


def found_in(pattern: str, text: str) -> str:
    """The group of a pattern in a text."""
    found = re.search(pattern, text)
    if found is None:
        raise Stuck(f"{pattern!r} is not in {text!r:.100}")
    return found[1]


def numbers(text: str) -> list[float]:
    """All numbers of a text that have decimals."""
    return [float(each) for each in re.findall(r"-?\d+\.\d+", text)]
