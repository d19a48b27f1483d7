"""`arena-llm dataset`: examples that are right, files that survive, formats that providers take."""

import base64
import hashlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from pydantic import TypeAdapter

from arena import FORWARD, IDLE, Episode, EventKind
from llm_control.agents.pixels import GREEN, YELLOW, blobs
from llm_control.finetuning import THRESHOLD_M, Format, Kind, as_line, make_example
from llm_control.finetuning.example import View, _fits
from llm_control.finetuning.folder import Plan, write_example
from llm_control.finetuning.formats import exchange
from llm_control.prompts import prompt_set
from llm_control.script import Go, Turn, parse
from render import decode

TURNS = (Kind.LEFT, Kind.RIGHT)
PROMPTS = prompt_set()


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
    assert [_fits(kind, View(17.5, 0.0)) for kind in (Kind.NEAR, Kind.FAR)] == [False, True]
    assert [_fits(kind, View(17.499, 0.0)) for kind in (Kind.NEAR, Kind.FAR)] == [True, False]


def test_there_is_one_ball_that_is_worth_having_and_other_things(examples):
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
    said = exchange(examples[0], PROMPTS)
    assert said.system == PROMPTS.system.fill(scripts=30)
    assert said.user == PROMPTS.first_turn.fill(turn=1, health=examples[0].health, scripts_left=30)
    with Episode(examples[0].spec, task_id=examples[0].task_id, seed=5) as episode:
        for _ in range(49):
            episode.step(IDLE)
        assert episode.health == examples[0].health


def test_an_example_is_the_same_in_another_process_and_depends_on_seed_and_number_only():
    plan = Plan(10, 5, Format.OPENAI, PROMPTS)
    program = (
        "from llm_control.finetuning import Format; from llm_control.prompts import prompt_set\n"
        "from llm_control.finetuning.folder import Plan, write_example\n"
        "w = write_example(6, Plan(999, 5, Format.OPENAI, prompt_set()))\n"
        "import hashlib; print(hashlib.sha256((w.line + w.facts).encode()).hexdigest())"
    )
    again = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.strip()
    here = write_example(6, plan)
    assert hashlib.sha256((here.line + here.facts).encode()).hexdigest() == again
    assert write_example(6, plan._replace(seed=-5)).facts != here.facts
    assert write_example(7, plan).facts != here.facts


def written(command, folder, *more, size=6, jobs=1):
    return command("dataset", "--out", folder, "--size", size, "--seed", 5, "--jobs", jobs, *more)


def bytes_of(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "data"
    program = [
        sys.executable,
        "-m",
        "arena_llm",
        "dataset",
        "--out",
        str(folder),
        "--size",
        "6",
        "--seed",
        "5",
    ]
    subprocess.run([*program, "--jobs", "2", "--format", "sharegpt"], check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("cut", [0, 1, 700, -1, -40])
def test_a_cut_file_is_continued_to_the_same_bytes(cut, whole, tmp_path, command):
    folder = tmp_path / "data"
    shutil.copytree(whole, folder)
    data = (folder / "train.jsonl").read_bytes()
    (folder / "train.jsonl").unlink()
    (folder / "train.jsonl.part").write_bytes(data[:cut])
    result = written(command, folder, "--format", "sharegpt")
    assert (result.returncode, result.stderr) == (0, "")
    assert bytes_of(folder) == bytes_of(whole)


def test_a_finished_data_set_is_left_alone(whole, tmp_path, command):
    folder = tmp_path / "data"
    shutil.copytree(whole, folder)
    result = written(command, folder, "--format", "sharegpt")
    assert result.returncode == 0
    assert "6 of 6 examples are there already" in result.stdout
    assert bytes_of(folder) == bytes_of(whole)


def test_killed_in_the_middle_no_line_is_torn_and_the_rest_follows(whole, tmp_path, command):
    folder = tmp_path / "data"
    program = [
        sys.executable,
        "-m",
        "arena_llm",
        "dataset",
        "--out",
        str(folder),
        "--size",
        "6",
        "--seed",
        "5",
    ]
    with subprocess.Popen(
        [*program, "--jobs", "1", "--format", "sharegpt"], stdout=subprocess.DEVNULL
    ) as process:
        part = folder / "train.jsonl.part"
        while not (part.exists() and part.read_bytes().count(b"\n") >= 2):
            assert process.poll() is None
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    assert not (folder / "train.jsonl").exists()
    assert part.read_bytes().endswith(b"\n")
    assert written(command, folder, "--format", "sharegpt").returncode == 0
    assert bytes_of(folder) == bytes_of(whole)


def test_ctrl_c_says_how_far_it_came(tmp_path):
    folder = tmp_path / "data"
    program = [sys.executable, "-m", "arena_llm", "dataset", "--out", str(folder), "--size=5000", "--jobs=2"]
    with subprocess.Popen(program, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        part = folder / "train.jsonl.part"
        while not (part.exists() and part.stat().st_size):
            assert process.poll() is None
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.fullmatch(r"Stopped after \d+ of 5000 examples; the same command goes on.\n", told)
    assert part.read_bytes().endswith(b"\n")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--size", 7), "was begun with size 6, got 7"),
        (("--size", 6, "--seed", 6), "was begun with seed 5, got 6"),
        (("--size", 6, "--seed", 5, "--format", "openai"), "was begun with format"),
    ],
)
def test_other_arguments_are_refused_and_change_nothing(more, told, whole, tmp_path, command):
    folder = tmp_path / "data"
    shutil.copytree(whole, folder)
    defaults = {"--seed": 5, "--format": "sharegpt"} | dict(zip(more[::2], more[1::2], strict=True))
    result = command("dataset", "--out", folder, *(word for pair in defaults.items() for word in pair))
    assert result.returncode == 1
    assert told in result.stderr
    assert bytes_of(folder) == bytes_of(whole)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "--size"),
        (("--size", "4", "--format", "yaml"), "expected one of: openai, anthropic, google, sharegpt"),
        (("--size", "4", "--format", "google"), "--image-uri"),
        (("--size", "4", "--image-uri", "gs://b"), "--image-uri"),
        (("--size", "4", "--prompt", "no.md"), "no.md"),
        (("--check",), "expected the folder of a data set"),
    ],
)
def test_wrong_arguments_are_one_sentence(arguments, told, tmp_path, command):
    result = command("dataset", "--out", tmp_path / "data", *arguments)
    assert result.returncode == 1
    assert told in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_folder_with_other_files_is_refused(tmp_path, command):
    (tmp_path / "notes.txt").write_text("mine")
    assert "has other files in it" in written(command, tmp_path).stderr
    (tmp_path / "file").write_text("")
    assert written(command, tmp_path / "file").returncode == 1


