"""No file that a user names harms the machine: every reader bounds depth and size, and waits for nothing."""

import os
import subprocess
import sys

import pytest

from tests.command import printed_by

READERS = """
import resource, sys
from pathlib import Path
from arena.errors import ArenaError
from arena.recording import Recording
from arena.taskfile.load import load
from evaluation.choices.effective import load_preset
from evaluation.generation.prices import load_prices
from evaluation.request import read_plan
from evaluation.prompts import read_prompt_file
from evaluation.prompts import read_layout
from evaluation.results import read_results
from evaluation.submission import read_submission
from evaluation.suites import get_suite
from people.study.plan import load_plan as load_study
from llm_control.demonstration import read_demonstration

resource.setrlimit(resource.RLIMIT_AS, (6_000_000_000, 6_000_000_000))
suite = get_suite("arena")
readers = {
    "task": load,
    "protocol": lambda path: load_preset(suite, str(path)),
    "study": load_study,
    "prices": load_prices,
    "layout": lambda path: read_layout(read_prompt_file(path), str(path)),
    "demonstration": read_demonstration,
    "plan": read_plan,
    "recording": Recording.read,
    "submission": read_submission,
    "results": read_results,
}
for name, read in readers.items():
    for path in map(Path, sys.argv[1:]):
        try:
            read(path)
        except ArenaError as error:
            print(name, path.name, type(error).__name__, str(error).splitlines()[0], sep="|", flush=True)
        else:
            print(name, path.name, "nothing", sep="|", flush=True)
"""
DEEP = {
    "flow.yaml": "arenas: " + "[" * 25_200 + "]" * 25_200,
    "keys.yaml": "{a: " * 25_200 + "}" * 25_200,
    "array.json": "[" * 25_200 + "]" * 25_200,
    "block.yaml": "- " * 25_200 + "a",
    "loop.yaml": "".join(
        f"{key}: &{key[0]} [*{key[0]}]\n" for key in ("max_scripts", "name", "openai/x", "first", "roles")
    ),
    "merges.yaml": "a: &a0 {x: 1}\n"
    + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 12)),
    "tags.yaml": "first: !!int ''\nopenai/x: !unknown {}\n",
}


@pytest.fixture
def bad(tmp_path):
    for name, text in DEEP.items():
        (tmp_path / name).write_text(text)
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    with (tmp_path / "large.yaml").open("wb") as file:
        file.truncate(2_000_000_000)
    return sorted(tmp_path.iterdir())


def test_every_reader_refuses_what_would_crash_hang_or_fill_the_memory(bad):
    found = [line.split("|") for line in printed_by(READERS, *bad).splitlines()]
    assert len(found) == 10 * len(bad)
    assert [line for line in found if "nothing" in line] == []
    said = {(reader, name): message for reader, name, _, message in found}
    assert "flow.yaml:1: expected at most 200000 values and 24 levels" in said["task", "flow.yaml"]
    assert "merge keys (<<) are not supported" in said["prices", "merges.yaml"]
    assert max(map(len, said.values())) < 1000
    for reader in {reader for reader, _ in said}:
        assert "it is a pipe, expected a regular file" in said[reader, "pipe.yaml"]
        assert "it is a device, expected a regular file" in said[reader, "zero.yaml"]
        assert "bytes, the maximum" in said[reader, "large.yaml"]


def test_commands_refuse_a_pipe_as_a_task(bad, tmp_path):
    for arguments in (["testbed", "check"], ["show"]):
        command = [sys.executable, "-m", "arena_llm", *arguments, str(tmp_path / "pipe.yaml")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240)
        assert done.returncode == 1
        assert "it is a pipe" in done.stdout + done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["verify", "x" * 5000], "xxx...: File name too long"),
        (["people", "participants", "--study", "s", "--db", "x" * 5000], "xxx...: File name too long"),
        (["testbed", "verify", "--jobs", "9" * 21], "less than or equal to 1024"),
    ],
)
def test_names_and_numbers_beyond_all_bounds_are_one_sentence(arguments, said, command):
    done = command(*arguments)
    assert done.returncode in (1, 2)
    assert said in " ".join(done.stderr.replace("│", " ").split())
