"""Pairs of pictures: agreement across drawings, and what agents that do not look get."""

import base64
import json
import math
from contextlib import suppress
from functools import partial
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from arena import ConfigError, EvaluationError, RecordingError
from arena_llm.fidelity.pictures import read_pairs
from evaluation.scale.references import garbage
from evaluation.statistics import bootstrap_interval
from llm_control.offline import OPEN, PLACES, THINGS, locate
from llm_control.probes import UNREADABLE, _agreements, probe, read_open
from llm_control.script import random_script
from render import Renderer, decode, png
from tests.arena.worlds import agent, arena_text, episode, item
from tests.arena_llm.fidelity.recordings import record
from tests.command import newest
from tests.llm_control.provider import MODEL, answer
from tests.llm_control.replies import said

QUESTIONS = (*OPEN, "script")


def random_answer(rng, question):
    if question == "where":
        return json.dumps({thing: str(rng.choice(PLACES)) for thing in THINGS})
    return f"{rng.uniform(-50, 50):.0f}" if question == "bearing" else random_script(rng)


NOTHING = json.dumps(dict.fromkeys(THINGS, "none"))
CONSTANT = {"where": NOTHING, "bearing": "none", "script": "Turn(72);"}


def seeing(rng, question, scene, side, *, slips=0.0, changed=0.0):
    """The same for a scene, but at random in a share of answers, and in a share of redrawn scenes another."""
    other = side == "redrawn" and np.random.default_rng([scene, 1]).random() < changed
    own = np.random.default_rng([scene, 2 + other, QUESTIONS.index(question)])
    return random_answer(rng if rng.random() < slips else own, question)


def refusing_redrawn(rng, question, scene, side):
    return seeing(rng, question, scene, side) if side == "original" else "I cannot help with that."


def findings(pairs, reply):
    """The findings on every measure of an agent that is asked about so many pairs."""
    rng = np.random.default_rng(1)
    samples = []
    for place in product(range(pairs), QUESTIONS, ("original", "redrawn")):
        for epoch in (1, 2):
            output = said(reply(rng, place[1], place[0], place[2]))
            samples.append(SimpleNamespace(metadata={"place": place}, epoch=epoch, error=None, output=output))
    return [row["finding"] for row in _agreements(SimpleNamespace(samples=samples), range(pairs))]


UNREAD = "100% of the answers cannot be read"
BLIND = "no information: the answers do not depend on the picture"


@pytest.mark.parametrize("pairs", [6, 100])
@pytest.mark.parametrize(
    ("reply", "finding"),
    [
        (lambda *_: "", UNREAD),
        (lambda rng, *_: garbage(rng), UNREAD),
        (lambda *_: "I'm sorry, but I can't help with images.", UNREAD),
        (lambda rng, question, *_: CONSTANT[question], BLIND),
        (lambda rng, question, *_: random_answer(np.random.default_rng(5), question), BLIND),
    ],
)
def test_agents_that_do_not_look_get_no_certificate(pairs, reply, finding):
    assert findings(pairs, reply) == [finding] * 4


def test_random_and_half_readable_answers_get_none_either():
    drawn = findings(200, lambda rng, question, *_: random_answer(rng, question))
    assert all(each.startswith("no information: ") for each in drawn)
    half = findings(200, lambda rng, *scene: seeing(rng, *scene) if rng.integers(2) else "I see")
    assert all(each.endswith("of the answers cannot be read") for each in half)


def test_what_sees_the_same_is_found_if_there_are_pairs_enough():
    assert findings(200, seeing) == ["same within 2 points"] * 4
    assert findings(182, seeing) == ["too few pairs to decide: about 183 would"] * 4
    assert findings(2, seeing) == ["too few pairs to decide: about 183 would"] * 4
    needed = [int(each.split()[-2]) for each in findings(200, partial(seeing, slips=0.2))]
    assert min(needed) > 200


@pytest.mark.parametrize("reply", [partial(seeing, changed=0.3), refusing_redrawn])
def test_what_sees_redrawn_pictures_otherwise_differs(reply):
    assert findings(100, reply) == ["differs"] * 4


@pytest.mark.parametrize(
    ("question", "one", "other", "same"),
    [
        ("bearing", "-20", "**-20.0°**", True),
        ("bearing", "none", "None.", True),
        ("bearing", "−20", "-20", True),
        ("bearing", "12", "-12", False),
        ("script", "Think('left'); Go(5);", "Go(5);", True),
        ("script", "Go(5);", "Go(-5);", False),
        ("where", NOTHING, f"```json\n{NOTHING.title()}\n```", True),
        ("where", NOTHING, NOTHING.replace('"none"', "null"), True),
    ],
)
def test_answers_are_read(question, one, other, same):
    assert (read_open(question, one) == read_open(question, other)) is same


def test_the_first_command_is_kind_and_direction():
    one, same, other = (read_open("script", text) for text in ("Turn(6);", "Turn(36); Go(5);", "Turn(-6);"))
    assert one["first command"] == same["first command"] != other["first command"]


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        *(("bearing", text) for text in ("", "left", "nan", "inf", "1000", "about 20", "10 or 20")),
        *(("where", text) for text in ("", "{}", "[]", '{"wall": 5}', '{"a":' * 9_999 + "}")),
        ("where", NOTHING.replace("none", "above")),
        ("where", json.dumps({thing: ["left"] for thing in THINGS})),
        ("script", "I drive on."),
    ],
)
def test_other_texts_are_no_answers(question, reply):
    with suppress(*UNREADABLE):
        assert read_open(question, reply) == {}


