"""What TRL is given: the suites' own tools, texts and rewards, and no reward for doing nothing."""

import inspect

import numpy as np
import pytest
from inspect_ai.tool import ToolDef
from PIL import Image

from arena.errors import ConfigError
from arena_llm.training import environment, prompts
from evaluation.capabilities import reply_of, tools_of
from evaluation.opened import Opened
from evaluation.scale.references import garbage
from evaluation.suites import get_suite, suite_names
from evaluation.transcript import play, transcript
from tests.suites.setups import each_of

SHORT = {
    "arena": {"levels": "1", "observation": "text", "max_scripts": 3},
    "boxing": {"environments": "dugongs", "experiments": 1, "questions": 2},
    "discoveryworld": {"tasks": "proteomics-easy", "steps": 5},
    "scienceworld": {"tasks": "4-1"},
}
"""Choices that make episodes short."""


def made(suite, **options):
    """An environment of a suite, and a row of its prompts."""
    choices = SHORT.get(suite, {})
    return environment(suite, **options, **choices)(), prompts(suite, size=1, **choices)[0]


def method_names(made_of):
    """What TRL takes for tools."""
    found = [name for name, _ in inspect.getmembers(made_of, predicate=inspect.isfunction)]
    return [name for name in found if name not in ("reset", "get_reward") and name[0] != "_"]


@pytest.mark.parametrize("suite", suite_names())
def test_the_tools_are_those_of_the_suite(suite):
    from transformers.utils import get_json_schema

    more = {"tools": "act,go,turn"} if suite == "arena" else {}
    one, tools = environment(suite, **more)(), tools_of(get_suite(suite))
    assert method_names(type(one)) == (sorted(tools) or ["act"])
    for name in tools:
        schema = get_json_schema(getattr(one, name))["function"]
        known = ToolDef(tools[name]())
        plain = known.parameters.model_dump(mode="json", exclude_none=True)["properties"]
        assert (schema["name"], schema["description"]) == (name, known.description)
        given = schema["parameters"]["properties"]
        assert {n: each["type"] for n, each in given.items()} == {n: p["type"] for n, p in plain.items()}


def test_prompts_have_the_rules_and_the_first_tasks_of_a_split():
    rows = prompts("est", split="test", size=3, machine="ivre")
    assert [row["task_id"] for row in rows] == ["ivre-00001", "ivre-00002", "ivre-00003"]
    rules, first = rows[0]["prompt"]
    assert (rules["role"], first) == ("system", {"role": "user", "content": ""})
    assert "1 to 4" in rules["content"]
    assert "call the tool `experiment`" in rules["content"]
    few = prompts("scienceworld", size=1000, tasks="4-1")
    assert len({*zip(few["task_id"], few["trial"], strict=True)}) == 1000
    assert {*few["trial"]} > {0, 1}


@pytest.mark.parametrize("suite", each_of([*SHORT, "est"]))
def test_who_says_nothing_of_use_gets_the_floor(suite):
    one, row = made(suite)
    rng = np.random.default_rng(0)
    opened = Opened.named(suite, **SHORT.get(suite, {}))
    floor = play(opened.suite, "silent", opened.setup(row["task_id"]).task, opened.choices).score
    for said in (None, "", garbage(rng), "I'm sorry, but I can't help with that."):
        one.reset(**row)
        if said is not None:
            call(one, said)
        assert one.get_reward() == pytest.approx(floor)
        assert one.get_reward() <= 0.1


def call(one, said):
    """Call the first tool with a text as each of its arguments."""
    tool = getattr(one, method_names(type(one))[0])
    return tool(**dict.fromkeys(inspect.signature(tool).parameters, said))


def test_to_stop_early_is_worth_no_more_than_silence_to_the_end():
    one, row = made("est", reward="total_reward")
    one.reset(**row)
    nothing = one.get_reward()
    one.reset(**row)
    for _ in range(10):
        one.experiment([0.5] * 9, [])
    assert nothing == one.get_reward() < -10
    assert "nothing more to do" in one.experiment([0.5] * 9, [])


def test_an_agents_calls_get_its_reward():
    choices = {"machine": "ivre", "replies": "tools"}
    messages, record = transcript(Opened.named("est", **choices).setup("ivre-10001"), "guess")
    one = environment("est", reward="total_reward", **choices)()
    shown = [one.reset("ivre-10001")]
    for message in messages:
        for asked in (message.tool_calls or ()) if message.role == "assistant" else ():
            shown.append(getattr(one, asked.function)(**asked.arguments))
    assert shown == [message.text for message in messages if message.role in ("user", "tool")]
    assert one.get_reward() == record.metrics["total_reward"]
    assert one.record.passed is record.passed is True


def test_a_text_is_a_reply_where_it_is_wanted():
    one = environment("est", replies="text")()
    assert method_names(type(one)) == ["act"]
    one.reset("est-10001")
    one.act(reply_of(get_suite("est"), "experiment", {"belief": [0] * 9, "trial": [1]}))
    assert (one.get_reward(), one.record.turns[0]["trial_given"]) == (0.0, True)


def test_shaping_is_added_by_name_only():
    one = environment("est", shaping=lambda now: 0.5)()
    one.reset("est-10001")
    one.experiment([0.5] * 9, [])
    assert one.get_reward() == 0.5 * 11


def test_pictures_are_parts_of_a_message():
    one = environment("est", observation="both", image_size=64)()
    picture, text = one.reset("est-10001")
    assert isinstance(picture["image"], Image.Image)
    assert (picture["image"].size, text["type"]) == ((64, 64), "text")
    assert one.experiment([0.5] * 9, [1])[0]["type"] == "image"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: environment("est", machine="car"), "machine"),
        (lambda: environment("est")().get_reward(), "reset"),
        (lambda: environment("est")().reset("est-1"), "no task est-1"),
        (lambda: prompts("arena", replies="text", demonstration=True), "demonstration"),
    ],
)
def test_what_is_wrong_is_said(wrong, words):
    with pytest.raises(ConfigError, match=words):
        wrong()
