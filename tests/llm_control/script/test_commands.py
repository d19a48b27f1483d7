"""What commands and scripts are worth, expanded only as far as asked; what an error says, and where."""

import pickle
import time
from itertools import islice

import pytest

from arena.action import FORWARD
from arena.errors import ScriptError
from llm_control.script import LARGEST_AMOUNT, Go, Script, ScriptSyntaxError, Think, Turn, parse
from tests.cases import cases

CASES = cases(__file__)


def test_expansion_is_lazy_and_counting_needs_none():
    script = parse(f"Go({LARGEST_AMOUNT}); Turn(-{LARGEST_AMOUNT});" * 100, strict=True)
    started = time.process_time()
    assert script.steps == 100 * (LARGEST_AMOUNT + LARGEST_AMOUNT // 6)
    assert list(islice(script.actions(), 1000)) == [FORWARD] * 1000
    assert time.process_time() - started < 1.0


def test_actions_start_anew_each_time():
    script = Script((Go(1),))
    assert list(script.actions()) == list(script.actions()) == [FORWARD]


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("name", ["Go", "Turn"])
@pytest.mark.parametrize("sign", ["", "-"])
def test_amounts_have_a_range(name: str, sign: str, strict: bool):
    assert parse(f"{name}({sign}{LARGEST_AMOUNT});", strict=strict)
    with pytest.raises(ScriptSyntaxError, match=f"-{LARGEST_AMOUNT} to {LARGEST_AMOUNT}") as caught:
        parse(f"Go(1);\n{name}({sign}{LARGEST_AMOUNT + 1});", strict=strict)
    assert (caught.value.line, caught.value.column) == (2, len(name) + 2)


@pytest.mark.parametrize("strict", [True, False])
def test_absurd_rows_of_digits_are_refused_at_once(strict: bool):
    started = time.process_time()
    with pytest.raises(ScriptSyntaxError) as caught:
        parse(f"Go({'9' * 1_000_000});", strict=strict)
    assert time.process_time() - started < 2.0
    assert len(caught.value.feedback) < 300
    assert parse(f"Go({'0' * 1_000_000}7);", strict=strict).commands == (Go(7),)


@pytest.mark.parametrize(
    ("commands", "text"),
    [
        ((Think("hm"), Go(3), Turn(-90)), "Think('hm'); Go(3); Turn(-90);"),
        ((Think("it's (there)"),), "Think('it's [there]');"),
        ((Think(""), Go(0)), "Think(''); Go(0);"),
    ],
)
def test_is_written_in_the_strict_language(commands: tuple, text: str):
    assert str(Script(commands)) == text
    assert str(parse(text, strict=True)) == text


@pytest.mark.parametrize(("reply", "strict", "line", "column", "found", "expected", "advice"), CASES["wrong"])
def test_says_what_where_and_what_instead(reply, strict, line, column, found, expected, advice):
    with pytest.raises(ScriptError) as caught:
        parse(reply, strict=strict)
    error = caught.value
    assert isinstance(error, ScriptSyntaxError)
    assert (error.line, error.column, error.found) == (line, column, found)
    assert set(expected) <= set(error.expected)
    assert advice in error.reason
    assert f"Line {line}, column {column}" in error.feedback
    assert error.feedback.endswith(error.reason)
    assert found in error.feedback
    assert all(words in error.feedback for words in expected)
    assert error.feedback.isprintable()


def test_feedback_reads_as_sentences():
    with pytest.raises(ScriptSyntaxError) as caught:
        parse("Go(3); Jump(5);")
    assert caught.value.feedback == (
        'Line 1, column 8: found "Jump" where Go(, Turn( or Think( should stand. '
        "There is no such command; the commands are Go, Turn and Think."
    )
    assert str(caught.value) == caught.value.feedback


def test_long_offending_text_is_shortened():
    with pytest.raises(ScriptSyntaxError) as caught:
        parse("Go(3); " + "x" * 100_000 + ";")
    assert len(caught.value.feedback) < 300


def test_survives_pickling():
    """Evaluations pass errors between processes."""
    with pytest.raises(ScriptSyntaxError) as caught:
        parse("Jump(5);")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.feedback, again.line, again.expected) == (
        caught.value.feedback, caught.value.line, caught.value.expected,
    )  # fmt: skip
