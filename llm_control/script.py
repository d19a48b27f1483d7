"""Script language for driving the agent: `Think('...'); Go(12); Turn(-90);`. Where each reply is one step, it
may also be one word: `Think('...'); Forward`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby, repeat

import numpy as np
from lark import Token

from arena.action import BACKWARD, FORWARD, TURN_LEFT, TURN_RIGHT, Action
from arena.errors import RecordingError
from evaluation import script as language
from evaluation.script import (
    Argument,
    ArgumentError,
    Form,
    Language,
    Repair,
    RepairKind,
    ReplyText,
    ScriptSyntaxError,
)

DEGREES_PER_STEP = 6
"""Rotation in one step: 100 degrees/s for three ticks of 0.02 s. From `TrainingAgent.cs`."""

LARGEST_AMOUNT = 999_999_999
"""Largest absolute amount of a command. The paper sets no limit, but its program makes a list of all actions,
so larger amounts would have exhausted its memory. At 0.06 s per step this is two years of arena time."""


@dataclass(frozen=True, slots=True)
class Think(language.Think):
    """A thought: kept for the record, takes no time. `text` is without the outer quotation marks."""

    __str__ = language.Think.__str__

    @property
    def steps(self) -> int:
        """Number of steps, always 0."""
        return 0

    def actions(self) -> Iterator[Action]:
        """No action."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Go:
    """Drive |amount| steps, forward if positive, backward if negative."""

    amount: int

    @property
    def steps(self) -> int:
        """Number of steps of 0.06 s."""
        return abs(self.amount)

    def actions(self) -> Iterator[Action]:
        """Yield the same action, once per step."""
        return repeat(FORWARD if self.amount > 0 else BACKWARD, self.steps)

    def __str__(self) -> str:
        return f"Go({self.amount});"


@dataclass(frozen=True, slots=True)
class Turn:
    """Turn by `degrees`, right (clockwise from above) if positive, left if negative. Angles are truncated
    toward zero to a multiple of 6 degrees: Turn(25) turns 24, Turn(-5) nothing."""

    degrees: int

    @property
    def steps(self) -> int:
        """Number of steps of 0.06 s, 6 degrees each."""
        return abs(self.degrees) // DEGREES_PER_STEP

    def actions(self) -> Iterator[Action]:
        """Yield the same action, once per step."""
        return repeat(TURN_RIGHT if self.degrees > 0 else TURN_LEFT, self.steps)

    def __str__(self) -> str:
        return f"Turn({self.degrees});"


Command = Think | Go | Turn


@dataclass(frozen=True, slots=True)
class Script:
    """Parsed reply: commands in order, with the repairs for parsing it. `str(script)` writes the commands in
    the strict language, with square brackets for round ones in thoughts."""

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


def _integer(amount: str) -> str:
    """Write an amount as the shortest decimal integer. No spaces, no plus, fraction dropped (toward zero)."""
    whole = amount.partition(".")[0].replace(" ", "").replace("\n", "")
    digits = whole.lstrip("+-‐‑‒–−").lstrip("0") or "0"
    negative = whole[:1] not in ("", *"+0123456789") and digits != "0"
    return f"-{digits}" if negative else digits


def _amount(token: Token) -> int:
    """Convert an AMOUNT to an integer. Raises `ArgumentError` before converting many digits."""
    digits = _integer(token)
    if len(digits.lstrip("-")) > len(str(LARGEST_AMOUNT)):
        raise ArgumentError(token, f"Amounts go from -{LARGEST_AMOUNT} to {LARGEST_AMOUNT}.")
    return int(digits)


def _go(token: Token) -> Go:
    """Convert an AMOUNT to Go. Raises `ArgumentError` for less than a step, a wrong scale."""
    steps = _amount(token)
    if steps == 0 and any(digit in "123456789" for digit in token):
        raise ArgumentError(token, "Go drives whole steps, at least one: Go(1); or Go(-1);")
    return Go(steps)


# The paper reads scripts without their spaces and newlines, so these are allowed everywhere, even inside a
# name or a number. They are matched instead of removed, so that thoughts keep theirs and every position is
# one of the reply.
_SPACES = r"[ \n]*"

_AMOUNT = Argument(
    "AMOUNT",
    "an integer",
    RepairKind.AMOUNT,
    _integer,
    strict=rf"(?:-{_SPACES})?[0-9](?:{_SPACES}[0-9])*",
    # A sign (any dash), digits, a fraction.
    tolerant=rf"(?:[+\-‐‑‒–−]{_SPACES})?(?:[0-9](?:{_SPACES}[0-9])*(?:\.[0-9]*)?|\.[0-9]+)",
)

