"""Worlds of the authors' simulator, played by commands."""

import hashlib
import json
import re
from typing import Any, NamedTuple

from suites.scienceworld.java import running

UNUSABLE = ("No known action matches that input.", "Unknown action.")
"""Starts of the simulator's answers to unreadable commands."""


class Subgoal(NamedTuple):
    """Goal that is part of a score. `required` ones are reached in order."""

    text: str
    required: bool
    reached: bool


class Answer(NamedTuple):
    """Simulator's answer: text, score from -1 to 1, and end.

    -1 is the score of a wrong answer, after which nothing more can be won.
    """

    text: str
    score: float
    over: bool


class World:
    """Variation of a task, played by commands. Raises SimulatorLost if Java has ended.

    `name` is the simulator's own, `simplifications` is its text for them (names with commas, or easy). With
    `gold` a path to the full score is computed, which makes loading several times slower. All texts follow
    from these, `seed` and the commands, in any process and independently of other worlds, if Java is HotSpot.
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
        """Describe the surroundings; takes no time, like `inventory` and `description`."""
        return str(self._called("freeActionLook"))

    def inventory(self) -> str:
        """Describe the agent's inventory."""
        return str(self._called("freeActionInventory")).strip()

    def description(self) -> str:
        """Describe the task."""
        return str(self._called("getTaskDescription"))

    def moves(self) -> int:
        """Count the simulator's moves: without looking, with every waiting step."""
        return int(self._called("getNumMoves"))

    def subgoals(self) -> tuple[Subgoal, ...]:
        """List the task's goals, always in the same order."""
        found, required = [], True
        for line in str(self._called("getGoalProgressStr")).splitlines():
            required = required and not line.startswith("Unordered")
            if (goal := re.match(r"^\d+\t(true|false)\s+(\w+)\t(.*)$", line)) is not None:
                found.append(Subgoal(goal[3].strip(), required, goal[1] == "true"))
        return tuple(found)

    def templates(self) -> list[str]:
        """List the command templates, with OBJ for names."""
        return sorted(self._called("getPossibleActions"))

    def objects(self) -> list[str]:
        """List the names of everything that can be referred to now."""
        return sorted(set(self._called("getPossibleObjects")))

    def valid_actions(self) -> list[str]:
        """List every effective command, some hundred; takes as long as ten steps."""
        found = json.loads(self._called("getValidActionObjectCombinationsJSON"))
        return sorted({each["action"] for each in found["validActions"]})

    def gold(self) -> list[str]:
        """Return the path to the full score, if the world was loaded with it."""
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
            # Fetched together, not entry by entry; none has more than one line.
            entries = self._java.join("\n", made).splitlines()
            self._java.forget(made)
            return entries

    def _set_shared(self, method: str) -> None:
        """Seed the random numbers, and number new things independently of other worlds."""
        java = self._java
        if java.latest is not self:
            if java.latest is not None:
                java.latest.things = java.numbers.count()
            java.set_count(self.things)
            java.latest = self
        # Commands are counted, not calls: a replay lacks the agent's other queries.
        digest = hashlib.sha256(f"{self._seed}/{self._commands}/{method}".encode()).digest()
        java.random.setSeed(int.from_bytes(digest[:6], "big"))
