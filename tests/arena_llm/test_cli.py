"""The command as a whole: how it starts, and how it reports mistakes and Ctrl-C."""

import pytest

from tests.arena_llm.commands.test_compare import RESULTS
from tests.cases import cases
from tests.command import KEYS, printed_by

CASES = cases(__file__)


def test_the_command_starts_without_what_only_some_of_its_commands_need():
    heavy = ["inspect_ai", "torch", "numba", "pandas", "matplotlib", "ray", "fastapi", "sqlalchemy", "PIL"]
    program = "import sys, arena_llm.cli; print([name for name in sys.argv[1:] if name in sys.modules])"
    assert printed_by(program, *heavy).strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "words"), CASES["mistakes"], ids=[words for _, words in CASES["mistakes"]]
)
def test_a_mistake_is_one_sentence_and_leaves_nothing(arguments, words, tmp_path, command, monkeypatch):
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    for folder in ("few", "empty"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    files = {
        "scripts.txt": "Go(9);\n",
        "broken.txt": "Go(3);\nStep(3);\n",
        "task.yaml": "arenas:\n  0: !Arena\n    tt: 3\n",
        "results.csv": RESULTS,
        "few/01-01-01.yaml": "arenas: {0: {pass_mark: 1}}",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    places = {path.stem: path for path in tmp_path.iterdir()}
    assert words in command(*(argument.format(**places) for argument in arguments)).sentence
    assert list(places["empty"].iterdir()) == []


@pytest.mark.parametrize("arguments", [["eval"], ["frob"]])
def test_wrong_usage_says_so(arguments, command):
    result = command(*arguments)
    assert result.returncode == 2
    assert "Error" in result.stderr


def test_ctrl_c_after_the_run_is_one_sentence(tmp_path, monkeypatch, command):
    def pressed(*arguments, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr("report.build.write_log_report", pressed)
    short = ("--tasks", "01-01-01", "--max-scripts", 1, "--image-size", 32, "--log-dir", tmp_path)
    said = command("eval", "--model", "arena/random", *short)
    assert (said.returncode, said.stderr) == (130, "arena-llm: stopped\n")
