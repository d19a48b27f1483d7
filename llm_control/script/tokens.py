"""Meaning of the tokens of both grammars."""

from lark import Token

from evaluation.script.errors import ArgumentError
from evaluation.script.language import thought
from llm_control.script.commands import LARGEST_AMOUNT, Command, Go, Think, Turn


def command(name: Token, argument: Token) -> Command:
    """The command of a GO, TURN or THINK and its argument. Raises `ArgumentError`."""
    match name.type:
        case "GO":
            return Go(_whole_steps(argument))
        case "TURN":
            return Turn(amount(argument))
    return Think(thought(argument))


def amount(token: Token) -> int:
    """The integer of an AMOUNT. Raises `ArgumentError` before converting many digits."""
    digits = integer(token)
    if len(digits.lstrip("-")) > len(str(LARGEST_AMOUNT)):
        raise ArgumentError(token, f"Amounts go from -{LARGEST_AMOUNT} to {LARGEST_AMOUNT}.")
    return int(digits)


def _whole_steps(token: Token) -> int:
    """The amount of a Go; raises `ArgumentError` for less than a step, which is a wrong scale and not 0."""
    steps = amount(token)
    if steps == 0 and any(digit in "123456789" for digit in token):
        raise ArgumentError(token, "Go drives whole steps, at least one: Go(1); or Go(-1);")
    return steps


def integer(amount: str) -> str:
    """An amount as the shortest decimal integer: no spaces, no plus, fraction dropped (toward zero)."""
    whole = amount.partition(".")[0].replace(" ", "").replace("\n", "")
    digits = whole.lstrip("+-‐‑‒–−").lstrip("0") or "0"
    negative = whole[:1] not in ("", *"+0123456789") and digits != "0"
    return f"-{digits}" if negative else digits
