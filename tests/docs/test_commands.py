"""Every command and program of the documentation: run as shown, or at least read by what it calls."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from arena.errors import ArenaError
from evaluation.scale.references import agent_names
from evaluation.suites import get_suite
from testbed.originals import NAMES, kept_folder
from tests.command import preloaded_python
from tests.docs.commands import commands_of, every_option, parse
from tests.docs.pages import PAGES, ROOT, blocks_of, codes_of, text_of
from tests.llm_control.provider import answer

Refused = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
"""What Typer raises where it refuses a command; newer versions have a copy of Click of their own."""

RUNNING = [page for page in PAGES if any(b.runs for b in blocks_of(page))]
COPIED = ("arena", "render", "llm_control", "arena_llm", "docs")
LINKED = ("mkdocs.yml", "testbed", "evaluation", "human_data", "people", "report", "examples", "configs")


@pytest.fixture
def folder(tmp_path, request, httpserver, monkeypatch):
    """Where a page's blocks run; for a page that changes the source a copy of it. A server is Ollama's."""
    monkeypatch.setenv("OLLAMA_BASE_URL", httpserver.url_for("/v1"))
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(lambda _: answer("Go(5);"))
    page = request.getfixturevalue("page")
    if re.search(r"^<!-- in a copy of the source tree -->", text_of(page), re.MULTILINE):
        for name in COPIED:
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in LINKED:
            (tmp_path / name).symlink_to(ROOT / name)
        subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    elif page.startswith("tutorials/"):
        (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """A function of a page's folder: a folder with `arena-llm`, `python` and `inspect` of this interpreter.

    Where the page has a source tree of its own, nothing is imported beforehand.
    """
    quick = made_programs(tmp_path_factory.mktemp("quick"), preloaded_python())
    own = made_programs(tmp_path_factory.mktemp("own"), sys.executable)
    return lambda folder: own if (folder / "arena").is_dir() else quick


def made_programs(made: Path, interpreter: Path | str) -> Path:
    for name, module in {"arena-llm": "-m arena_llm", "python": "", "inspect": "-m inspect_ai"}.items():
        (made / name).write_text(f'#!/bin/sh\nexec "{interpreter}" {module} "$@"\n')
        (made / name).chmod(0o755)
    (made / "ollama").symlink_to(shutil.which("true"))
    return made


def surroundings(folder: Path, programs: Callable[[Path], Path]) -> dict[str, str]:
    source = folder if (folder / "arena").is_dir() else ROOT
    return {
        **os.environ,
        "PATH": f"{programs(folder)}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, (str(source), str(folder), os.environ.get("PYTHONPATH")))),
        "COLUMNS": "120",
        "MINARI_DATASETS_PATH": str(folder / "minari"),
    }


def run_page(page, folder, programs, *, slow):
    """Write the files of a page, run its blocks in order, and compare what they print, all or in part."""
    before = ""
    for block in blocks_of(page):
        if block.mark == "slow" and not slow:
            before = None
        elif block.title == "output":
            assert before.strip() == block.text.strip(), f"{block}: prints\n{before}"
        elif block.title == "part of the output":
            missing = [line for line in block.text.splitlines() if line.strip() not in (before or line)]
            assert not missing, f"{block}: {missing} are not in\n{before}"
        elif block.title:
            path = folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.runs:
            before = run_block(block, folder, programs)


def run_block(block, folder, programs):
    words = ["bash", "-euo", "pipefail"] if block.language == "sh" else [str(programs(folder) / "python")]
    script = folder / f".line-{block.line}"
    script.write_text(block.text, encoding="utf-8")
    done = subprocess.run(
        [*words, str(script)],
        cwd=folder,
        env=surroundings(folder, programs),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{block}: status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("page", RUNNING)
def test_the_blocks_of_a_page_run_as_shown(page, folder, programs):
    if "scienceworld" in str(page) and shutil.which("java") is None:
        pytest.skip("Java is not installed: make scienceworld")
    run_page(page, folder, programs, slow=False)


def test_an_object_is_added_in_at_most_two_places():
    (patch,) = [block.text for block in blocks_of("add-object.md") if block.language == "diff"]
    assert len(re.findall(r"^\+\+\+ b/", patch, re.MULTILINE)) <= 2
    assert len(re.findall(r"^\+(?!\+\+)", patch, re.MULTILINE)) <= 2


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", [p for p in RUNNING if any(b.mark == "slow" for b in blocks_of(p))])
def test_the_slow_blocks_run_too(page, folder, programs):
    run_page(page, folder, programs, slow=True)


@pytest.fixture(autouse=True)
def fetched(tmp_path, monkeypatch):
    """The published batteries look as if they had been fetched."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in NAMES:
        kept_folder(name).mkdir(parents=True)


def read(block):
    """Fail where a command of a block is wrong; how many commands there are."""
    commands = list(commands_of(block.text))
    for words in commands:
        try:
            parse(words)
        except (Refused, ArenaError, AssertionError, LookupError) as error:
            pytest.fail(f"{block}: {' '.join(words)}: {error}")
    return len(commands)


@pytest.mark.parametrize("page", PAGES)
def test_commands_that_are_not_run_are_read_and_python_compiles(page):
    for block in blocks_of(page):
        if block.language == "sh" and not (block.runs and block.mark != "slow"):
            read(block)
        if block.language == "python":
            compile(block.text, str(block), "exec")


def test_commands_of_the_front_page_are_read():
    assert sum(read(block) for block in blocks_of("../README.md") if block.language == "sh")


@pytest.mark.parametrize("page", PAGES)
def test_options_and_files_in_running_text_exist(page):
    known = every_option()
    agents = [f"arena/{name}" for name in agent_names(get_suite("arena"))]
    for piece in codes_of(page):
        for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", piece):
            assert option in known, f"{page}: {piece}"
        if re.fullmatch(rf"({'|'.join((*COPIED, *LINKED))})/[\w/.]+", piece):
            assert piece in agents or (ROOT / piece).exists(), f"{page}: {piece}"
