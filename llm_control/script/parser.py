"""Parses a model's reply."""

from typing import cast

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from llm_control.script.commands import Command, Script
from llm_control.script.dressed import read_dressed
from llm_control.script.errors import ScriptSyntaxError, excerpt, syntax_error
from llm_control.script.repairs import ReplyText
from llm_control.script.tokens import AmountError, command
from llm_control.script.tolerant import read_tolerantly


class _Commands(Transformer[Token, Script]):
    """Builds the commands while the strict grammar is parsed."""

    def script(self, commands: list[Command]) -> Script:
        return Script(tuple(commands))

    def go(self, name_and_argument: list[Token]) -> Command:
        return command(*name_and_argument)

    turn = think = go


_STRICT = Lark.open("strict.lark", rel_to=__file__, start="script", parser="lalr", transformer=_Commands())


def parse(text: str, *, strict: bool = False) -> Script:
    """The script of a model's reply.

    Strict: only the language of the paper, see `strict.lark`. Tolerant: also common deviations of models
    (`tolerant.lark`, and the dress that `dressed.py` takes off), with a repair for each; a strict reply
    has the same meaning and no repairs. An empty reply is not a script in either mode. The time is
    proportional to the length of `text`.

    Raises `ScriptSyntaxError`, and no other error.
    """
    try:
        return _strict_or_tolerant(text, strict)
    except UnexpectedInput as error:
        raise _not_a_script(text, error) from None
    except AmountError as error:
        raise _not_an_amount(text, error) from None


def _strict_or_tolerant(text: str, strict: bool) -> Script:
    try:
        return _read_strictly(text)
    except UnexpectedInput:
        if strict:
            raise
    try:
        return read_tolerantly(text)
    except UnexpectedInput:
        # Only what would be refused is undressed, so that nothing is read in another way than without it.
        if (script := read_dressed(text)) is None:
            raise
        return script


def _read_strictly(text: str) -> Script:
    # With an embedded transformer Lark returns what `_Commands.script` made; its types do not say so.
    return cast(Script, _STRICT.parse(text))


def _not_a_script(text: str, error: UnexpectedInput) -> ScriptSyntaxError:
    position, tokens = error.pos_in_stream or 0, set[str]()
    if isinstance(error, UnexpectedToken):
        tokens = set(error.expected)
        # The end of the text has no position of its own.
        position = len(text) if error.token.type == "$END" else position
    elif isinstance(error, UnexpectedCharacters):
        tokens = set(error.allowed)
    return syntax_error(text[position:], ReplyText(text).place(position), tokens)


def _not_an_amount(text: str, error: AmountError) -> ScriptSyntaxError:
    place = ReplyText(text).place(error.token.start_pos or 0)
    return ScriptSyntaxError(error.advice, *place, excerpt(error.token))
