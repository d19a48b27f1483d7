"""The paper's texts and example from a checkout of its program (LLM-AAI), which is read and never run.

The order of the parts, and the blanks between them, are those of `create_background_prompt` in
`src/definitions/prompts/prompts.py`.
"""

import ast
import base64
import binascii
import re
from collections.abc import Iterator
from pathlib import Path

from arena.errors import ConfigError
from arena.files import read_bytes, read_text
from llm_control.paper.example import Example, ExampleTurn
from llm_control.paper.ingredients import Ingredients, template

PROMPTS = Path("src/definitions/prompts/prompts.py")
OBSERVATIONS = Path("src/definitions/prompts/observations.py")
HISTORIES = "data/tutorial_video/*/*/*/llm_session_history_*.txt"

_PARTS = ("PREAMBLES", "OBSERVATIONS", "GOALS", "COMMANDS", "CHAINS_OF_THOUGHT", "MISC")
_ELEMENT = re.compile(r"<PromptElement\.(Text|Image): \d+>")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def program_ingredients(root: Path) -> Ingredients | None:
    """The texts as the program sends them; None if this is no checkout of it.

    Raises ConfigError, with file:line, where the program is another one than expected.
    """
    if not (root / PROMPTS).is_file():
        return None
    prompts, observations = _Strings(root / PROMPTS), _Strings(root / OBSERVATIONS)
    named = prompts.entry("N_SHOT", "character_prefix")
    return Ingredients(
        background=" ".join(prompts.entry(part, "paper") for part in _PARTS) + "\n",
        send_off=prompts.entry("MISC", "send_off_with_start_of_episode_message"),
        label=observations.named("YIELD_OBS_MESSAGE"),
        health=observations.returned("create_in_session_reward_text"),
        invalid=observations.named("PREVIOUS_RESPONSE_IS_INVALID"),
        intro=prompts.entry("N_SHOT", "one_example"),
        title=prompts.entry("N_SHOT", "example_prefix"),
        user=named.replace("$name", "user"),
        assistant=named.replace("$name", "assistant"),
    )


def program_example(root: Path) -> Example | None:
    """The example of Experiment 2 from the history of its recording; None if there is none."""
    for path in sorted(root.glob(HISTORIES)):
        # It was written on Windows; what is used of it is ASCII.
        lines = read_bytes(path).decode("utf-8", "replace").splitlines()
        return _example([_message(line, f"{path}:{n}") for n, line in enumerate(lines, 1)], str(path))
    return None


class _Strings:
    """The texts of a Python file that are written out in it, as templates."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            body = ast.parse(read_text(path)).body
        except SyntaxError as error:
            raise ConfigError(f"{path}:{error.lineno}: is no Python file") from None
        self._values = {
            target.id: node.value
            for node in body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        self._functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}

    def named(self, name: str) -> str:
        """The text of a name."""
        return self._text(self._values.get(name), name)

    def entry(self, name: str, key: str) -> str:
        """The text of a key of a dictionary; of a function without a name what it returns."""
        node = self._values.get(name)
        pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
        found = (v for k, v in pairs if isinstance(k, ast.Constant) and k.value == key)
        return self._text(next(found, None), f"{name}[{key!r}]")

    def returned(self, name: str) -> str:
        """The text that a function returns, its arguments as variables."""
        function = self._functions.get(name)
        found = (
            (node.value for node in ast.walk(function) if isinstance(node, ast.Return)) if function else ()
        )
        return self._text(next(iter(found), None), f"{name}()")

    def _text(self, node: ast.expr | None, what: str) -> str:
        if isinstance(node, ast.Lambda):
            return self._text(node.body, what)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return template(node.value)
        if isinstance(node, ast.JoinedStr):
            return "".join(self._text(value, what) for value in node.values)
        if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Attribute):
            return node.value.attr  # a member of ScriptCommands, whose text is its name
        if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Name):
            # A format that begins with a blank puts one before a number that is not negative.
            given = self._text(node.format_spec, what) if node.format_spec else ""
            return f"{' ' * given.startswith(' ')}${node.value.id}"
        line = f":{node.lineno}" if node is not None else ""
        raise ConfigError(
            f"{self._path}{line}: {what}: no text found where the paper's program has one; give a checkout "
            "of github.com/Kinds-of-Intelligence-CFI/LLM-AAI"
        )


def _message(line: str, where: str) -> tuple[str, list[tuple[str, str]]]:
    """A message of a history: its role, and its texts and pictures."""
    try:
        message = ast.literal_eval(_ELEMENT.sub(r"'\1'", line))
        return str(message["role"]), [(str(kind), str(value)) for kind, value in message["content"]]
    except (ValueError, SyntaxError, KeyError, TypeError, MemoryError):
        raise ConfigError(f"{where}: no message of a session's history; give a fresh checkout") from None


def _example(messages: list[tuple[str, list[tuple[str, str]]]], source: str) -> Example:
    shown = [_shown(content, source) for role, content in messages if role == "user"]
    scripts = ["".join(text for _, text in content) for role, content in messages if role == "assistant"]
    if not shown or len(scripts) != len(shown):
        raise ConfigError(f"{source}: {len(shown)} views and {len(scripts)} scripts, expected equal numbers")
    (pictures, health), *later = shown
    turns = [ExampleTurn(script, *after) for script, after in zip(scripts, [*later, ((), None)], strict=True)]
    return Example(pictures, health or 0.0, tuple(turns))


def _shown(content: list[tuple[str, str]], source: str) -> tuple[tuple[bytes, ...], float | None]:
    """The pictures of a message, and the health in its last text."""
    try:
        pictures = tuple(base64.b64decode(value, validate=True) for kind, value in content if kind == "Image")
    except binascii.Error as error:
        raise ConfigError(f"{source}: a picture is broken ({error})") from None
    texts: Iterator[str] = (value for kind, value in reversed(content) if kind == "Text")
    number = _NUMBER.search(next(texts, ""))
    return pictures, float(number[0]) if number else None
