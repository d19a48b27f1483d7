"""`arena-llm dataset`: files that survive whatever stops it, and a check that finds damage."""

import json
import os
import re
import shutil
import signal
import time
from pathlib import Path

import pytest

from llm_control.prompts import arena_prompts
from llm_control.training_data.example import make_example
from render import decode
from tests.command import run, start

PROMPTS = arena_prompts()


def written(command, folder, *more, size=6, jobs=1):
    return command("dataset", "--out", folder, "--size", size, "--seed", 5, "--jobs", jobs, *more)


def bytes_of(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()
    }


SPEC = ("--size", 6, "--seed", 5, "--format", "sharegpt")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "data"
    assert run("dataset", "--out", folder, *SPEC, "--jobs", 2).returncode == 0
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
    with start("dataset", "--out", folder, *SPEC, "--jobs", 1) as process:
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
    with start("dataset", "--out", folder, "--size=5000", "--jobs=2") as process:
        part = folder / "train.jsonl.part"
        while not (part.exists() and part.stat().st_size):
            assert process.poll() is None
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=240)
    assert process.returncode == 130
    assert re.fullmatch(r"Stopped after \d+ of 5000 examples; the same command continues.\n", errors)
    assert part.read_bytes().endswith(b"\n")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--size", 7), "was started with size 6, got 7"),
        (("--size", 6, "--seed", 6), "was started with seed 5, got 6"),
        (("--size", 6, "--seed", 5, "--format", "openai"), "was started with format"),
    ],
)
def test_other_arguments_are_refused_and_change_nothing(more, words, whole, tmp_path, command):
    folder = tmp_path / "data"
    shutil.copytree(whole, folder)
    defaults = {"--seed": 5, "--format": "sharegpt"} | dict(zip(more[::2], more[1::2], strict=True))
    result = command("dataset", "--out", folder, *(word for pair in defaults.items() for word in pair))
    assert result.returncode == 1
    assert words in result.stderr
    assert bytes_of(folder) == bytes_of(whole)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--size"),
        (("--size", "4", "--format", "yaml"), "expected one of: openai, anthropic, google, sharegpt"),
        (("--size", "4", "--format", "google"), "--image-uri"),
        (("--size", "4", "--image-uri", "gs://b"), "--image-uri"),
        (("--size", "4", "--prompt", "no.md"), "no.md"),
        (("--check",), "expected the folder of a data set"),
    ],
)
def test_wrong_arguments_are_one_sentence(arguments, words, tmp_path, command):
    result = command("dataset", "--out", tmp_path / "data", *arguments)
    assert result.returncode == 1
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_folder_with_other_files_is_refused(tmp_path, command):
    (tmp_path / "notes.txt").write_text("mine")
    assert "has other files in it" in written(command, tmp_path).stderr
    (tmp_path / "file").write_text("")
    assert written(command, tmp_path / "file").returncode == 1


def test_sharegpts_lines_have_one_image_mark_for_each_file(whole):
    for number, text in enumerate((whole / "train.jsonl").read_text().splitlines()):
        plain = json.loads(text)
        assert list(plain) == ["conversations", "system", "images"]
        human, gpt = plain["conversations"]
        assert (human["from"], gpt["from"], human["value"].count("<image>")) == ("human", "gpt", 1)
        assert gpt["value"] == make_example(5, number).reply
        (file,) = plain["images"]
        assert (decode((whole / file).read_bytes()) == make_example(5, number).frame).all()


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
        assert "1 of 6 examples have errors" in result.stderr
        assert result.stdout.count("\n") == 1
