"""Why a reply is no script, as data; the sentences are made last."""

import re
from dataclasses import dataclass

from arena.errors import ScriptError
from llm_control.script.repairs import Place

_TOKENS = {
    "GO": "Go(",
    "TURN": "Turn(",
    "THINK": "Think(",
    "LPAR": "(",
    "AMOUNT": "an integer",
    "THOUGHT": "a thought in brackets",
    "RPAR": ")",
    "SEMICOLON": ";",
}
"""How each token of the grammars is called in a sentence. Absent: what is only put up with."""


class ScriptSyntaxError(ScriptError):
    """A reply is not a script.

    `reason`: a sentence that says what is wrong and how it is written instead.
    `line`, `column`: where, both from 1, in the reply.
    `found`: the offending text, shortened; empty where the reply ends too early.
    `expected`: what could have stood there, in words; empty where nothing in particular.
    """

    def __init__(
        self, reason: str, line: int, column: int, found: str, expected: tuple[str, ...] = ()
    ) -> None:
        super().__init__(reason, line, column, found, expected)
        self.reason = reason
        self.line = line
        self.column = column
        self.found = found
        self.expected = expected

    @property
    def feedback(self) -> str:
        """What the model is told: place, what was found, what was expected, what to do."""
        found = f'found "{self.found}"' if self.found else "the reply ends"
        expected = f" where {_alternatives(self.expected)} should stand" if self.expected else ""
        return f"Line {self.line}, column {self.column}: {found}{expected}. {self.reason}"

    def __str__(self) -> str:
        return self.feedback


def _alternatives(names: tuple[str, ...]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


@dataclass(frozen=True, slots=True)
class Mistake:
    """A typical mistake: the token that is missing, how the rest of the reply begins, what to say."""

    missing: str
    rest: re.Pattern[str]
    advice: str


def _mistake(missing: str, rest: str, advice: str) -> Mistake:
    return Mistake(missing, re.compile(rest, re.IGNORECASE), advice)


_MISTAKES = (
    _mistake("THOUGHT", r"\(", "This thought never ends; it is closed like this: Think('...');"),
    _mistake("THOUGHT", "", "A thought stands in brackets and quotation marks: Think('...');"),
    _mistake("AMOUNT", r"\s*\)", "A command needs its amount in the brackets, as in Go(5); or Turn(-30);"),
    _mistake("AMOUNT", "", "Amounts are integers written in digits, as in Go(5); or Turn(-30);"),
    _mistake("RPAR", "", "One integer is all that the brackets may hold, as in Go(5); or Turn(-30);"),
    _mistake("LPAR", "", "The name of a command is followed by round brackets, as in Go(5);"),
    _mistake("GO", r"\Z", "A script has at least one command, as in Go(5);"),
    _mistake("GO", r"(?:go|turn|think)\b\s*\(", "The commands are spelt Go, Turn and Think."),
    _mistake("GO", r"(?:go|turn|think)\b", "A command has its argument in round brackets, as in Go(5);"),
    _mistake("GO", r"\w+\s*\(", "There is no such command; the commands are Go, Turn and Think."),
    _mistake("SEMICOLON", r"[^\n]*?['\"’”]\s*\)", "A thought must not contain a closing bracket."),
    _mistake("SEMICOLON", "", "Every command ends with a semicolon, as in Go(5); Turn(-30);"),
)
"""Tried in this order: the first whose token is missing and whose pattern fits is told."""

_OTHERWISE = "Answer with nothing but commands; remarks go into Think('...');"
_FOUND = re.compile(r"[\w.,+-]{1,40}|[`~]{1,40}|\S")


def syntax_error(rest: str, place: Place, tokens: set[str]) -> ScriptSyntaxError:
    """The error for a reply whose `rest` begins at `place`, where one of the named `tokens` should."""
    fitting = (m.advice for m in _MISTAKES if m.missing in tokens and m.rest.match(rest))
    expected = tuple(words for token, words in _TOKENS.items() if token in tokens)
    return ScriptSyntaxError(next(fitting, _OTHERWISE), *place, shown(rest), expected)


def shown(rest: str) -> str:
    """The first word or sign of `rest`, with unprintable characters as escapes."""
    found = _FOUND.match(rest)
    characters = found[0] if found else rest[:1]
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in characters)
