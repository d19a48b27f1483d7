"""Commands of the documentation, read by what they call and not run: a wrong name or option raises."""

import re
import shlex
import subprocess
import sys
import tomllib
from functools import cache
from importlib.util import find_spec
from itertools import pairwise

import typer

from arena_llm.cli import app
from benchmarks.results import main as bench_command
from docs._generate.__main__ import reference
from evaluation.suites import get_suite, suite_names
from llm_control.choices import ArenaChoices
from tests.docs.pages import ROOT

COMMAND = typer.main.get_command(app)

_ASSIGNMENT = re.compile(r"[A-Z_]+=.*")
_MAKE_TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
_EXTRAS = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])
_ARGUMENTS_OF_TASK = {*ArenaChoices.model_fields, "protocol", "folder", "prompt", "each"}


def commands_of(script):
    """The words of each command line, without variables before it, or a comment or `> FILE` behind it."""
    for line in script.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        while words and _ASSIGNMENT.fullmatch(words[0]):
            words = words[1:]
        if ">" in words:
            words = words[: words.index(">")]
        if words:
            yield words


def parse(words):
    """Read a command as the program that it calls would; raises where it would refuse it."""
    program, *arguments = words
    if program not in _READERS:
        raise LookupError(f"nothing here reads the program {program!r}; run the block, or add a reader")
    _READERS[program](arguments)


def every_option():
    """Every option of `arena-llm` with any suite, the benchmarks, the generator of pages, `inspect eval`."""
    from inspect_ai._cli.eval import eval_command

    choices = {name for suite in suite_names() for name in get_suite(suite).choices.model_fields}
    return (
        {"--help"}
        | {f"--{no}{name.replace('_', '-')}" for name in choices for no in ("", "no-")}
        | {
            option
            for command in (COMMAND, *map(_command, (bench_command, reference)), eval_command)
            for option in options_of(command)
        }
    )


def _command(function):
    alone = typer.Typer()
    alone.command()(function)
    return typer.main.get_command(alone)


def options_of(command):
    for option in command.params:
        yield from (*option.opts, *option.secondary_opts)
    for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
        yield from options_of(command.get_command(None, name))


def _arena_llm(arguments):
    command, name = COMMAND, "arena-llm"
    while hasattr(command, "commands"):
        name, known = arguments[0], command.list_commands(None)
        assert name in known, f"got the command {name!r}, expected one of {known}"
        # A command has the options of the suite that its arguments name.
        _, command, arguments = command.resolve_command(typer.Context(command), list(arguments))
    command.make_context(name, list(arguments))


def _inspect(arguments):
    assert arguments[0] == "eval"
    _python(["-m", "inspect_ai", *arguments])
    given = [word.partition("=")[0] for flag, word in pairwise(arguments) if flag == "-T"]
    assert set(given) <= _ARGUMENTS_OF_TASK, given


def _python(arguments):
    """`python -m MODULE ...` or `python FILE ...`: every option stands in the help of the command."""
    if arguments[0] != "-m":
        file = ROOT / arguments[0]
        assert file.is_file(), arguments[0]
        for word in arguments[1:]:
            assert not word.startswith("--") or word in _help(str(file)), word
        return
    words = [word for word in arguments[2:] if not word.startswith("-")]
    below = words[:1] if arguments[1] in ("inspect_ai", "benchmarks.boxing") else []
    for word in arguments[2:]:
        assert not word.startswith("--") or word in _help(*arguments[:2], *below), word


@cache
def _help(*words):
    asked = subprocess.run([sys.executable, *words, "--help"], capture_output=True, text=True, check=True)
    return asked.stdout


def _pip(arguments):
    assert arguments[0] == "install"
    for package in arguments[1:]:
        extras = re.fullmatch(r"arena-llm\[([a-z,]+)\]", package)
        assert extras, package
        assert set(extras[1].split(",")) <= _EXTRAS, package


def _ray(arguments):
    """Ray's command: every option stands in its help. Without Ray there is none to ask."""
    if find_spec("ray") is None:
        return
    for word in arguments[1:]:
        option = word.partition("=")[0]
        assert not word.startswith("--") or option in _help("-m", "ray.scripts.scripts", arguments[0]), word


def _make(arguments):
    assert set(arguments) <= _MAKE_TARGETS, arguments


_READERS = {
    "arena-llm": _arena_llm,
    "inspect": _inspect,
    "pip": _pip,
    "python": _python,
    "ray": _ray,
    "make": _make,
    **dict.fromkeys((".", "export", "echo", "vllm", "ollama", "llama-server"), lambda arguments: None),
}
"""Of the shell, and of servers that are not ours, there is nothing to read."""
