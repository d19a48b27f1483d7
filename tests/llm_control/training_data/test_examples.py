"""Training examples: balanced, right when they are played, and in formats that providers take."""

import base64
import hashlib
import json
import math
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from pydantic import TypeAdapter

from arena import FORWARD, IDLE, Episode, EventKind
from llm_control.agents.pixels import GREEN, YELLOW, blobs
from llm_control.choices import ArenaChoices
from llm_control.messages import first_parts, opening
from llm_control.observations import View
from llm_control.prompts import arena_prompts
from llm_control.script import Go, Turn, parse
from llm_control.training_data.example import THRESHOLD_M, BallPosition, Kind, fits, make_example
from llm_control.training_data.folder import DatasetSpec, Format, as_line, dialogue, make_row
from render import decode

TURNS = (Kind.LEFT, Kind.RIGHT)
PROMPTS = arena_prompts()


@pytest.fixture(scope="module")
def examples():
    return [make_example(5, index) for index in range(24)]


def bearing_and_distance(episode):
    east, _, north = np.subtract(episode.scene().positions[0], episode.position)
    bearing = math.degrees(math.atan2(east, north)) - episode.yaw
    return (bearing + 180) % 360 - 180, math.hypot(east, north)


def play(example, fewer=0):
    """Play the reply, or all but its last steps, as an evaluation does; the episode and its events."""
    episode = Episode(example.spec, task_id=example.task_id, seed=example.seed)
    for _ in range(49):
        episode.step(IDLE)
    actions = list(parse(example.reply, strict=True).actions())
    events = []
    for action in actions[: len(actions) - fewer]:
        assert not episode.done
        events += episode.step(action).events
    return episode, events


def drive_on(episode):
    """Drive straight on for as long as the ball comes nearer: what happens, and how near it comes."""
    distance, last = math.inf, math.inf
    while distance <= last:
        last = distance
        happened = [event.kind for event in episode.step(FORWARD).events]
        distance = bearing_and_distance(episode)[1]
        if happened:
            return happened, min(last, distance) - episode.scene().sizes[0][0] / 2 - 0.5
    return [], last


def test_every_four_examples_are_one_of_each_kind(examples):
    assert all(set(each.kind for each in examples[k : k + 4]) == set(Kind) for k in range(0, 24, 4))
    orders = {tuple(each.kind for each in examples[k : k + 4]) for k in range(0, 24, 4)}
    assert len(orders) > 1
    assert set(Counter(each.goal for each in examples)) == {"GoodGoal", "GoodGoalMulti"}


def test_the_threshold_parts_near_from_far(examples):
    assert THRESHOLD_M == 17.5
    assert all(each.distance < 17.5 for each in examples if each.kind is Kind.NEAR)
    assert all(each.distance >= 17.5 for each in examples if each.kind is Kind.FAR)
    assert [fits(kind, BallPosition(17.5, 0.0)) for kind in (Kind.NEAR, Kind.FAR)] == [False, True]
    assert [fits(kind, BallPosition(17.499, 0.0)) for kind in (Kind.NEAR, Kind.FAR)] == [True, False]


def test_there_is_one_good_goal_among_other_objects(examples):
    for each in examples:
        names = [item.name for item in each.spec.items]
        assert names[:2] == ["Agent", each.goal]
        assert not {"GoodGoal", "GoodGoalMulti"} & set(names[2:])
        assert len(names) >= 4
    assert len({name for each in examples for name in (item.name for item in each.spec.items)}) > 10


def test_a_drive_to_the_ball_touches_it_with_its_last_step_and_not_before(examples):
    for each in (each for each in examples if each.kind is Kind.NEAR):
        assert [type(c) for c in parse(each.reply).commands[1:]] == [Go]
        episode, events = play(each)
        with episode:
            assert [event.kind for event in events] == [EventKind.GOOD_GOAL]
            assert (episode.done, episode.outcome, episode.passed) == (True, "goal", True)
        episode, events = play(each, fewer=1)
        with episode:
            assert (episode.done, events) == (False, [])


def test_a_drive_towards_a_far_ball_ends_in_its_vicinity(examples):
    for each in (each for each in examples if each.kind is Kind.FAR):
        episode, events = play(each)
        with episode:
            assert (bearing_and_distance(episode)[1] <= 10, events) == (True, [])
            for _ in range(15):
                assert not episode.step(IDLE).events
        episode, _ = play(each)
        with episode:
            assert drive_on(episode)[0] == [EventKind.GOOD_GOAL]
        episode, _ = play(each, fewer=1)
        with episode:
            assert bearing_and_distance(episode)[1] > 10


