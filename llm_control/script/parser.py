"""From a model's reply to a script."""

from typing import cast

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from llm_control.script.commands import LARGEST_AMOUNT, Command, Script
from llm_control.script.errors import ScriptSyntaxError, shown, syntax_error
from llm_control.script.repairs import Text
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

    Strict: the language of the paper, see `strict.lark`. Tolerant: the same, with the same meaning and
    no repairs, and besides what models write instead (`tolerant.lark`), with a repair for each change.
    An empty reply is no script in either. The time taken grows in proportion to the length of `text`.

    Raises `ScriptSyntaxError` for everything else, and nothing but that.
    """
    try:
        return _strict_or_tolerant(text, strict)
    except UnexpectedInput as error:
        raise _not_a_script(text, error) from None
    except AmountError as error:
        raise _out_of_range(text, error.token) from None


def _strict_or_tolerant(text: str, strict: bool) -> Script:
    try:
        return _read_strictly(text)
    except UnexpectedInput:
        if strict:
            raise
    return read_tolerantly(text)


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
    return syntax_error(text[position:], Text(text).place(position), tokens)


def _out_of_range(text: str, amount: Token) -> ScriptSyntaxError:
    advice = f"Amounts go from -{LARGEST_AMOUNT} to {LARGEST_AMOUNT}."
    return ScriptSyntaxError(advice, *Text(text).place(amount.start_pos or 0), shown(amount))