LANGUAGE = Language[Command](
    own=(
        Form("Go", _AMOUNT, _go, unit=r"steps?\b"),
        Form("Turn", _AMOUNT, lambda token: Turn(_amount(token)), unit=r"[°º]|deg(?:ree)?s?\b"),
    ),
    think=Think,
    gap=_SPACES,
    mistakes=(
        ("AMOUNT", r"\s*\)", "A command needs its amount in the brackets, as in Go(5); or Turn(-30);"),
        ("AMOUNT", "", "Amounts are integers written in digits, as in Go(5); or Turn(-30);"),
        ("RPAR", "", "One integer is all that the brackets may hold, as in Go(5); or Turn(-30);"),
        ("LPAR", "", "The name of a command is followed by round brackets, as in Go(5);"),
        ("GO", r"\Z", "A script has at least one command, as in Go(5);"),
        ("GO", r"(?:go|turn|think)\b\s*\(", "The commands are spelt Go, Turn and Think."),
        ("GO", r"(?:go|turn|think)\b", "A command has its argument in round brackets, as in Go(5);"),
        ("GO", r"\w+\s*\(", "There is no such command; the commands are Go, Turn and Think."),
    ),
    semicolon="Every command ends with a semicolon, as in Go(5); Turn(-30);",
)
"""Language of the commands Go, Turn and Think."""


def parse(text: str, *, strict: bool = False) -> Script:
    """Parse the script of a model's reply. Strict: only the language of the paper. See `Language.parse`.
    Raises `ScriptSyntaxError`, and no other error."""
    read = LANGUAGE.parse(text, strict=strict)
    return Script(read.commands, read.repairs)


def compress(actions: Iterable[Action]) -> tuple[Command, ...]:
    """Find the shortest list of commands with exactly these actions. Raises RecordingError for an action
    without a command: idling, or driving while turning."""
    return tuple(_command(action, len(list(run))) for action, run in groupby(actions))


def _command(action: Action, steps: int) -> Command:
    if action in (FORWARD, BACKWARD):
        return Go(steps if action == FORWARD else -steps)
    if action in (TURN_RIGHT, TURN_LEFT):
        return Turn(DEGREES_PER_STEP * (steps if action == TURN_RIGHT else -steps))
    raise RecordingError(
        f"no command has the action move={action.move.name}, rotate={action.rotate.name}: expected "
        "only driving or only turning in each step"
    )


MOVES: dict[str, Command] = {
    "Forward": Go(1),
    "Backward": Go(-1),
    "Left": Turn(-DEGREES_PER_STEP),
    "Right": Turn(DEGREES_PER_STEP),
}
"""Single-step commands by word."""

_REPLY = re.compile(
    rf"(?P<thought>.*?)(?P<word>\b(?:{'|'.join(MOVES)}))\s*(?P<end>;?)\s*", re.DOTALL | re.IGNORECASE
)


def parse_move(text: str, *, strict: bool = False) -> Script:
    """Parse a reply of one word, with or without thoughts before it.

    Strict: exact spelling without semicolon. Otherwise also other cases, a semicolon, and what `parse`
    repairs in the thoughts. Raises `ScriptSyntaxError`, and no other error.
    """
    found = _REPLY.fullmatch(text)
    if found is None:
        raise _no_move(text, 0)
    word = found["word"].capitalize()
    repairs = _repairs(ReplyText(text), found, word)
    if strict and repairs:
        raise _no_move(text, repairs[0].position)
    thought = parse(found["thought"], strict=strict) if found["thought"].strip() else Script(())
    if not all(isinstance(command, Think) for command in thought.commands):
        raise _no_move(text, 0)
    return Script((*thought.commands, MOVES[word]), (*thought.repairs, *repairs))


def move_of(script: Script) -> str:
    """Write a script of one step as one word, after its thoughts. Raises KeyError for others."""
    words = {command: word for word, command in MOVES.items()}
    thoughts = [str(command) for command in script.commands if isinstance(command, Think)]
    moves = [words[command] for command in script.commands if not isinstance(command, Think)]
    return " ".join([*thoughts, *moves])


def _repairs(text: ReplyText, found: re.Match[str], word: str) -> list[Repair]:
    repairs = []
    if found["word"] != word:
        repairs.append(text.repair(RepairKind.NAME, found.start("word"), found["word"], word))
    if found["end"]:
        repairs.append(text.repair(RepairKind.SEMICOLON, found.start("end"), found["end"], ""))
    return repairs


def _no_move(text: str, position: int) -> ScriptSyntaxError:
    place = ReplyText(text).place(position)
    reason = "An answer is one word, with or without a thought before it: Think('...'); Forward"
    return ScriptSyntaxError(reason, *place, text[position:].strip()[:40], tuple(MOVES))


def random_script(rng: np.random.Generator) -> str:
    """Draw a turn, then 1 to 20 steps forward. The turn is a multiple of 6 degrees, within a half circle
    either way."""
    return str(Script((Turn(int(6 * rng.integers(-30, 31))), Go(int(rng.integers(1, 21))))))


WAIT = "I wait."
"""Reply that is no script: it costs one idle step, otherwise inexpressible."""
