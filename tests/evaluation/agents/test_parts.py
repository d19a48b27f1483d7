"""How agents read replies, and the memory of a Hypothesizer."""

import json

import pytest
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

from evaluation.agents.memory import Memory
from evaluation.agents.plan_execute import turns_since_step
from evaluation.agents.replies import read_reply, result_in, step_in
from evaluation.choices.run_choices import RunChoices
from evaluation.generation.memory import ONCE, SENT

REACT = RunChoices(agent="react")


@pytest.mark.parametrize(
    ("text", "thought", "action"),
    [
        ("Thought: so.\nAction: Go(3);", "Thought: so.", "Go(3);"),
        ("I go.\n\n**Action:**\n```\nGo(3);\nTurn(6);\n```", "I go.", "```\nGo(3);\nTurn(6);\n```"),
        ("Thought: my action: none yet\nACTION 1: open door", "Thought: my action: none yet", "open door"),
        (
            "Thought: a\nAction: look\nObservation: a room\nThought: b\nAction: go",
            "Thought: a",
            "look",
        ),
        ("Action: look\n\nThought: it helps", "", "look"),
        ("Go(3);", "", "Go(3);"),
        ("Thought: nothing to do", "", "Thought: nothing to do"),
        ("Thought: empty\nAction:", "Thought: empty", ""),
    ],
)
def test_what_stands_behind_the_label_is_carried_out(text, thought, action):
    assert read_reply(text, REACT) == (thought, action)
    for choices in (RunChoices(), REACT.model_copy(update={"replies": "tools"})):
        assert read_reply(text, choices) == ("", text)


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("I know.\nStep: go to the\tdoor", "go to the door"),
        ("**Step 2:** open it\n", "open it"),
        ("Step: look\nNo.\nStep: wait", "wait"),
        ("Go to\nthe door.", "Go to the door."),
    ],
)
def test_a_step_is_read(text, step):
    assert step_in(text) == step


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Thought: seen.\nResult: done, the door is open", "done, the door is open"),
        ("**Result: Failed** - locked", "Failed - locked"),
        ("Result: nothing", None),
        ("Result: done\nAction: look", None),
        ("Action: look", None),
    ],
)
def test_a_result_is_read(text, result):
    assert result_in(text) == result


def test_turns_are_counted_from_the_beginning_of_their_step():
    plan = [{"after": 0}, {"after": 2}, {"after": 5}]
    view, question = ChatMessageUser(content="seen"), ChatMessageUser(content="asked", metadata={SENT: ONCE})
    reply = ChatMessageAssistant(content="so")
    played = [view, *[reply, view] * 6]
    assert [turns_since_step(plan, n, played[: 2 * n - 1]) for n in range(1, 8)] == [0, 1, 0, 1, 2, 0, 1]
    assert turns_since_step([], 3, played[:5]) == 2
    assert turns_since_step(plan, 5, [view, reply, view, reply, view, reply, question, reply, view]) == 1


def said(**parts):
    return f"So:\n```json\n{json.dumps(parts)}\n```"


def statements(memory):
    return {e["id"]: e["statement"] for entries in memory.plain().values() for e in entries}


def test_entries_are_added_replaced_and_removed():
    memory = Memory()
    assert memory.change(said(hypotheses=[{"statement": "a"}], measurements=[{"statement": "b"}]))
    assert memory.change(
        said(
            hypotheses=[{"id": "H1", "statement": "a, surely", "status": "confirmed", "evidence": "b"}],
            measurements=[{"id": "H1", "statement": "c"}, {"id": "M9", "statement": "d"}],
            remove=["M2", "M7"],
        )
    )
    assert statements(memory) == {"H1": "a, surely", "M3": "c", "M4": "d"}
    assert json.loads(memory.text()) == memory.plain()
    assert memory.plain()["hypotheses"][0]["evidence"] == ["b"]


@pytest.mark.parametrize(
    "answer",
    [
        *("", "nothing new", "{", '{"hypotheses": 3}'),
        said(hypotheses=[{"statement": "a", "status": "maybe"}]),
        pytest.param('{"a":' * 100_000 + "}" * 100_000, id="deep"),
    ],
)
def test_an_answer_that_cannot_be_read_changes_nothing(answer):
    memory = Memory()
    memory.change(said(measurements=[{"statement": "kept"}]))
    assert not memory.change(answer)
    assert not memory.replace(answer, 40, 2000)
    assert statements(memory) == {"M1": "kept"}


def test_a_summary_takes_the_place_of_the_memory_and_keeps_its_ids():
    memory = Memory()
    memory.change(said(hypotheses=[{"statement": "a"}], measurements=[{"statement": "b"}] * 2))
    assert memory.replace(said(hypotheses=[{"id": "H1", "statement": "A"}, {"statement": "new"}]), 40, 2000)
    assert statements(memory) == {"H1": "A", "H4": "new"}


def test_a_summary_beyond_its_limits_loses_the_oldest_measurements_first():
    memory = Memory()
    long = {"hypotheses": [{"statement": "h"}], "measurements": [{"statement": f"m{k}"} for k in range(50)]}
    memory.replace(said(**long), 40, 2000)
    assert (len(memory), *list(statements(memory).values())[:2]) == (40, "h", "m11")
    memory.replace("unreadable", 40, 100)
    assert len(memory.text()) <= 400
    assert statements(memory)["H1"] == "h"
