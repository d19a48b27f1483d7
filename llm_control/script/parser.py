"""Reading a reply in the arena's script language."""

from pathlib import Path

from evaluation.script.language import Language
from evaluation.script.repairs import RepairKind
from llm_control.script.commands import Command, Script
from llm_control.script.tokens import command, integer

LANGUAGE = Language[Command](
    folder=Path(__file__).parent,
    names=("Go", "Turn"),
    command=command,
    arguments={"AMOUNT": RepairKind.AMOUNT},
    strict_text=lambda piece: integer(piece.text),
    spoken={"GO": "Go(", "TURN": "Turn(", "AMOUNT": "an integer"},
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
    dropped={"STEPS": RepairKind.UNIT, "DEGREES": RepairKind.UNIT},
)
"""Of the commands Go, Turn and Think."""


def parse(text: str, *, strict: bool = False) -> Script:
    """The script of a model's reply; strict: only the language of the paper. See `Language.parse`.

    Raises `ScriptSyntaxError`, and no other error.
    """
    read = LANGUAGE.parse(text, strict=strict)
    return Script(read.commands, read.repairs)
