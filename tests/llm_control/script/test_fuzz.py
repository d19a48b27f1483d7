"""Whatever a model writes, reading it ends soon, with a script or with the one error."""

import time
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_control.script import Script, ScriptSyntaxError, parse
from tests.llm_control.script.repairing import repaired

COMMANDS = ["Go(3)", "Turn(-90)", "Think('a')", "go( 2.5 )", "TURN(+30°)", 'Think("x (y) z")', "Go(1 2);"]
BROKEN = ["Think(a", "Go(", "Think('", "Think(it's);", "Jump(5);", "think (so)", "goal", "7", "3.5"]
BROKEN += [" deg", " steps"]
SIGNS = [";", ";;", ",", ")", "(", "'", '"', "“", "”", "-", "−", "```", "```python\n", "\n```\n", "~~~", "`"]
BLANKS = [" ", "\n", "\t", "\r\n", "\ufeff", "\u00a0", "\x00", "// c\n", "# c\n"]
WORDS = ["I see.", "Here it is:\n", "٣", "𝄞", "\ud800", "é"]
DRESS = ["\n1. ", "\n- ", "**", "_", "\nPLAYER: ", "<answer>", "</answer>", "（", "）", "；", "５", "\n> "]
LISTS = ['["Go(1);"]', '["', '", "', '"]', "["]
FRAGMENTS = COMMANDS + BROKEN + SIGNS + BLANKS + WORDS + DRESS + LISTS

replies = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join) | st.text(max_size=40)


def read(reply: str, *, strict: bool) -> Script | ScriptSyntaxError:
    try:
        return parse(reply, strict=strict)
    except ScriptSyntaxError as error:
        return error


@settings(max_examples=600, deadline=None)
@given(replies)
def test_strict_scripts_mean_the_same_to_the_tolerant_mode(reply: str):
    strict, tolerant = read(reply, strict=True), read(reply, strict=False)
    if isinstance(strict, Script):
        assert tolerant == strict
        assert strict.repairs == ()


@settings(max_examples=600, deadline=None)
@given(replies)
def test_repairs_are_all_that_a_reply_lacked(reply: str):
    script = read(reply, strict=False)
    if isinstance(script, Script):
        again = parse(repaired(reply, script.repairs), strict=True)
        assert str(again) == str(script)
        assert [type(command) for command in again.commands] == [type(command) for command in script.commands]
        assert bool(script.repairs) == isinstance(read(reply, strict=True), ScriptSyntaxError)


@settings(max_examples=600, deadline=None)
@given(replies, st.booleans())
def test_errors_point_into_the_reply(reply: str, strict: bool):
    error = read(reply, strict=strict)
    if isinstance(error, ScriptSyntaxError):
        lines = reply.split("\n")
        assert 1 <= error.line <= len(lines)
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1
        assert error.reason in error.feedback
        assert len(error.feedback) < 400


@settings(deadline=None)
@given(replies)
def test_a_script_can_be_written_and_read_again(reply: str):
    script = read(reply, strict=False)
    if isinstance(script, Script):
        assert str(parse(str(script), strict=True)) == str(script)


# Each of these, long enough, takes minutes where a pattern tries a text twice from every place.
REPEATED = ["Go(1);", "Go(1)\n", "Go(1) Turn(6) ", "Think('a);", "Think('a)", "Think('", "Think("]
REPEATED += ["think (so) ", "Go( ", "go ", " ", "\n", "\t", " \n", "a\n", "//\n", "# \n", "(", ")", ") "]
REPEATED += ["(a) ", "' ", "; ", "1 ", "```", "``` ", "𝄞", "**", "* ", "1. ", "\n1. Go(1);", "\n1. "]
REPEATED += ["PLAYER: ", "step 1: ", "<answer>", "（", "）", "Go（", "Think（a）；", "[", '["Go(1)", ', "_`"]


@pytest.mark.parametrize("unit", REPEATED)
def test_takes_linear_time(unit: str):
    for strict, ending in product((True, False), ("", "x(", "\nGo(1)", "');")):
        started = time.process_time()
        read(unit * (15_000 // len(unit)) + ending, strict=strict)
        assert time.process_time() - started < 5.0, (strict, ending)