def line(examples, format, **options):
    return json.loads(as_line(exchange(examples[0], PROMPTS), format, **options))


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


def test_sharegpts_lines_have_one_image_mark_for_each_file(whole, examples):
    for number, text in enumerate((whole / "train.jsonl").read_text().splitlines()):
        plain = json.loads(text)
        assert list(plain) == ["conversations", "system", "images"]
        human, gpt = plain["conversations"]
        assert (human["from"], gpt["from"], human["value"].count("<image>")) == ("human", "gpt", 1)
        assert gpt["value"] == examples[number].reply
        (file,) = plain["images"]
        assert (decode((whole / file).read_bytes()) == examples[number].frame).all()


def test_the_manifest_counts_and_names_what_made_it(whole):
    manifest = json.loads((whole / "manifest.json").read_text())
    assert sum(manifest["counts"]["kinds"].values()) == 6
    assert manifest["arguments"]["prompts_sha256"] == PROMPTS.sha256
    assert {"arena-llm", "bullet", "python", "drawn_by"} <= set(manifest["versions"])
    assert manifest["complete"] is True


def edit(path, number, change):
    lines = path.read_text().splitlines(keepends=True)
    lines[number] = change(lines[number])
    path.write_text("".join(lines))


def other_picture(folder):
    shutil.copy(folder / "images/0000/0000001.png", folder / "images/0000/0000002.png")


def moved_arena(folder):
    def change(text):
        facts = json.loads(text)
        facts["arena"]["items"][1]["positions"][0]["x"] += 0.5
        return json.dumps(facts) + "\n"

    edit(folder / "examples.jsonl", 2, change)


DAMAGE = {
    "another reply": lambda folder: edit(
        folder / "train.jsonl", 2, lambda text: re.sub("The (green|yellow)", r"A \1", text)
    ),
    "another picture": other_picture,
    "no picture": lambda folder: (folder / "images/0000/0000002.png").unlink(),
    "an arena moved": moved_arena,
    "no JSON": lambda folder: edit(folder / "train.jsonl", 2, lambda text: text[:-9] + "\n"),
    "a line too many": lambda folder: edit(folder / "train.jsonl", 5, lambda text: text + text),
    "a line missing": lambda folder: edit(folder / "train.jsonl", 5, lambda text: ""),
    "a wrong reply everywhere": lambda folder: [
        edit(folder / name, 2, lambda text: re.sub(r"(Turn|Go)\(-?", r"\1(1", text))
        for name in ("train.jsonl", "examples.jsonl")
    ],
}


@pytest.mark.parametrize("damage", [None, *DAMAGE])
def test_the_check_finds_each_damage(damage, whole, tmp_path, command):
    folder = tmp_path / "data"
    shutil.copytree(whole, folder)
    if damage:
        DAMAGE[damage](folder)
    result = command("dataset", "--out", folder, "--check", "--jobs", 1)
    assert result.returncode == (1 if damage else 0)
    if damage:
        assert "1 of 6 examples are not" in result.stderr
        assert result.stdout.count("\n") == 1
