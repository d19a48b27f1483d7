"""The commands of a script: one frozen class each."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, repeat

from arena.action import BACKWARD, FORWARD, TURN_LEFT, TURN_RIGHT, Action
from evaluation.script.language import written_thought
from evaluation.script.repairs import Repair

DEGREES_PER_STEP = 6
"""Rotation in one step: 100 degrees/s for three ticks of 0.02 s (`TrainingAgent.cs`)."""

LARGEST_AMOUNT = 999_999_999
"""Largest absolute amount of a command.

The paper sets no limit, but its program makes a list of all actions, so larger amounts would have exhausted
its memory. At 0.06 s per step this is two years of arena time.
"""


@dataclass(frozen=True, slots=True)
class Think:
    """A thought: kept for the record, takes no time. `text` is without the outer quotation marks."""

    text: str

    @property
    def steps(self) -> int:
        """Number of steps, always 0."""
        return 0

    def actions(self) -> Iterator[Action]:
        """No action."""
        return iter(())

    def __str__(self) -> str:
        return written_thought(self.text)


@dataclass(frozen=True, slots=True)
class Go:
    """Drive |amount| steps: forward if it is positive, backward if it is negative."""

    amount: int

    @property
    def steps(self) -> int:
        """Number of steps of 0.06 s."""
        return abs(self.amount)

    def actions(self) -> Iterator[Action]:
        """The same action, once per step."""
        return repeat(FORWARD if self.amount > 0 else BACKWARD, self.steps)

    def __str__(self) -> str:
        return f"Go({self.amount});"


@dataclass(frozen=True, slots=True)
class Turn:
    """Turn by `degrees`: to the right (clockwise from above) if positive, to the left if negative.

    Angles are truncated toward zero to a multiple of 6 degrees: Turn(25) turns 24, Turn(-5) nothing.
    """

    degrees: int

    @property
    def steps(self) -> int:
        """Number of steps of 0.06 s, 6 degrees each."""
        return abs(self.degrees) // DEGREES_PER_STEP

    def actions(self) -> Iterator[Action]:
        """The same action, once per step."""
        return repeat(TURN_RIGHT if self.degrees > 0 else TURN_LEFT, self.steps)

    def __str__(self) -> str:
        return f"Turn({self.degrees});"


Command = Think | Go | Turn


@dataclass(frozen=True, slots=True)
class Script:
    """A parsed reply: its commands in order, and the repairs that were needed to parse it.

    `str(script)` writes the commands in the strict language, with square brackets for round ones in thoughts.
    """

    commands: tuple[Command, ...]
    repairs: tuple[Repair, ...] = ()

    @property
    def steps(self) -> int:
        """Number of steps of the whole script, counted without expanding it."""
        return sum(command.steps for command in self.commands)

    @property
    def thoughts(self) -> tuple[str, ...]:
        """The texts of its thoughts, in order."""
        return tuple(command.text for command in self.commands if isinstance(command, Think))

    def actions(self) -> Iterator[Action]:
        """The actions one by one, generated lazily."""
        return chain.from_iterable(command.actions() for command in self.commands)

    def __str__(self) -> str:
        return " ".join(map(str, self.commands))
