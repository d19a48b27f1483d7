"""The strict mode against the paper's rules, written a second time here as an independent oracle."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.action import BACKWARD, FORWARD, TURN_LEFT, TURN_RIGHT, Action
from llm_control.script import LARGEST_AMOUNT, Script, ScriptSyntaxError, parse
from tests.cases import cases

CASES = cases(__file__)

Runs = list[tuple[Action, int]]


def oracle(text: str) -> Runs | None:
    """Runs of equal actions, or None for no script: a walk over the text without spaces and newlines."""
    rest = "".join(c for c in text if c not in " \n")
    runs: Runs = []
    if not rest:
        return None
    while rest:
        name, bracket, behind = rest.partition("(")
        argument, closing, behind = behind.partition(")")
        if not (bracket and closing and behind.startswith(";")):
            return None
        rest = behind[1:]
        if name == "Think":
            continue
        digits = argument[1:] if argument.startswith("-") else argument
        if name not in ("Go", "Turn") or not digits or any(c not in "0123456789" for c in digits):
            return None
        amount = int(argument)
        if abs(amount) > LARGEST_AMOUNT:  # the one rule that the paper does not have
            return None
        if name == "Go":
            runs.append((FORWARD if amount > 0 else BACKWARD, abs(amount)))
        else:
            runs.append((TURN_RIGHT if amount > 0 else TURN_LEFT, (abs(amount) - abs(amount) % 6) // 6))
    return [run for run in runs if run[1]]


def strict_runs(text: str) -> Runs | None:
    try:
        script = parse(text, strict=True)
    except ScriptSyntaxError:
        return None
    runs = [(next(command.actions()), command.steps) for command in script.commands if command.steps]
    if script.steps < 500:
        assert list(script.actions()) == [action for action, count in runs for _ in range(count)]
    return runs


THOUGHTS = ["'I see a ball'", "", "it's (left", "a; Go(3", '"quoted"', "Think(", "-5"]
THOUGHTS += ["two\nlines", "\t\r", "«ü𝄞»"]
SPACES = ("", "", "", " ", "\n", " \n ")
NOISE = "GoTurnThink()-;0123456789'\" \n\t.+٣x"


def amount(rng: random.Random) -> str:
    largest = rng.choice((9, 100, 10**6, LARGEST_AMOUNT))
    return f"{rng.choice(('', '', '-'))}{rng.choice(('', '', '00'))}{rng.randint(0, largest)}"


def plausible(rng: random.Random) -> str:
    """A script, mostly right, with spaces and newlines anywhere."""
    commands = []
    for _ in range(rng.randint(0, 5)):
        name = rng.choice(("Go", "Turn", "Think"))
        commands.append(f"{name}({rng.choice(THOUGHTS) if name == 'Think' else amount(rng)});")
    text = "".join(commands)
    if rng.random() < 0.5:
        text = "".join(c + rng.choice(SPACES) for c in text)
    return text


def mutated(text: str, rng: random.Random) -> str:
    """The text with one to three characters dropped, put in or replaced."""
    for _ in range(rng.randint(1, 3)):
        at, width = rng.randint(0, len(text)), rng.choice((0, 1))
        text = text[:at] + rng.choice(("", rng.choice(NOISE))) + text[at + width :]
    return text


def samples(count: int) -> Iterator[str]:
    rng = random.Random(20190713)
    for _ in range(count):
        text = plausible(rng)
        yield mutated(text, rng) if rng.random() < 0.6 else text


@pytest.mark.parametrize("count", [5_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_agrees_with_the_rules_on_generated_scripts(count: int):
    accepted = 0
    for text in samples(count):
        expected = oracle(text)
        assert strict_runs(text) == expected, text
        accepted += expected is not None
    assert 0.3 * count < accepted < 0.7 * count, "the sample should try both answers"


@given(
    st.text(alphabet=NOISE)
    | st.lists(st.sampled_from(["Go(", "Turn(", "Think(", ")", ";", "-", "7", " ", "'"]))
)
def test_agrees_with_the_rules_on_noise(noise: str | list[str]):
    text = "".join(noise)
    assert strict_runs(text) == oracle(text)


ACCEPTED = {
    "Go(3);": [(FORWARD, 3)],
    "Go(-3);": [(BACKWARD, 3)],
    "Go(0);Turn(0);": [],
    "Turn(25);": [(TURN_RIGHT, 4)],
    "Turn(-45);": [(TURN_LEFT, 7)],
    "Turn(5);Turn(-5);": [],
    "Turn(-6);": [(TURN_LEFT, 1)],
    "G o ( - 1 2 ) ;\n\nT\nurn(1 8);": [(BACKWARD, 12), (TURN_RIGHT, 3)],
    "Think();Think(no quotes; 'it's');": [],
    "Think(an open bracket ( and Go(5);Go(1);": [(FORWARD, 1)],
    "Go(0000000000000007);": [(FORWARD, 7)],
    "Go(-0);": [],
}


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepts(text: str):
    assert strict_runs(text) == ACCEPTED[text]


REFUSED = ["", " \n", ";", "Go(3)", "Go(3);Turn(6)", "Go(3);;", "Go(3),", "Go(3);.", "Think('a');Go(3"]
REFUSED += ["go(3);", "GO(3);", "Jump(3);", "Go[3];", "Go((3));", "Think(:));", "Think('(a)');"]
REFUSED += ["Go();", "Go(3.0);", "Go(+3);", "Go(--3);", "Go(3-);", "Go(three);", "Go(٣);", "Go(\t3);"]
REFUSED += ["Go(3);\t", "Go(3);\r\n", "Go(3);\u00a0", "// Go\nGo(3);", "```\nGo(3);\n```"]


@pytest.mark.parametrize("text", REFUSED)
def test_refuses(text: str):
    with pytest.raises(ScriptSyntaxError):
        parse(text, strict=True)
    assert oracle(text) is None


def test_keeps_the_spaces_of_a_thought():
    script = parse(" Think ( 'I see\n a  ball' ) ;", strict=True)
    assert script == Script(script.commands)
    assert script.thoughts == ("I see\n a  ball",)


@pytest.mark.parametrize(("text", "thought"), CASES["thoughts"])
def test_thought_loses_one_pair_of_quotation_marks(text: str, thought: str):
    assert parse(text, strict=True).thoughts == (thought,)
