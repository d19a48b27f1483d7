"""How many earlier turns an agent with a memory is sent in each suite, and in which words."""

import pytest

from evaluation.estimate import estimate
from tests.evaluation.agents.scripted import content
from tests.evaluation.verify.logs import checked
from tests.suites.discoveryworld.worlds import needs_package
from tests.suites.scienceworld.simulation import needs_java

LONG = {
    "arena": ({"max_scripts": 45, "tasks": "01-04-03"}, ("Turn(6);",), 40, ()),
    "est": ({"tasks": "est-00001"}, (), 9, ("The machine is",)),
    "boxing": ({"experiments": 45, "novice": False}, ("<observe>2</observe>",), 40, ("A dugong of age 2",)),
    "scienceworld": ({}, ("wait1", "fly"), 40, ("You decide to wait", "No known action")),
    "discoveryworld": ({"steps": 45}, ("turn(east)", "hop()"), 40, ("I rotated", "hop")),
}
"""Of each suite the choices, the actions, the number of turns that are sent, and words of their lines."""

MARKS = {"scienceworld": needs_java, "discoveryworld": needs_package, "boxing": pytest.mark.slow}


@pytest.mark.parametrize("suite", [pytest.param(each, marks=MARKS.get(each, ())) for each in LONG])
def test_earlier_turns_have_a_line_instead_of_their_observation(suite, play):
    choices, actions, turns, words = LONG[suite]
    model, request, run = play(suite, agent="react", **choices)
    model.actions = actions or model.actions
    log = run()
    _, *earlier, now = [m for kind, m in model.requests if kind == "act"][-1]
    replies = [message for message in earlier if message["role"] == "assistant"]
    told = [content(message) for message in earlier if message["role"] == "user"]
    assert len(replies) == turns
    assert sum(map(len, told + [content(m) for m in replies])) < 11_000
    lines = told[-4:]
    if words:
        assert all(any(word in line for word in words) for line in lines), lines
        assert max(map(len, lines)) < min(400, len(content(now)))
    assert [(each.verdict.name, each.findings) for each in checked(log.path)] == [("AGREES", ())]
    assert len(model.requests) <= estimate(request).calls


@needs_package
def test_pictures_of_earlier_turns_are_not_sent(play):
    model, request, run = play("discoveryworld", agent="react", observation="both", steps=4, memory_turns=2)
    run()
    pictures = [str(messages).count("data:image/png") for _, messages in model.requests]
    # The first observation has no line.
    assert pictures == [1, 2, 2, 1]
    assert estimate(request).images == sum(pictures)
