"""`arena-llm dataset`: transcripts of every suite, and files that survive whatever stops it."""

import base64
import json
import re
import shutil

import pytest

from evaluation.opened import Opened
from evaluation.transcript import transcript
from render import decode
from tests.cases import cases
from tests.command import interrupted, run, start

CASES = cases(__file__)

EST = ("--suite", "est", "--agent", "naive", "--machine", "ivre", "--seed", 5)
SEEN = ("--replies", "tools", "--observation", "both", "--image-size", 64, "--format", "sharegpt")


def bytes_of(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def lines_of(folder, name="train.jsonl"):
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "data"
    assert run("dataset", *EST, *SEEN, "--size", 6, "--out", folder, "--jobs", 2).returncode == 0
    return folder


@pytest.mark.parametrize("cut", [0, 1, 700, -1, -40])
def test_a_cut_file_is_continued_to_the_same_bytes(cut, whole, tmp_path, command):
    folder = tmp_path / "data"
    shutil.copytree(whole, folder)
    (folder / "train.jsonl").write_bytes((folder / "train.jsonl").read_bytes()[:cut])
    command("dataset", *EST, *SEEN, "--size", 6, "--out", folder, "--jobs", 1).succeeded()
    assert bytes_of(folder) == bytes_of(whole)


def test_ctrl_c_keeps_what_is_there_and_says_how_far_it_came(tmp_path):
    folder, lines = tmp_path / "data", tmp_path / "data" / "train.jsonl"
    process = start("dataset", *EST, "--size", 50000, "--out", folder, "--jobs", 2)
    errors = interrupted(process, lambda: lines.exists() and lines.stat().st_size)
    assert re.fullmatch(r"Stopped after \d+ of 50000 episodes; the same command continues.\n", errors)
    assert lines.read_bytes().endswith(b"\n")
    assert "complete" not in json.loads((folder / "manifest.json").read_text())


@pytest.mark.parametrize(("more", "words"), CASES["other"])
def test_other_arguments_are_refused_and_change_nothing(more, words, whole, tmp_path, command):
    folder = tmp_path / "data"
    shutil.copytree(whole, folder)
    refused = command("dataset", *EST, *SEEN, "--size", 6, "--out", folder, *more)
    assert refused.returncode == 1
    assert words in refused.stderr
    assert bytes_of(folder) == bytes_of(whole)


@pytest.mark.parametrize(("more", "words"), CASES["mistakes"])
def test_wrong_arguments_are_one_sentence(more, words, tmp_path, command):
    assert words in command("dataset", *EST, "--size", 4, "--out", tmp_path / "data", *more).sentence


def test_the_test_split_is_warned_about(tmp_path, command):
    result = command("dataset", *EST, "--size", 2, "--out", tmp_path / "data", "--split=test", "--jobs=1")
    assert result.stderr.startswith("Warning: evaluations play the test split")
    found = [each["task_id"] for each in lines_of(tmp_path / "data", "episodes.jsonl")]
    assert found == ["ivre-00001", "ivre-00002"]


def test_sharegpts_turns_take_turns_and_have_their_pictures(whole):
    for line, facts in zip(lines_of(whole), lines_of(whole, "episodes.jsonl"), strict=True):
        speakers = [turn["from"] for turn in line["conversations"]]
        assert speakers == ["human", *["function_call", "observation"] * 10][: len(speakers)]
        assert len(line["images"]) == facts["turns"] == len(speakers) // 2
        assert sum(turn["value"].count("<image>") for turn in line["conversations"]) == facts["turns"]
        assert all(decode((whole / name).read_bytes()).shape == (64, 64, 3) for name in line["images"])
        assert [tool["name"] for tool in json.loads(line["tools"])] == ["experiment"]


REPLIES = {
    "openai": lambda line: [m["content"] for m in line["messages"] if m["role"] == "assistant"],
    "anthropic": lambda line: [m["content"][0]["text"] for m in line["messages"] if m["role"] == "assistant"],
    "google": lambda line: [m["parts"][0]["text"] for m in line["contents"] if m["role"] == "model"],
    "sharegpt": lambda line: [t["value"] for t in line["conversations"] if t["from"] == "gpt"],
}


@pytest.mark.parametrize("format", REPLIES)
def test_a_line_has_what_the_agent_saw_and_said(format, tmp_path, command):
    uri = ("--image-uri", "gs://b/") if format == "google" else ()
    folder = tmp_path / "data"
    made = ("--agent", "oracle", "--levels", "1", "--image-size", 64, "--size", 1, "--jobs", 1)
    assert command("dataset", *made, "--out", folder, "--format", format, *uri).returncode == 0
    (line,), (facts,) = lines_of(folder), lines_of(folder, "episodes.jsonl")
    setup = Opened.named("arena", levels="1", image_size=64).setup(facts["task_id"])
    messages, record = transcript(setup, "oracle")
    assert REPLIES[format](line) == [turn["reply"] for turn in record.turns]
    first = [part.image.partition(",")[2] for part in messages[1].content if part.type == "image"]
    files = sorted((folder / "images/0000").iterdir()) if format in ("google", "sharegpt") else ()
    inside = [base64.b64encode(file.read_bytes()).decode() for file in files]
    inside = inside or re.findall(r"iVBOR[\w+/=]+", json.dumps(line))
    assert inside[: len(first)] == first
    names = [f"images/0000/0000000-{k}.png" for k in range(len(files))]
    assert all(name in json.dumps(line) for name in names)
