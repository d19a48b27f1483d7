"""Replies of one word, as in the paper's frame-by-frame experiment: `Think('...'); Forward`."""

import re

from evaluation.script.repairs import ReplyText
from llm_control.script import (
    DEGREES_PER_STEP,
    Command,
    Go,
    Repair,
    RepairKind,
    Script,
    ScriptSyntaxError,
    Think,
    Turn,
    parse,
)

MOVES: dict[str, Command] = {
    "Forward": Go(1),
    "Backward": Go(-1),
    "Left": Turn(-DEGREES_PER_STEP),
    "Right": Turn(DEGREES_PER_STEP),
}
"""The words, each with the command of one step that it stands for."""

_REPLY = re.compile(
    rf"(?P<thought>.*?)(?P<word>\b(?:{'|'.join(MOVES)}))\s*(?P<end>;?)\s*", re.DOTALL | re.IGNORECASE
)


def parse_move(text: str, *, strict: bool = False) -> Script:
    """The script of a reply that is one word, with or without thoughts before it.

    Strict: the words as they are spelt, no semicolon after them. Otherwise also other cases, a semicolon, and
    what `parse` repairs in the thoughts. Raises `ScriptSyntaxError`, and no other error.
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
    """A script of one step as a reply of one word, its thoughts before it. Raises KeyError for others."""
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
