"""Worlds of the authors' simulator, played by commands."""

import hashlib
import json
import re
from typing import Any, NamedTuple

from suites.scienceworld.java import running

UNUSABLE = ("No known action matches that input.", "Unknown action.")
"""How the simulator's answer to a command begins that it could not read."""


class Subgoal(NamedTuple):
    """One of the goals that a score is made of; `required` ones are reached in their order."""

    text: str
    required: bool
    reached: bool


class Answer(NamedTuple):
    """What the simulator answers to a command: a text, the score from -1 to 1, and whether the task is over.

    -1 is the score of a wrong answer, after which there is nothing more to win.
    """

    text: str
    score: float
    over: bool


class World:
    """A variation of a task, loaded and played by commands. Raises SimulatorLost if Java has ended.

    `name` is the simulator's own, `simplifications` is its text for them (names with commas, or easy). With
    `gold` a path to the full score is worked out, which makes loading several times slower. All texts follow
    from these, `seed` and the commands, in any process and beside any other worlds, if Java is HotSpot.
    """

    def __init__(
        self, name: str, variation: int, simplifications: str, gold: bool = False, *, seed: int = 0
    ) -> None:
        self._java = running()
        self._world = self._java.new()
        self.has_gold = gold
        self._seed, self._commands, self.things = seed, 0, 0
        self.java = self._java.version
        self._called("load", name, variation, simplifications, gold)

    def step(self, command: str) -> Answer:
        """Carry out a command."""
        self._commands += 1
        text = self._called("step", command)
        score = float(self._called("getScore"))
        return Answer(str(text), score, bool(self._called("getCompleted")) or score < 0)

    def look(self) -> str:
        """What is around; takes no time, as `inventory` and `description` do not."""
        return str(self._called("freeActionLook"))

    def inventory(self) -> str:
        """What the agent carries."""
        return str(self._called("freeActionInventory")).strip()

    def description(self) -> str:
        """What the task is."""
        return str(self._called("getTaskDescription"))

    def moves(self) -> int:
        """The moves as the simulator counts them: without looking, and with every step of waiting."""
        return int(self._called("getNumMoves"))

    def subgoals(self) -> tuple[Subgoal, ...]:
        """The goals of the task; they stay the same in their order."""
        found, required = [], True
        for line in str(self._called("getGoalProgressStr")).splitlines():
            required = required and not line.startswith("Unordered")
            if (goal := re.match(r"^\d+\t(true|false)\s+(\w+)\t(.*)$", line)) is not None:
                found.append(Subgoal(goal[3].strip(), required, goal[1] == "true"))
        return tuple(found)

    def templates(self) -> list[str]:
        """The commands that there are, with OBJ for what is named."""
        return sorted(self._called("getPossibleActions"))

    def objects(self) -> list[str]:
        """Names of everything that can be referred to now."""
        return sorted(set(self._called("getPossibleObjects")))

    def valid_actions(self) -> list[str]:
        """Every command that would do something now, some hundred; takes as long as ten steps."""
        found = json.loads(self._called("getValidActionObjectCombinationsJSON"))
        return sorted({each["action"] for each in found["validActions"]})

    def gold(self) -> list[str]:
        """The path to the full score, if the world was loaded with it."""
        return list(self._called("getGoldActionSequence"))

    def close(self) -> None:
        """Free the world's memory."""
        self._java.free(self._world)

    def _called(self, method: str, *arguments: Any) -> Any:
        with self._java.calling():
            self._set_shared(method)
            made = getattr(self._world, method)(*arguments)
            if isinstance(made, str | int | float | bool | None):
                return made
            # Fetched at once, not entry by entry; none has more than one line.
            entries = self._java.join("\n", made).splitlines()
            self._java.forget(made)
            return entries

    def _set_shared(self, method: str) -> None:
        """Seed the random numbers, and number new things as if this were the only world."""
        java = self._java
        if java.latest is not self:
            if java.latest is not None:
                java.latest.things = java.numbers.count()
            java.set_count(self.things)
            java.latest = self
        # Commands are counted, not calls: what an agent asks meanwhile is not asked in a replay.
        digest = hashlib.sha256(f"{self._seed}/{self._commands}/{method}".encode()).digest()
        java.random.setSeed(int.from_bytes(digest[:6], "big"))