def test_the_interval_is_a_bootstraps_and_has_width_where_all_agree():
    missed = 1 - 0.025 ** (1 / 50)
    assert bootstrap_interval(np.zeros(50)) == pytest.approx((-missed, missed))
    values = np.random.default_rng(0).normal(0.1, 0.3, 400)
    half_width = 1.96 * 0.3 / math.sqrt(400)
    assert bootstrap_interval(values) == pytest.approx(
        (values.mean() - half_width, values.mean() + half_width), abs=0.005
    )


def ball(bearing):
    """A scene with a green ball at a bearing."""
    x, z = (6 * f(math.radians(bearing)) for f in (math.sin, math.cos))
    return item("GoodGoal", f"{20 + x:.2f} 0 {10 + z:.2f}", sizes="1 1 1")


@pytest.fixture
def pictures():
    """Pictures of a ball far left, in the middle and so on, each with itself."""
    frames = [
        Renderer(64, 64).frame(episode(agent("20 0 10"), ball(bearing)).scene())
        for bearing in range(-44, 45, 11)
    ]
    return {str(number): (frame, frame) for number, frame in enumerate(frames)}


@pytest.mark.e2e
def test_an_agent_that_looks_agrees_and_is_told_where_pictures_differ(pictures, tmp_path):
    mirrored = {name: (frame, np.fliplr(frame)) for name, (frame, _) in pictures.items()}
    rows = probe("arena/pixels", tmp_path, display="none", pictures=mirrored).rows
    assert [row["with itself"] for row in rows] == [1.0] * 4
    assert [row["finding"] for row in rows[:2]] == ["differs"] * 2
    blind = probe("arena/pixels", tmp_path, protocol="blind", display="none", pictures=pictures)
    assert [row["finding"] for row in blind.rows] == [BLIND] * 4


@pytest.mark.e2e
def test_a_server_is_asked_the_same_about_both_pictures(pictures, tmp_path, bodies_of):
    def reply(bodies):
        picture, text = bodies[-1]["messages"][0]["content"]
        frame = decode(base64.b64decode(picture["image_url"]["url"].partition(",")[2]))
        if text["text"] in OPEN.values():
            return answer(locate(text["text"], frame))
        # What a filter cut off is no answer, though it could be read.
        return answer("Go(5);", finish_reason="content_filter")

    bodies = bodies_of(reply)
    result = probe(MODEL, tmp_path, display="none", pictures={name: pictures[name] for name in "0248"})
    texts = [body["messages"][0]["content"][1]["text"] for body in bodies]
    assert sorted(map(texts.count, set(texts))) == [16, 16, 16]
    assert "64 x 64 pixels" in max(texts, key=len)
    assert [row["original vs redrawn"] for row in result.rows] == [1.0, 1.0, 0.0, 0.0]
    assert [row["finding"] for row in result.rows[2:]] == [UNREAD] * 2
    assert result.failed == 0


@pytest.mark.e2e
def test_the_command_asks_about_stills_and_reports_leave_its_log_out(tmp_path, command):
    for bearing in (-30, 30):
        scene = arena_text(agent("20 0 10"), ball(bearing), t=0)
        (tmp_path / f"{bearing}.yml").write_text(scene)
        (tmp_path / f"{bearing}.png").write_bytes(png(np.zeros((64, 64, 3), np.uint8)))
    logs = ("--log-dir", tmp_path / "logs")
    said_ = command("probe", "--model", "arena/pixels", "--pairs", tmp_path, *logs).succeeded()
    assert "original vs redrawn" in said_
    assert newest(tmp_path / "logs").name in said_
    assert (
        "holds perception probes only" in command("report", tmp_path / "logs", "--out", tmp_path / "r").stderr
    )


def test_a_recording_is_redrawn_picture_by_picture(tmp_path):
    record(tmp_path / "own", margin=20)
    pairs = read_pairs(tmp_path / "own", "4")
    assert list(pairs)[:3] == ["obs-0.0", "obs-0.1", "obs-1.6"]
    assert all(np.array_equal(original, redrawn) for original, redrawn in pairs.values())
    assert {frame.shape for pair in pairs.values() for frame in pair} == {(128, 128, 3)}


def test_mistakes_are_named(pictures, tmp_path, command):
    words = ("probe", "--model", "arena/pixels", "--pairs", tmp_path)
    assert "no pictures NAME.png with arenas NAME.yml" in command(*words).sentence
    assert "both --pairs and --each" in command(*words, "--each", 2).sentence
    (tmp_path / "one.yml").write_text(arena_text(agent(), t=0))
    (tmp_path / "one.png").write_bytes(png(np.zeros((64, 64, 3), np.uint8)))
    with pytest.raises(RecordingError, match="pictures: got 1, expected 2 or more"):
        read_pairs(tmp_path, "4")
    with pytest.raises(EvaluationError, match="arena/oracle"):
        probe("arena/oracle", tmp_path, display="none", pictures=pictures)
    with pytest.raises(ConfigError, match="got shuffled"):
        probe("arena/pixels", tmp_path, protocol="shuffled", display="none", pictures=pictures)


@pytest.mark.e2e
def test_the_originals_pictures_are_seen_alike(unity_stills, tmp_path):
    pairs = read_pairs(unity_stills, "4")
    assert len(pairs) == 33
    some = {name: pairs[name] for name in ("GoodGoal", "GoodGoalMulti", "BadGoal", "Wall")}
    where, bearing, *_ = probe("arena/pixels", tmp_path, display="none", pictures=some).rows
    assert (where["original vs redrawn"], bearing["original vs redrawn"]) == (1.0, 1.0)
    assert bearing["by chance"] < 1
