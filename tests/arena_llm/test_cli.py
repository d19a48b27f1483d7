"""The command as a whole: how it starts, and how it reports mistakes and Ctrl-C."""

import pytest

from tests.arena_llm.commands.test_compare import RESULTS
from tests.command import KEYS, printed_by


def test_the_command_starts_without_what_only_some_of_its_commands_need():
    heavy = ["inspect_ai", "torch", "numba", "pandas", "matplotlib", "ray", "fastapi", "sqlalchemy", "PIL"]
    program = "import sys, arena_llm.cli; print([name for name in sys.argv[1:] if name in sys.modules])"
    assert printed_by(program, *heavy).strip() == "[]"


BAD = [
    (["eval", "--model", "arena/pixels", "--levels", "3-1"], "levels: got '3-1'"),
    (["eval", "--model", "arena/pixels", "--testbed", "{few}", "--levels", "9"], "no tasks of level 9"),
    (["eval", "--model", "gpt-4o", "--levels", "1"], "set OPENAI_API_KEY"),
    (["eval", "--model", "arena/pixels", "--trials", "0"], "option trials: got '0', expected greater than"),
    (["eval", "--show", "--protocol", "blnd"], "did you mean blind?"),
    (["eval", "--model", "arena/pixels", "--protocol", "text-only"], "use arena/random"),
    (["eval", "--model", "arena/random", "--protocol", "paper-experiment-1"], "testbed fetch llm-aai` once"),
    (["eval", "--show", "--protocol", "blind", "--icl"], "vision = blind (preset blind) and demonstration"),
    (["eval", "--show", "--tasks", "xx"], "no task xx"),
    (["eval", "--show", "--testbed", "/nowhere"], "no such folder"),
    (["eval", "--show", "--prompts", "/nowhere"], "no such folder"),
    (["eval", "--show", "--prompt", "/nowhere"], "cannot be read"),
    (["eval", "--model", "frob"], "unknown model 'frob'"),
    (["eval", "--model", "arena/frob"], "unknown agent 'arena/frob': the offline agents are arena/pixels"),
    (["eval", "--model", "arena/held", "--max-scripts", "5"], "max_scripts: has no effect on an agent"),
    (["eval", "--model", "nosuch/model", "--levels", "1", "--log-dir", "{few}"], "nosuch"),
    (["eval", "--model", "arena/random", "--levels", "1", "--log-dir", "/proc/none"], "cannot write there"),
    (["baselines", "children_by_tsk"], "did you mean children_by_task?"),
    (["compare", "{results}", "--with", "kids"], "--with: got 'kids', expected children"),
    (["compare", "{results}", "--animal-ai", "5"], "--animal-ai: got '5'"),
    (["compare", "--run", "gpt-4o"], "--run: got 'gpt-4o', expected one of: arena/pixels"),
    (["compare", "--run", "arena/random", "--testbed", "{few}"], "01-04-03"),
    (["compare", "nowhere.db"], "nowhere.db"),
    (["compare", "/nowhere.csv"], "/nowhere.csv: cannot be read"),
    (["compare", "{results}", "{results}"], "tell them apart with NAME=FILE"),
    (["compare", "{scripts}"], "scripts.txt:1: no column agent"),
    (["report", "{results}"], "arena-llm compare takes tables"),
    (["report", "absent.eval"], "no such log"),
    (["run", "01-01-99", "--scripts", "/nowhere"], "cannot be read"),
    (["run", "absent.yaml", "--scripts", "{scripts}"], "absent.yaml: cannot be read"),
    (["run", "01-01-99", "--scripts", "{scripts}"], "no task '01-01-99'"),
    (["run", "01-01-01", "--scripts", "{scripts}", "--initial", "some"], "--initial: got 'some'"),
    (["run", "01-01-01", "--scripts", "{broken}"], "broken.txt:2: Line 1"),
    (["run", "{task}", "--scripts", "{scripts}"], "task.yaml:3: arenas.0: unknown key 'tt'"),
    (["show", "01-01-99"], "no task '01-01-99'"),
    (["show", "absent.yaml"], "absent.yaml: cannot be read"),
    (["show", "01-01-01", "--out", "x.jpg"], "expected a name in .png"),
    (["show", "01-01-01", "--out", "/proc/none/x.png"], "cannot be written"),
    (["show", "01-01-01", "--size", "20"], "--size: got 20, expected 192 to 1024"),
    (["show", "01-01-01", "--testbed", "/nowhere"], "no task '01-01-01' in /nowhere"),
    (["show", "01-01-01", "--animal-ai", "5"], "--animal-ai: got '5'"),
    (["testbed", "check", "/nowhere"], "no such file or folder"),
    (["testbed", "check", "{empty}"], "no task files"),
    (["testbed", "check", "{few}", "--svg", "{task}"], "is a file, expected a folder to write to"),
    (["testbed", "generate", "--out", "new", "--seed", "0"], "draws the shipped battery"),
    (["testbed", "generate", "--out", "new", "--levels", "15"], "expected levels between 1 and"),
    (["testbed", "verify", "--testbed", "{few}"], "there is nothing to verify"),
    (["verify", "{empty}"], "nothing to verify"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=[words for _, words in BAD])
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
