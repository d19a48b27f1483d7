"""Outputs of commands: links and devices stay what they are, modes are kept, and all is checked first."""

import json
import os
import stat
import subprocess
import sys
from threading import Thread

import pytest

from tests.arena_llm.commands.test_run import AHEAD
from tests.cases import cases

CASES = cases(__file__)


@pytest.fixture
def episode(tmp_path):
    (tmp_path / "ahead.yaml").write_text(AHEAD)
    (tmp_path / "scripts.txt").write_text("Go(2);\n")
    return ["run", tmp_path / "ahead.yaml", "--scripts", tmp_path / "scripts.txt", "--recording"]


def identity(path):
    found = os.stat(path)
    return found.st_mode, found.st_rdev, found.st_ino


def test_a_device_is_written_into_and_stays(episode, command, tmp_path):
    # By links in a folder of the test, so that a mistake would replace these, not the machine's devices.
    full, null = tmp_path / "full", tmp_path / "null"
    full.symlink_to("/dev/full")
    null.symlink_to("/dev/null")
    before = identity("/dev/full"), identity("/dev/null")
    refused = command(*episode, full)
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert f"{full}: cannot be written (No space left on device)" in refused.stderr
    assert command(*episode, null).returncode == 0
    assert (identity(full), identity(null)) == before
    assert full.is_symlink()
    assert null.is_symlink()
    assert (identity("/dev/full"), identity("/dev/null")) == before
    assert not [path for folder in ("/dev", tmp_path) for path in os.listdir(folder) if ".part" in path]


def test_a_pipe_is_written_into_and_stays(episode, command, tmp_path):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = Thread(target=lambda: got.append(pipe.read_text()), daemon=True)
    reader.start()
    assert command(*episode, pipe).returncode == 0
    reader.join(10)
    assert pipe.is_fifo()
    assert json.loads(got[0])["task_id"] == "ahead"


def test_a_link_is_followed_and_the_mode_kept(episode, command, tmp_path):
    private, link, chain = (tmp_path / name for name in ("private.json", "link.json", "chain.json"))
    private.write_text("before")
    private.chmod(0o600)
    link.symlink_to(private)
    chain.symlink_to("link.json")
    assert command(*episode, chain).returncode == 0
    assert link.is_symlink()
    assert chain.is_symlink()
    assert json.loads(private.read_text())["task_id"] == "ahead"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.glob(".*")) == []


@pytest.mark.parametrize("place", ["/proc/none/file.json", "/dev/null/file.json", "{folder}"])
@pytest.mark.parametrize("option", ["--recording", "--frames"])
def test_an_impossible_output_is_refused_before_the_work(option, place, episode, command, tmp_path):
    if (option, place) == ("--frames", "{folder}"):
        pytest.skip("a folder is what --frames expects")
    assert "cannot be written" in command(*episode[:-1], option, place.format(folder=tmp_path)).sentence


@pytest.mark.parametrize("arguments", CASES["commands"])
def test_every_command_checks_its_output_first(arguments, command, tmp_path):
    (tmp_path / "ahead.yaml").write_text(AHEAD)
    said = command(*arguments.format(folder=tmp_path).split()).sentence
    assert "/proc/none" in said
    assert "cannot be written" in said
    assert "absent" not in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ahead.yaml"]


def test_standard_output_as_a_file_is_added_to(episode, tmp_path):
    printed = tmp_path / "out.txt"
    command = [sys.executable, "-m", "arena_llm", *map(str, episode), "/proc/self/fd/1"]
    with printed.open("w") as out:
        subprocess.run(command, stdout=out, check=True)
    turn, recording = map(json.loads, printed.read_text().splitlines())
    assert (turn["script"], recording["task_id"]) == ("Go(2);", "ahead")
