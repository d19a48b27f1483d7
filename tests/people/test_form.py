"""Questions: which answers are valid, what they mean, and what is said of others."""

from random import Random

import pytest
from pydantic import TypeAdapter

from arena.errors import ConfigError
from evaluation.by_hand.form import Form, Item, Text, plain_number

ANSWERS = (
    ({"type": "choice", "options": ["x", "y"]}, ["x"], ["z", "X", ""]),
    ({"type": "likert", "points": 5}, ["1", "5"], ["0", "6", "1.0", "a", ""]),
    ({"type": "number", "least": 1, "most": 9}, ["1", "2.5", "2,5"], ["0", "10", "x", "nan", "1e999"]),
    ({"type": "number", "least": 3, "most": 4.5, "whole": True}, ["3", "4"], ["2.5", "inf", "1_0", "5"]),
    ({"type": "number", "most": -2.5}, ["-2.5"], ["-2"]),
    ({"type": "number", "least": 0.001, "most": 0.002}, ["0.0015"], ["0"]),
    ({"type": "number"}, ["-3e9"], ["3 m"]),
    (
        {"type": "checkbox", "options": ["x", "y"]},
        ['["x"]', '["y", "x"]'],
        ['["z"]', '["x", "x"]', "x", "[]", '{"x": 1}', "[[" * 2500, "[1]", ""],
    ),
    (
        {"type": "checkbox", "options": ["a", "b", "c"], "expect": ["a", "c"], "required": False},
        [""],
        ["[3]"],
    ),
    (
        {"type": "slider", "least": -1, "most": 1.05, "step": 0.1},
        ["-1", "0.3", "1"],
        ["", "0.05", "1.1", "x"],
    ),
    (
        {"type": "date", "least": "2020-02-01", "most": "2020-02-29"},
        ["2020-02-01", "2020-02-29"],
        ["2020-01-31", "2020-02-30", "20200210", "2020-2-10", "2020-W06-1", "٢٠٢٠-02-10", ""],
    ),
    ({"type": "date", "least": "2030-01-01"}, [], ["2029-12-31"]),
    ({"type": "date", "most": "0001-01-02"}, [], ["0001-01-03"]),
    ({"type": "text", "longest": 3, "required": False}, ["", "abc", "ä\nö"], ["abcd"]),
    ({"type": "text", "expect": "blue"}, ["red"], [""]),
)


def question(keys: dict):
    return TypeAdapter(Item).validate_python({"id": "x", "ask": "?", **keys})


def test_answers_are_validated_and_examples_are_right():
    source = Random(1)
    for keys, good, bad in ANSWERS:
        asked = question(keys)
        assert [asked.problem(answer) for answer in good] == [None] * len(good), keys
        assert all(asked.problem(answer) for answer in bad), keys
        for answer in (asked.example(source) for _ in range(30)):
            assert asked.problem(answer) is None, keys
            assert asked.is_as_expected(answer) in (None, True)


def test_a_wrong_number_is_answered_by_its_limits():
    for limits, said in (
        ({"least": 5, "most": 7}, "from 5 to 7."),
        ({"least": 5}, "that is at least 5."),
        ({"most": 0.5}, "that is at most 0.5."),
    ):
        assert question({"type": "number", **limits}).problem("2") == f"Please enter a number {said}"


def test_numbers_are_stored_in_plain_digits():
    written = {"5,5": "5.5", "1e3": "1000", "007": "7", ".50": "0.5", "+5.": "5", "-2,0": "-2", "٣": "3"}
    written |= {digits: digits for digits in ("0", "100", "12345678901234567890", "1_0", "5 m", "1.000,5")}
    assert {text: plain_number(text) for text in written} == written
    assert len(plain_number("1e-999999999")) < 400


def test_a_form_reads_what_its_answers_mean():
    kinds = ("text", "slider", "choice", "checkbox", "number")
    keys = ({}, {"step": 0.1}, {"options": ["left"]}, {"options": ["cup", "box"], "required": False}, {})
    both = zip(kinds, keys, strict=True)
    form = Form("Say.", tuple(question({"type": kind, **given, "id": kind}) for kind, given in both), str)
    answers = {"text": "ok", "slider": "0.3", "choice": "left", "checkbox": '["box", "cup"]', "number": "2,0"}
    values = {"text": "ok", "slider": 0.3, "choice": "left", "checkbox": (0, 1), "number": 2}
    assert form.read(answers) == values
    assert form.read(answers | {"checkbox": ""}) == values | {"checkbox": ()}
    with pytest.raises(ConfigError, match="Please answer this question"):
        form.read({})
    with pytest.raises(ValueError, match="same id"):
        Form("", (Text(id="a", ask="?"), Text(id="a", ask="?")), str)
