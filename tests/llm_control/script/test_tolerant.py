"""The tolerant mode: what it takes besides, what it records, and what it refuses to guess."""

import pytest

from llm_control.script import Go, RepairKind, Script, ScriptSyntaxError, Think, Turn, parse

FENCE, PROSE, COMMENT, BLANK = RepairKind.FENCE, RepairKind.PROSE, RepairKind.COMMENT, RepairKind.WHITESPACE
NAME, AMOUNT, UNIT = RepairKind.NAME, RepairKind.AMOUNT, RepairKind.UNIT
BRACKETS, SEMICOLON = RepairKind.BRACKETS, RepairKind.SEMICOLON
LABEL, MARKUP, TAG = RepairKind.LABEL, RepairKind.MARKUP, RepairKind.TAG
WIDE, JSON = RepairKind.FULL_WIDTH, RepairKind.JSON

# reply, commands, (kind, line, column, original, became) of every repair
REPAIRED = [
    ("Go(3)", [Go(3)], [(SEMICOLON, 1, 6, "", ";")]),
    ("Go(3)\nTurn(6)\n", [Go(3), Turn(6)], [(SEMICOLON, 1, 6, "", ";"), (SEMICOLON, 2, 8, "", ";")]),
    ("Go(3) Turn(6);", [Go(3), Turn(6)], [(SEMICOLON, 1, 6, "", ";")]),
    ("Go(3), Turn(6);", [Go(3), Turn(6)], [(SEMICOLON, 1, 6, ",", ";")]),
    ("Go(3);;\n; Turn(6);", [Go(3), Turn(6)], [(SEMICOLON, 1, 6, ";;\n;", ";")]),
    ("go(3);TURN(6);", [Go(3), Turn(6)], [(NAME, 1, 1, "go", "Go"), (NAME, 1, 7, "TURN", "Turn")]),
    ("think('a');", [Think("a")], [(NAME, 1, 1, "think", "Think")]),
    ("Go(3.0);", [Go(3)], [(AMOUNT, 1, 4, "3.0", "3")]),
    ("Go(2.9);Go(-2.9);", [Go(2), Go(-2)], [(AMOUNT, 1, 4, "2.9", "2"), (AMOUNT, 1, 12, "-2.9", "-2")]),
    ("Turn(47.9);", [Turn(47)], [(AMOUNT, 1, 6, "47.9", "47")]),
    ("Go(0.0);Turn(.5);", [Go(0), Turn(0)], [(AMOUNT, 1, 4, "0.0", "0"), (AMOUNT, 1, 14, ".5", "0")]),
    ("Turn(+30);", [Turn(30)], [(AMOUNT, 1, 6, "+30", "30")]),
    ("Turn(−30);", [Turn(-30)], [(AMOUNT, 1, 6, "−30", "-30")]),
    ("Turn(–30);", [Turn(-30)], [(AMOUNT, 1, 6, "–30", "-30")]),
    ("Turn(90°);", [Turn(90)], [(UNIT, 1, 8, "°", "")]),
    ("Turn(90 degrees);", [Turn(90)], [(UNIT, 1, 9, "degrees", "")]),
    ("Turn(-90deg);", [Turn(-90)], [(UNIT, 1, 9, "deg", "")]),
    ("Go(5 steps);", [Go(5)], [(UNIT, 1, 6, "steps", "")]),
    ("Go(1);\tGo(2);", [Go(1), Go(2)], [(BLANK, 1, 7, "\t", " ")]),
    ("Go(1);\r\nGo(\u00a02);", [Go(1), Go(2)], [(BLANK, 1, 7, "\r", " "), (BLANK, 2, 4, "\u00a0", " ")]),
    ("\ufeffGo(1);", [Go(1)], [(BLANK, 1, 1, "\ufeff", " ")]),
    ("Go(1); // first\nGo(2); # Go(9);", [Go(1), Go(2)],
     [(COMMENT, 1, 8, "// first", ""), (COMMENT, 2, 8, "# Go(9);", "")]),
    ("// Go(9);\nGo(1);", [Go(1)], [(COMMENT, 1, 1, "// Go(9);", "")]),
    ("Think('a (b) c');", [Think("a (b) c")], [(BRACKETS, 1, 6, "('a (b) c')", "('a [b] c')")]),
    ("Think(a (b) c);", [Think("a (b) c")], [(BRACKETS, 1, 6, "(a (b) c)", "(a [b] c)")]),
    ("Think('a :) it's');", [Think("a :) it's")], [(BRACKETS, 1, 6, "('a :) it's')", "('a :] it's')")]),
    ("Think(\"(a)\");", [Think("(a)")], [(BRACKETS, 1, 6, '("(a)")', '("[a]")')]),
    ("Think(“(a)”);", [Think("(a)")], [(BRACKETS, 1, 6, "(“(a)”)", "(“[a]”)")]),
    ("Think(‘(a)’);", [Think("(a)")], [(BRACKETS, 1, 6, "(‘(a)’)", "(‘[a]’)")]),
    ("Think('Go(5); Turn(90); then'); Go(2);", [Think("Go(5); Turn(90); then"), Go(2)],
     [(BRACKETS, 1, 6, "('Go(5); Turn(90); then')", "('Go[5]; Turn[90]; then')")]),
    ("Think('one\n(two)\nthree');", [Think("one\n(two)\nthree")],
     [(BRACKETS, 1, 6, "('one\n(two)\nthree')", "('one\n[two]\nthree')")]),
    ("Think('a')\nGo(1);", [Think("a"), Go(1)], [(SEMICOLON, 1, 11, "", ";")]),
    ("Think('a') // b\nGo(1);", [Think("a"), Go(1)],
     [(SEMICOLON, 1, 11, "", ";"), (COMMENT, 1, 12, "// b", "")]),
    ("Think('a'), Go(1);", [Think("a"), Go(1)], [(SEMICOLON, 1, 11, ",", ";")]),
    # A quotation mark that is never closed does not swallow the commands up to the next thought.
    ("Think('a); Go(5); Think('b')", [Think("'a"), Go(5), Think("b")], [(SEMICOLON, 1, 29, "", ";")]),
    ("```\nGo(1);\n```", [Go(1)], [(FENCE, 1, 1, "```", ""), (FENCE, 3, 1, "```", "")]),
    ("```python\nGo(1);\n```\n", [Go(1)], [(FENCE, 1, 1, "```python", ""), (FENCE, 3, 1, "```", "")]),
    ("~~~\nGo(1);\n~~~", [Go(1)], [(FENCE, 1, 1, "~~~", ""), (FENCE, 3, 1, "~~~", "")]),
    ("```Go(1);```", [Go(1)], [(FENCE, 1, 1, "```", ""), (FENCE, 1, 10, "```", "")]),
    ("`Go(1);`", [Go(1)], [(FENCE, 1, 1, "`", ""), (FENCE, 1, 8, "`", "")]),
    ("```\nGo(1);", [Go(1)], [(FENCE, 1, 1, "```", "")]),
    ("Go(1);\n```\n", [Go(1)], [(FENCE, 2, 1, "```", "")]),
    ("I could Go(9); but:\n```\nGo(1);\n```\nNot Go(8);", [Go(1)],
     [(PROSE, 1, 1, "I could Go(9); but:", ""), (FENCE, 2, 1, "```", ""), (FENCE, 4, 1, "```", ""),
      (PROSE, 5, 1, "Not Go(8);", "")]),
    ("```\nHere:\nGo(1);\nDone\n```\nBye", [Go(1)],
     [(FENCE, 1, 1, "```", ""), (PROSE, 2, 1, "Here:", ""), (PROSE, 4, 1, "Done", ""),
      (FENCE, 5, 1, "```", ""), (PROSE, 6, 1, "Bye", "")]),
    ("Here is\nmy script:\n\n  Go(1);", [Go(1)], [(PROSE, 1, 1, "Here is\nmy script:", "")]),
    ("Go(1);\n\n*This* takes me there.\n", [Go(1)], [(PROSE, 3, 1, "*This* takes me there.", "")]),
    ("Go(1); I hope so (really).", [Go(1)], [(PROSE, 1, 8, "I hope so (really).", "")]),
    ("1. Go(1);\n2) Turn(6)", [Go(1), Turn(6)],
     [(LABEL, 1, 1, "1.", ""), (LABEL, 2, 1, "2)", ""), (SEMICOLON, 2, 11, "", ";")]),
    ("Plan:\n- Go(1);\n* Turn(6);", [Go(1), Turn(6)],
     [(PROSE, 1, 1, "Plan:", ""), (LABEL, 2, 1, "-", ""), (LABEL, 3, 1, "*", "")]),
    ("• Think('a) 1. b');\n• Go(2);", [Think("a) 1. b"), Go(2)],
     [(LABEL, 1, 1, "•", ""), (BRACKETS, 1, 8, "('a) 1. b')", "('a] 1. b')"), (LABEL, 2, 1, "•", "")]),
    ("Step 1: Go(1);", [Go(1)], [(LABEL, 1, 1, "Step 1:", "")]),
    ("PLAYER: Go(1);", [Go(1)], [(LABEL, 1, 1, "PLAYER:", "")]),
    ("**PLAYER:** `Go(1);`", [Go(1)],
     [(MARKUP, 1, 1, "**", ""), (LABEL, 1, 3, "PLAYER:", ""), (MARKUP, 1, 10, "**", ""),
      (MARKUP, 1, 13, "`", ""), (MARKUP, 1, 20, "`", "")]),
    ("**Go(1); Turn(6);**", [Go(1), Turn(6)], [(MARKUP, 1, 1, "**", ""), (MARKUP, 1, 18, "**", "")]),
    ("> *Go(1)*;", [Go(1)], [(MARKUP, 1, 1, ">", ""), (MARKUP, 1, 3, "*", ""), (MARKUP, 1, 9, "*", "")]),
    ("<answer>Go(1);</answer>", [Go(1)], [(TAG, 1, 1, "<answer>", ""), (TAG, 1, 15, "</answer>", "")]),
    ("Not Go(9);\n<answer>\nGo(1);\n</answer> So.", [Go(1)],
     [(PROSE, 1, 1, "Not Go(9);", ""), (TAG, 2, 1, "<answer>", ""), (TAG, 4, 1, "</answer>", ""),
      (PROSE, 4, 11, "So.", "")]),
    ("<script>```\nGo(1);\n```</script>", [Go(1)],
     [(PROSE, 1, 1, "<script>", ""), (FENCE, 1, 9, "```", ""), (FENCE, 3, 1, "```", ""),
      (PROSE, 3, 4, "</script>", "")]),
    ("Go（５）；", [Go(5)], [(WIDE, 1, 3, "（", "("), (WIDE, 1, 4, "５", "5"), (WIDE, 1, 5, "）", ")"),
     (WIDE, 1, 6, "；", ";")]),
    ("Think（'左（a）'）；Go(1);", [Think("左（a）"), Go(1)],
     [(WIDE, 1, 6, "（", "("), (WIDE, 1, 13, "）", ")"), (WIDE, 1, 14, "；", ";")]),
    ("Turn（－３０．５°）", [Turn(-30)],
     [(WIDE, 1, 5, "（", "("), (AMOUNT, 1, 6, "－３０．５", "-30"), (UNIT, 1, 11, "°", ""),
      (WIDE, 1, 12, "）", ")"), (SEMICOLON, 1, 13, "", ";")]),
    ('["Think(\\"x\\")", "Go(1); Turn(6);"]', [Think("x"), Go(1), Turn(6)],
     [(JSON, 1, 1, '["Think(\\"x\\")", "Go(1); Turn(6);"]', "Think('x'); Go(1); Turn(6);")]),
    ('\t["Go(1)"]', [Go(1)], [(BLANK, 1, 1, "\t", " "), (JSON, 1, 2, '["Go(1)"]', "Go(1);")]),
    ('```json\n["Go(1)"]\n```', [Go(1)],
     [(FENCE, 1, 1, "```json", ""), (JSON, 2, 1, '["Go(1)"]', "Go(1);"), (FENCE, 3, 1, "```", "")]),
]  # fmt: skip


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


UNDRESSED = [row[0] for row in REPAIRED if not {LABEL, MARKUP, TAG, WIDE, JSON} & {r[0] for r in row[2]}]


@pytest.mark.parametrize("reply", [*UNDRESSED, *(row[0] for row in STRICT_THOUGH_ODD)])
def test_what_could_be_read_before_is_read_as_before(reply: str):
    """Labels, markup and tags are only looked for where nothing else can be read."""
    before = parse(reply)
    assert not {LABEL, MARKUP, TAG, WIDE, JSON} & {repair.kind for repair in before.repairs}
    for mark in ("1. ", "**", "PLAYER: ", "<answer>", "（"):
        thought = f"Think('{mark}a'); "
        assert parse(thought + "Go(1);").repairs == ()


def test_advice_says_what_to_do_about_a_part_of_a_step():
    with pytest.raises(ScriptSyntaxError) as caught:
        parse("Turn(6); Go(0.5);")
    assert (caught.value.column, caught.value.found) == (13, "0.5")
    assert "at least one" in caught.value.reason
