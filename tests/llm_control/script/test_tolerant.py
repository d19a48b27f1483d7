"""The tolerant mode: what it takes besides, what it records, and what it refuses to guess."""

import pytest

from llm_control.script import Go, RepairKind, Script, ScriptSyntaxError, Think, Turn, parse
from tests.cases import cases

COMMANDS = {"Go": Go, "Turn": Turn, "Think": Think}
REPAIRED = [
    (
        reply,
        [COMMANDS[name](value) for command in commands for name, value in command.items()],
        [(RepairKind[kind], *repair) for kind, *repair in repairs],
    )
    for reply, commands, repairs in cases(__file__)["repaired"]
]
DRESSED = {RepairKind[kind] for kind in ("LABEL", "MARKUP", "TAG", "FULL_WIDTH", "JSON")}


@pytest.mark.parametrize(("reply", "commands", "repairs"), REPAIRED, ids=[row[0] for row in REPAIRED])
def test_repairs_and_records(reply: str, commands: list, repairs: list):
    script = parse(reply)
    assert list(script.commands) == commands
    assert [(r.kind, *r.place, r.original, r.became) for r in script.repairs] == repairs
    with pytest.raises(ScriptSyntaxError):
        parse(reply, strict=True)


def test_every_kind_of_repair_is_tried_above():
    # This language has no lists.
    assert {repair[0] for row in REPAIRED for repair in row[2]} == set(RepairKind) - {RepairKind.LIST}


GUESSES = ["I go forward.", "I would Go(3); if I could", "Go(3); or perhaps Turn(90);", "Go(3); Jump(5);"]
GUESSES += ["Jump(5);\nGo(3);", "Go(3); jump forward;", "Go(3); Turn 90", "Turn 90\nGo(3);", "Go(3); Turn("]
GUESSES += ["Go(3); Think('never closed", "Go(3)x", "Go(3)(4)", "Go(3) J(4)", "Go();", "Go(three);"]
GUESSES += ["Go(3, 4);", "Go(1e3);", "Go(1,000);", "Go(5 m);", "Go(90°);", "Turn(5 steps);", "Turn(right);"]
GUESSES += ["Go(--3);", "Go(+-3);", "Go(.);", "Go(3;", "Go 3);", "Go[3];", "Go{3};", "; Go(3);"]
GUESSES += ["Forward(3);", "```\nGo(1);\n```\nor\n```\nGo(2);\n```", "```\n```", "// Go(3);"]
GUESSES += ["I think (maybe) I should. Go(3);", "Go(0.5);", "Go(-.9); Turn(6);"]
GUESSES += ["There are two options:\n1. Go(3);\n2. Turn(90);", "1. Go(3);\nor\n2. Turn(90);"]
GUESSES += ["1. Go(3); 2. Turn(90);", "PLAYER: Go(3);\nENVIRONMENT: health 90\nPLAYER: Turn(6);"]
GUESSES += ["<answer>Go(1);</answer> or <answer>Go(2);</answer>", "<answer>Go(1);</answer> <answer>"]
GUESSES += ["<b>Go(1);</b>", "**Go(three);**", "- Jump(3);", "**Go(0.5);**", '["Go(1);", 2]']
GUESSES += ['["Go(1);", "run"]', "[]", "[Go(1);]", '{"Go": 1}', "```Go(1);```\n```Go(2);```"]


@pytest.mark.parametrize("reply", GUESSES)
def test_does_not_guess(reply: str):
    with pytest.raises(ScriptSyntaxError):
        parse(reply)


STRICT_THOUGH_ODD = [
    ("Think('a); Go(1); Think(b');", (Think("'a"), Go(1), Think("b'"))),
    ("Think('a'; Go(1);", (Think("'a'; Go(1"),)),
    ("G o( 1 2 ) ;", (Go(12),)),
    ("Think(```);Go(1);", (Think("```"), Go(1))),
    ("Think(// a);", (Think("// a"),)),
]


@pytest.mark.parametrize(("reply", "commands"), STRICT_THOUGH_ODD)
def test_strict_scripts_are_taken_as_they_are(reply: str, commands: tuple):
    """Even where a tolerant reading would see quotation marks, fences or comments."""
    assert parse(reply) == parse(reply, strict=True) == Script(commands)


UNDRESSED = [row[0] for row in REPAIRED if not DRESSED & {r[0] for r in row[2]}]


@pytest.mark.parametrize("reply", [*UNDRESSED, *(row[0] for row in STRICT_THOUGH_ODD)])
def test_what_could_be_read_before_is_read_as_before(reply: str):
    """Labels, markup and tags are only looked for where nothing else can be read."""
    assert not DRESSED & {repair.kind for repair in parse(reply).repairs}
    for mark in ("1. ", "**", "PLAYER: ", "<answer>", "（"):
        thought = f"Think('{mark}a'); "
        assert parse(thought + "Go(1);").repairs == ()


def test_advice_says_what_to_do_about_a_part_of_a_step():
    with pytest.raises(ScriptSyntaxError) as caught:
        parse("Turn(6); Go(0.5);")
    assert (caught.value.column, caught.value.found) == (13, "0.5")
    assert "at least one" in caught.value.reason
