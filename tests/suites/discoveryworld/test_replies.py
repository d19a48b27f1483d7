"""Actions of replies, and names of objects, without the package."""

import random

import pytest

from suites.discoveryworld.judge import verdict
from suites.discoveryworld.names import Names
from suites.discoveryworld.replies import read_reply
from tests.cases import cases

CASES = cases(__file__)


@pytest.mark.parametrize(("reply", "action"), CASES["replies"])
def test_the_last_action_of_a_reply(reply, action):
    assert (str(read_reply(reply)), read_reply(reply).problem) == (action, "")


def test_thoughts_are_what_is_left():
    assert read_reply("It is odd.\nVery odd.\ntake(flag)").thoughts == "It is odd.\nVery odd."
    read = read_reply('So:\n```json\n{"action": "EAT", "arg1": 1, "thought": "hungry"}\n```')
    assert read.thoughts == "So:\nthought: hungry"


@pytest.mark.parametrize(
    "reply", ["", "nothing", "{", '{"action": ["x"]}', "fly(me)", "{" * 5000, "((((", "[1]"]
)
def test_a_reply_without_an_action_has_a_problem(reply):
    read = read_reply(reply)
    assert read.action is None
    assert read.problem


def test_names_are_numbered_and_ids_are_the_episodes_own():
    on_table = {"uuid": 7, "name": "Flag", "description": "Flag (on table [uuid: 9])"}
    seen = {"a": [on_table, {"uuid": 9, "name": "table"}]}
    names, others = Names(random.Random(1)), Names(random.Random(2))
    shown = names.translated(seen)["a"]
    flag, table = (each["uuid"] for each in shown)
    assert f"[uuid: {table}]" in shown[0]["description"]
    assert names.label(flag) == "Flag"
    assert (names.called("the flag"), names.called(str(flag)), names.called("7")) == ([flag], [flag], [])
    assert names.theirs(flag) == 7
    assert others.translated(seen)["a"][0]["uuid"] != flag
    (second,) = names.translated([{"uuid": 8, "name": "flag"}])
    assert (names.label(flag), names.label(second["uuid"])) == ("Flag#1", "flag#2")
    meant = {"flag": [flag, second["uuid"]], "flag#2": [second["uuid"]], "flag#0": []}
    assert {name: names.called(name) for name in meant} == meant
    assert names.translated(seen)["a"][0]["uuid"] == flag


@pytest.mark.parametrize(
    ("said", "yes"), [("It says so.\nyes", True), ("**No.**", False), ("Yes it may be", None), ("", None)]
)
def test_the_verdict_of_a_judge(said, yes):
    assert verdict(said) is yes
