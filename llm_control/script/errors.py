"""Why a reply is not a script, as data; sentences are made last."""

import re

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
"""Names of the grammars' tokens in sentences. Tokens that are only tolerated are absent."""


class ScriptSyntaxError(ScriptError):
    """A reply is not a script.

    `reason`: a sentence that explains the mistake and the correct spelling.
    `line`, `column`: its position in the reply, both from 1.
    `found`: the offending text, shortened; empty if the reply ends too early.
    `expected`: what is allowed there, in words; empty if nothing in particular.
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
        """The message to the model: position, what was found, what was expected, what to do."""
        found = f'found "{self.found}"' if self.found else "the reply ends"
        expected = f" where {_alternatives(self.expected)} should stand" if self.expected else ""
        return f"Line {self.line}, column {self.column}: {found}{expected}. {self.reason}"

    def __str__(self) -> str:
        return self.feedback


def _alternatives(names: tuple[str, ...]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


_MISTAKES = (
    ("THOUGHT", r"\(", "This thought never ends; it is closed like this: Think('...');"),
    ("THOUGHT", "", "A thought stands in brackets and quotation marks: Think('...');"),
    ("AMOUNT", r"\s*\)", "A command needs its amount in the brackets, as in Go(5); or Turn(-30);"),
    ("AMOUNT", "", "Amounts are integers written in digits, as in Go(5); or Turn(-30);"),
    ("RPAR", "", "One integer is all that the brackets may hold, as in Go(5); or Turn(-30);"),
    ("LPAR", "", "The name of a command is followed by round brackets, as in Go(5);"),
    ("GO", r"\Z", "A script has at least one command, as in Go(5);"),
    ("GO", r"(?:go|turn|think)\b\s*\(", "The commands are spelt Go, Turn and Think."),
    ("GO", r"(?:go|turn|think)\b", "A command has its argument in round brackets, as in Go(5);"),
    ("GO", r"\w+\s*\(", "There is no such command; the commands are Go, Turn and Think."),
    ("SEMICOLON", r"[^\n]*?['\"’”]\s*\)", "A thought must not contain a closing bracket."),
    ("SEMICOLON", "", "Every command ends with a semicolon, as in Go(5); Turn(-30);"),
)
"""Typical mistakes as (missing token, start of the remaining reply, advice); the first that fits is used."""

_OTHERWISE = "Answer with nothing but commands; remarks go into Think('...');"
_FOUND = re.compile(r"[\w.,+-]{1,40}|[`~]{1,40}|\S")


def syntax_error(rest: str, place: Place, tokens: set[str]) -> ScriptSyntaxError:
    """The error for a reply with `rest` at `place` instead of one of the named `tokens`."""
    fitting = (
        advice
        for missing, start, advice in _MISTAKES
        if missing in tokens and re.match(start, rest, re.IGNORECASE)
    )
    expected = tuple(words for token, words in _TOKENS.items() if token in tokens)
    return ScriptSyntaxError(next(fitting, _OTHERWISE), *place, excerpt(rest), expected)


def excerpt(rest: str) -> str:
    """The first word or sign of `rest`, with unprintable characters as escapes."""
    found = _FOUND.match(rest)
    characters = found[0] if found else rest[:1]
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in characters)
