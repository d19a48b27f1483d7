"""Perception probes: balanced, true to the layout, and answered by what sees."""

import math
from collections import Counter

import numpy as np
import pytest

from arena import ConfigError
from llm_control.probes import DISTANCE_BINS, KINDS, kind_row, make_probes, perception, probe, read_answer
from render import Segmenter
from tests.arena.worlds import agent, episode, item


def seen_places(scene):
    """(kind, bearing, distance) of the things in view, from the scene itself."""
    masks = Segmenter(256).masks(scene)
    for index in masks:
        x, _, z = scene.positions[index] - np.array(scene.agent_position)
        bearing = (math.degrees(math.atan2(x, z)) - scene.agent_yaw + 180) % 360 - 180
        yield scene.things[index].kind, bearing, math.hypot(x, z)


def answer_of(kind, places):
    green = [(b, d) for name, b, d in places if name == "GoodGoal"]
    yellow = [(b, d) for name, b, d in places if name == "GoodGoalMulti"]
    if kind == "side":
        return "right" if green[0][0] > 0 else "left"
    if kind == "count":
        return str(len(places))
    if kind == "nearer":
        return "green" if green[0][1] < yellow[0][1] else "yellow"
    return next(name for name, (low, high) in DISTANCE_BINS.items() if low <= green[0][1] <= high)


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_is_what_the_scene_shows(kind):
    for each in make_probes(12, seed=3, kinds=[kind]):
        assert answer_of(kind, list(seen_places(each.scene()))) == each.answer, each


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_balanced_and_follow_from_the_seed(kind):
    answers = KINDS[kind].answers
    probes = make_probes(2 * len(answers), kinds=[kind])
    assert Counter(each.answer for each in probes) == dict.fromkeys(answers, 2)
    assert probes == make_probes(2 * len(answers), kinds=[kind])
    assert probes != make_probes(2 * len(answers), seed=1, kinds=[kind])


@pytest.mark.parametrize(
    ("reply", "kind", "answer"),
    [
        ("left", "side", "left"),
        ("**Right.**", "side", "right"),
        ("left or right", "side", None),
        ("", "side", None),
        ("Answer: 3", "count", "3"),
        ("13", "count", None),
    ],
)
def test_an_answer_is_read(reply, kind, answer):
    assert read_answer(reply, kind) == answer


@pytest.mark.e2e
def test_what_sees_is_right_and_what_guesses_is_not(tmp_path):
    def shares(model, preset):
        rows = probe(model, tmp_path, 10, preset, display="none").rows
        return {row["question"]: row["share"] for row in rows}

    blind = shares("arena/pixels", "blind")
    assert min(shares("arena/pixels", None).values()) >= 0.9
    assert max(blind["side"], shares("arena/random", None)["side"]) < 0.9
    assert blind["count"] == 0.2


def test_choices_that_a_probe_does_not_have_are_refused():
    with pytest.raises(ConfigError, match="a probe has no max_scripts"):
        perception(max_scripts=3)
    with pytest.raises(ConfigError, match="each: got 0"):
        perception(each=0)


def test_the_interval_is_wilsons():
    # By hand: 8 of 10 gives 0.490 to 0.943.
    row = {"question": "side", "right": 8, "of": 10, "share": 0.8, "95 %": "0.49-0.94", "by chance": 0.5}
    assert kind_row("side", 10, 8) == row
    assert kind_row("count", 0, 0)["share"] == 0


def test_what_is_hidden_or_behind_is_in_no_mask():
    scene = episode(
        agent("20 0 10"),
        item("GoodGoal", "24 0 20", sizes="1 1 1"),
        item("Wall", "18 0 15", sizes="4 2 1", rotations="0"),
        item("BadGoal", "18 0 17", sizes="1 1 1"),
        item("WallTransparent", "26 0 14", sizes="4 2 1", rotations="0"),
        item("GoodGoalMulti", "20 0 5", sizes="1 1 1"),
    ).scene()
    shown = {scene.things[index].kind for index in Segmenter(256).masks(scene)}
    assert shown == {"GoodGoal", "Wall", "WallTransparent"}
