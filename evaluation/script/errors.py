"""Why a reply is not a script, as data; sentences are made last."""

import re
from collections.abc import Iterable, Mapping

from lark import Token, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from arena.errors import ScriptError
from evaluation.script.repairs import ReplyText


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


Mistake = tuple[str, str, str]
"""A typical mistake as (missing token, start of the remaining reply, advice); the first that fits is said."""

NEVER_ENDS: tuple[Mistake, ...] = (
    ("THOUGHT", r"\(", "This thought never ends; it is closed like this: Think('...');"),
    ("THOUGHT", "", "A thought stands in brackets and quotation marks: Think('...');"),
)
BRACKET_INSIDE: Mistake = (
    *("SEMICOLON", r"[^\n]*?['\"’”]\s*\)"),
    "A thought must not contain a closing bracket.",
)

_OTHERWISE = "Answer with nothing but commands; remarks go into Think('...');"
_FOUND = re.compile(r"[\w.,+-]{1,40}|[`~]{1,40}|\S")


class ArgumentError(ValueError):
    """An argument that no command can have; has its token and what to do."""

    def __init__(self, token: Token, advice: str) -> None:
        super().__init__(token, advice)
        self.token, self.advice = token, advice

    def at(self, text: str) -> ScriptSyntaxError:
        """The same as an error of the whole reply."""
        place = ReplyText(text).place(self.token.start_pos or 0)
        return ScriptSyntaxError(self.advice, *place, excerpt(self.token))


def syntax_error(
    text: str, error: UnexpectedInput, spoken: Mapping[str, str], mistakes: Iterable[Mistake]
) -> ScriptSyntaxError:
    """Lark's error in a reply as ours; `spoken` are the tokens in words, without those only tolerated."""
    position, tokens = error.pos_in_stream or 0, set[str]()
    if isinstance(error, UnexpectedToken):
        tokens = set(error.expected)
        # The end of the text has no position of its own.
        position = len(text) if error.token.type == "$END" else position
    elif isinstance(error, UnexpectedCharacters):
        tokens = set(error.allowed)
    rest = text[position:]
    fitting = (
        advice
        for missing, start, advice in mistakes
        if missing in tokens and re.match(start, rest, re.IGNORECASE)
    )
    expected = tuple(words for token, words in spoken.items() if token in tokens)
    place = ReplyText(text).place(position)
    return ScriptSyntaxError(next(fitting, _OTHERWISE), *place, excerpt(rest), expected)


def excerpt(rest: str) -> str:
    """The first word or sign of `rest`, with unprintable characters as escapes."""
    found = _FOUND.match(rest)
    characters = found[0] if found else rest[:1]
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in characters)
