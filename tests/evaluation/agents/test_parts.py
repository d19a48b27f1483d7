"""How agents read replies, and the memory of a Hypothesizer."""

import json

import pytest
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

from evaluation.agents.agents import Memory, turns_since_step
from evaluation.agents.replies import read_reply, result_in, step_in
from evaluation.choices.run_choices import RunChoices
from evaluation.generation.memory import ONCE, SENT
from tests.cases import cases

CASES = cases(__file__)

REACT = RunChoices(agent="react")


@pytest.mark.parametrize(("text", "thought", "action"), CASES["replies"])
def test_what_stands_behind_the_label_is_carried_out(text, thought, action):
    assert read_reply(text, REACT) == (thought, action)
    for choices in (RunChoices(), REACT.model_copy(update={"replies": "tools"})):
        assert read_reply(text, choices) == ("", text)


@pytest.mark.parametrize(("read", "text", "found"), CASES["steps"])
def test_steps_and_results_are_read(read, text, found):
    assert {"step": step_in, "result": result_in}[read](text) == found


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
    surely = {"id": "H1", "statement": "a, surely", "status": "confirmed", "evidence": "b"}
    measured = [{"id": "H1", "statement": "c"}, {"id": "M9", "statement": "d"}]
    assert memory.change(said(hypotheses=[surely], measurements=measured, remove=["M2", "M7"]))
    assert statements(memory) == {"H1": "a, surely", "M3": "c", "M4": "d"}
    assert json.loads(memory.text()) == memory.plain()
    assert memory.plain()["hypotheses"][0]["evidence"] == ["b"]


@pytest.mark.parametrize(
    "answer",
    [
        *("", "nothing new", "{", '{"a": 3}', '["M1"]', '{"hypotheses": ['),
        pytest.param('{"a":' * 20_000 + "}" * 20_000, id="deep"),
    ],
)
def test_an_answer_that_cannot_be_read_changes_nothing(answer):
    memory = Memory()
    memory.change(said(measurements=[{"statement": "kept"}]))
    assert not memory.change(answer)
    assert not memory.replace(answer, 40, 2000)
    assert statements(memory) == {"M1": "kept"}


H1 = {"id": "H1", "statement": "old", "status": "confirmed", "evidence": ["seen"]}
M2 = {"id": "M2", "statement": "two"}
ODD = CASES["wrong_entries"]
"""Answers as models give them, what they change of the statements, and how many values are dropped."""


@pytest.mark.parametrize("name", ODD)
def test_an_answer_is_read_entry_by_entry(name):
    answer, changed, dropped = ODD[name]
    memory = Memory()
    memory.change(said(hypotheses=[H1], measurements=[M2]))
    assert memory.change(f"As in {{H1}} before, so:\n{json.dumps(answer)}\nThat is {{all}}.")
    expected = {"H1": "old", "M2": "two", **changed}
    assert statements(memory) == {id_: text for id_, text in expected.items() if text is not None}
    assert memory.dropped == dropped


@pytest.mark.parametrize(("given", "kept", "dropped"), CASES["odd_values"])
def test_an_odd_value_of_a_hypothesis_costs_no_more_than_itself(given, kept, dropped):
    memory = Memory()
    memory.change(said(hypotheses=[H1], measurements=[M2]))
    assert memory.change(said(hypotheses=[{"id": "H1", "statement": "new", **given}]))
    new = {"id": "H1", "statement": "new", "status": "pending", "evidence": []}
    assert memory.plain()["hypotheses"][-1] == new | kept
    assert memory.dropped == dropped


def test_the_last_object_with_entries_counts():
    memory = Memory()
    draft, final = said(measurements=["draft"]), said(measurements=["final"])
    assert memory.change(f"First {draft} but then {final}, with {{}} to follow.")
    assert statements(memory) == {"M1": "final"}
    assert memory.change("{}")


@pytest.mark.parametrize("answer", ["{}", '{"hypotheses": []}', '{"measurements": [3]}'])
def test_a_summary_without_entries_does_not_empty_the_memory(answer):
    memory = Memory()
    memory.change(said(measurements=["kept"]))
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