def test_a_turn_ends_with_the_ball_as_straight_ahead_as_can_be(examples):
    for each in (each for each in examples if each.kind in TURNS):
        (turn,) = (c for c in parse(each.reply).commands if isinstance(c, Turn))
        assert turn.degrees % 6 == 0
        assert (turn.degrees > 0) is (each.kind is Kind.RIGHT)
        episode, events = play(each)
        with episode:
            assert (abs(bearing_and_distance(episode)[0]) <= 3.01, events) == (True, [])
            happened, nearest = drive_on(episode)
            assert happened in ([], [EventKind.GOOD_GOAL])
            assert nearest <= 1.6 + each.distance * math.sin(math.radians(3))


def test_the_picture_shows_the_ball_where_the_reply_has_it(examples):
    """By the colours of the picture alone."""
    for each in examples:
        seen = blobs(each.frame, GREEN if each.goal == "GoodGoal" else YELLOW)
        assert seen
        thought = parse(each.reply).thoughts[0]
        assert ("green" if each.goal == "GoodGoal" else "yellow") in thought
        if each.distance > 4:
            assert abs(seen[0].bearing - each.bearing) < 5
        assert ("left" in thought, "right" in thought) == (each.kind is Kind.LEFT, each.kind is Kind.RIGHT)


def test_the_prompt_is_that_of_an_evaluation(examples):
    said = dialogue(examples[0], PROMPTS)
    (system,) = opening(ArenaChoices(), PROMPTS)
    *_, text = first_parts(ArenaChoices(), PROMPTS, examples[0].health, View((examples[0].frame,), None))
    assert (said.system, said.user) == (system.text, text)
    assert f"Health: {examples[0].health:.1f}" in said.user
    with Episode(examples[0].spec, task_id=examples[0].task_id, seed=5) as episode:
        for _ in range(49):
            episode.step(IDLE)
        assert episode.health == examples[0].health


def test_an_example_is_the_same_in_another_process_and_depends_on_seed_and_number_only():
    spec = DatasetSpec(10, 5, Format.OPENAI, PROMPTS)
    program = (
        "from llm_control.training_data.folder import Format; from llm_control.prompts import arena_prompts\n"
        "from llm_control.training_data.folder import DatasetSpec, make_row\n"
        "row = make_row(6, DatasetSpec(999, 5, Format.OPENAI, arena_prompts()))\n"
        "import hashlib; print(hashlib.sha256((row.line + row.facts).encode()).hexdigest())"
    )
    again = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.strip()
    here = make_row(6, spec)
    assert hashlib.sha256((here.line + here.facts).encode()).hexdigest() == again
    assert make_row(6, spec._replace(seed=-5)).facts != here.facts
    assert make_row(7, spec).facts != here.facts


def line(examples, format, **options):
    return json.loads(as_line(dialogue(examples[0], PROMPTS), format, **options))


def test_openais_lines_are_chat_messages_of_its_own_library(examples):
    from openai.types.chat import (
        ChatCompletionAssistantMessageParam,
        ChatCompletionSystemMessageParam,
        ChatCompletionUserMessageParam,
    )

    plain = line(examples, Format.OPENAI)
    assert list(plain) == ["messages"]
    types = (
        ChatCompletionSystemMessageParam,
        ChatCompletionUserMessageParam,
        ChatCompletionAssistantMessageParam,
    )
    for message, type_ in zip(plain["messages"], types, strict=True):
        TypeAdapter(type_).validate_python(message)
    assert [message["role"] for message in plain["messages"]] == ["system", "user", "assistant"]
    kind, data = plain["messages"][1]["content"][0]["image_url"]["url"].split(",")
    assert kind == "data:image/png;base64"
    assert (decode(base64.b64decode(data)) == examples[0].frame).all()


def test_anthropics_lines_are_a_system_text_and_messages_of_its_own_library(examples):
    from anthropic.types import MessageParam

    plain = line(examples, Format.ANTHROPIC)
    assert list(plain) == ["system", "messages"]
    assert [message["role"] for message in plain["messages"]] == ["user", "assistant"]
    image, text = plain["messages"][0]["content"]
    assert TypeAdapter(MessageParam).validate_python(plain["messages"][1]) == plain["messages"][1]
    assert (image["source"]["type"], image["source"]["media_type"]) == ("base64", "image/png")
    assert (decode(base64.b64decode(image["source"]["data"])) == examples[0].frame).all()
    assert text["type"] == "text"


def test_googles_lines_are_contents_of_its_own_library(examples):
    from google.genai.types import Content

    plain = line(examples, Format.GOOGLE, image_uri="gs://bucket/arena/")
    assert list(plain) == ["systemInstruction", "contents"]
    system = Content.model_validate(plain["systemInstruction"])
    user, model = (Content.model_validate(content) for content in plain["contents"])
    assert (system.role, user.role, model.role) == ("system", "user", "model")
    assert user.parts[0].file_data.file_uri == "gs://bucket/arena/images/0000/0000000.png"
    assert user.parts[0].file_data.mime_type == "image/png"
    assert model.parts[0].text == examples[0].reply
