"""Player of scripts: goes, takes, uses, puts and talks."""

import re
from collections.abc import Callable

from suites.discoveryworld.actions import SAY, Scene
from suites.discoveryworld.episode import Episode, Turn

WAITING = "turn(north)"
"""Action of a finished script."""

MOST_TRIES = 20
"""Maximum attempts to follow something that walks away."""


class Over(Exception):
    """The episode has ended."""


class Stuck(Exception):
    """A script cannot continue; the text explains why."""


class Player:
    """Plays an episode action by action. Objects are given by our ids, because names change. Every method
    raises Over if the episode ends, and Stuck for what cannot be done. `replies` are all replies so far."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self.known: Scene = episode.known
        self.replies: list[str] = []

    def do(self, action: str, note: str = "") -> str:
        """Take one action; return the package's answer. `note` is written above it."""
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
        """Return an object's present name."""
        return self.known.names.label(thing)

    def seen(self, pattern: str) -> list[int]:
        """List all objects ever seen whose names begin with a pattern."""
        return [thing for thing, name in self.known.names.labels().items() if re.match(pattern, name)]

    def near(self, pattern: str) -> dict[int, tuple[str, int]]:
        """Find matching surroundings, with direction and distance in tiles."""
        around = self.known.near
        return {thing: around[thing] for thing in self.seen(pattern) if thing in around}

    def one(self, pattern: str) -> int:
        """Find an object by name; of several the first that was seen."""
        for thing in self.seen(pattern):
            return thing
        raise Stuck(f"nothing called {pattern} was seen")

    def goto(self, place: str) -> None:
        """Go to a named place."""
        self.do(f"goto({place})")

    def reach(self, thing: int) -> None:
        """Go next to an object and face it."""
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
        """Put a carried thing into or onto an object, or give it to a person."""
        self.reach(into)
        self.do(f"put({self._called(thing)}, {self._called(into)})", note)

    def sow(self, shovel: int, soil: int) -> None:
        """Dig a hole, put a carried seed into it, and fill it up."""
        self.use(shovel, soil)
        for name in ("seed(#|$)", "dirt"):
            self.put(self._carried(name), soil)

    def apply(self, verb: str, thing: int) -> str:
        """Apply an action to one object, such as open or read."""
        self.reach(thing)
        return self.do(f"{verb}({self._called(thing)})")

    def say(self, beginning: str, note: str = "") -> str:
        """Say the utterance with this beginning; return the answer."""
        for number, text in (self.known.options or {}).items():
            if text.startswith(beginning):
                return self.do(f"{SAY.verb}({number})", note)
        raise Stuck(
            f"nothing to say begins with {beginning!r}; there are {list((self.known.options or {}).values())}"
        )

    def set_number(self, change: int, more: str, less: str, unit: str, note: str = "") -> None:
        """Change a number in a conversation by `change`, in decimal steps: 1000, 100, 10 and 1."""
        for size in (1000, 100, 10, 1):
            steps = round(change / size)
            change -= steps * size
            for _ in range(abs(steps)):
                self.say(f"{more if steps > 0 else less} by {size}{unit}", note)
                note = ""

    def _carried(self, pattern: str) -> int:
        """Find a carried thing, waiting if necessary until a jar is refilled."""
        for _ in range(MOST_TRIES):
            if found := [each for each in self.seen(pattern) if each in self.known.carried]:
                return found[0]
            self.wait(1)
        raise Stuck(f"nothing called {pattern} is carried")

    def _called(self, thing: int) -> str:
        """Return the name, or the id if a comma in it would divide the arguments."""
        return str(thing) if "," in self.name(thing) else self.name(thing)


Script = Callable[[Player], None]


def found_in(pattern: str, text: str) -> str:
    """Find the group of a pattern in a text."""
    found = re.search(pattern, text)
    if found is None:
        raise Stuck(f"{pattern!r} is not in {text!r:.100}")
    return found[1]


def numbers(text: str) -> list[float]:
    """Find all decimal numbers of a text."""
    return [float(each) for each in re.findall(r"-?\d+\.\d+", text)]
