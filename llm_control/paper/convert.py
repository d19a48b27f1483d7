"""Conversion of the paper's public material to prompts and a demonstration.

Texts and example come from a checkout of its program (LLM-AAI), which is read and never run, or of its
supporting material, as they are printed there.
"""

import ast
import base64
import binascii
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import yaml

from arena.errors import ConfigError
from arena.files import MAX_DATA_BYTES, check_output_folder, read_bytes, read_text, write_file
from evaluation.prompts import Layout, Prompt, PromptSet, check_variables, write_folder
from llm_control.paper import PAPER
from llm_control.prompts import OPTIONAL, VARIABLES

_ALL_PICTURES = "${pictures}"


class Ingredients(NamedTuple):
    """Pieces of the paper's messages, as templates (`$$` for a dollar sign).

    Empty if not found. `background` is all that precedes `send_off`, which ends with the line before the
    first picture; `label` precedes each picture; `health` follows the pictures and has the variable
    `$health`; `invalid` precedes them after a reply that is no script; `intro` and `title` begin the example
    of Experiment 2, and `user` and `assistant` name its speakers. `source` names their origin.
    """

    background: str
    send_off: str
    label: str
    health: str
    invalid: str = ""
    intro: str = ""
    title: str = "Example:\n"
    user: str = "user: "
    assistant: str = "assistant: "
    source: str = ""

    def completed(self, other: "Ingredients | None") -> "Ingredients":
        """Add missing pieces from another source."""
        missing = ("label", "health", "invalid", "intro") if other else ()
        return self._replace(**{name: getattr(self, name) or getattr(other, name) for name in missing})

    def prompts(self) -> PromptSet:
        """Convert to prompts with one user message before the first reply. The paper's program does the same.
        Raises ConfigError if a text has an invalid variable."""
        stale = self.health.replace("$health", "$first_health")
        texts = {
            "system": self.background,
            "first_turn": f"{self.send_off}{_ALL_PICTURES}{stale}",
            # The program reads health only after steps that a reply takes.
            "turn": f"{_ALL_PICTURES}{self.health.replace('$health', '$step_health')}",
            "invalid_script": f"{self.invalid}{_ALL_PICTURES}{self.health}" if self.invalid else "",
            "picture": self.label,
            "demonstration_intro": self.intro,
            "demonstration_title": self.title,
            # The program drops the first text of the example, and with it the label of its first picture.
            "demonstration_first": f"$picture{_ALL_PICTURES}{stale}",
            "demonstration_user": self.user,
            "demonstration_assistant": self.assistant,
            "demonstration_end": "\n",
        }
        layout = Layout(roles="user", demonstration="inside", notes=False, source=self.source)
        known = {**VARIABLES, **OPTIONAL}
        found = {name: Prompt(name, text, known[name]) for name, text in texts.items() if text}
        for name, prompt in found.items():
            check_variables(name, prompt)
        return PromptSet(found, layout)


def template(text: str) -> str:
    """Make a template of a text by doubling dollar signs."""
    return text.replace("$", "$$")


FILE = "demonstration.yaml"
FOLDER = "pictures"


class Shown(NamedTuple):
    """Script of the example, with the pictures and health before it."""

    pictures: tuple[bytes, ...]
    health: float | None
    script: str


def write_example(example: Sequence[Shown], folder: Path) -> Path:
    """Write the example's `demonstration.yaml` and pictures into a folder. Raises EvaluationError."""
    path = folder / FILE
    first, *later = (_view(folder, number, shown) for number, shown in enumerate(example))
    document = {
        "source": PAPER,
        "first": {"pictures": first.get("pictures", []), "health": example[0].health or 0.0},
        "turns": [{"script": shown.script} | view for shown, view in zip(example, [*later, {}], strict=True)],
    }
    write_file(path, yaml.safe_dump(document, sort_keys=False, allow_unicode=True))
    return path


def _view(folder: Path, number: int, shown: Shown) -> dict[str, Any]:
    """Write the view before a script as file entries, empty without pictures."""
    names = [f"{FOLDER}/{number:02d}-{place}.jpg" for place in range(len(shown.pictures))]
    for name, data in zip(names, shown.pictures, strict=True):
        write_file(folder / name, data)
    return {"health": shown.health, "pictures": names} if names else {}


PROMPTS = Path("src/definitions/prompts/prompts.py")
OBSERVATIONS = Path("src/definitions/prompts/observations.py")
HISTORIES = "data/tutorial_video/*/*/*/llm_session_history_*.txt"

_PARTS = ("PREAMBLES", "OBSERVATIONS", "GOALS", "COMMANDS", "CHAINS_OF_THOUGHT", "MISC")
_ELEMENT = re.compile(r"<PromptElement\.(Text|Image): \d+>")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def program_ingredients(root: Path) -> Ingredients | None:
    """Read the program's texts; None if this is no checkout of it.

    The order of the parts, and the blanks between them, are those of its `create_background_prompt`. Raises
    ConfigError, with file:line, for an unexpected program.
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


def program_example(root: Path) -> list[Shown] | None:
    """Read the example of Experiment 2 from its recording, if present."""
    for path in sorted(root.glob(HISTORIES)):
        # It was written on Windows; the used parts are ASCII.
        lines = read_bytes(path).decode("utf-8", "replace").splitlines()
        return _example([_message(line, f"{path}:{n}") for n, line in enumerate(lines, 1)], str(path))
    return None


class _Strings:
    """Literal texts of a Python file, as templates."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            body = ast.parse(read_text(path)).body
        except SyntaxError as error:
            raise ConfigError(f"{path}:{error.lineno}: is not a Python file") from None
        self._values = {
            target.id: node.value
            for node in body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        self._functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}

    def named(self, name: str) -> str:
        """Find a text by name."""
        return self._text(self._values.get(name), name)

    def entry(self, name: str, key: str) -> str:
        """Find a dictionary's text by key; of an unnamed function its result."""
        node = self._values.get(name)
        pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
        found = (v for k, v in pairs if isinstance(k, ast.Constant) and k.value == key)
        return self._text(next(found, None), f"{name}[{key!r}]")

    def returned(self, name: str) -> str:
        """Find the text that a function returns, its arguments as variables."""
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
            # A format that begins with a blank puts one before a non-negative number.
            given = self._text(node.format_spec, what) if node.format_spec else ""
            return f"{' ' * given.startswith(' ')}${node.value.id}"
        line = f":{node.lineno}" if node is not None else ""
        raise ConfigError(
            f"{self._path}{line}: {what}: no text found where the paper's program has one; give a checkout "
            "of github.com/Kinds-of-Intelligence-CFI/LLM-AAI"
        )


def _message(line: str, where: str) -> tuple[str, list[tuple[str, str]]]:
    """Parse a history's message: its role, and its texts and pictures."""
    try:
        message = ast.literal_eval(_ELEMENT.sub(r"'\1'", line))
        return str(message["role"]), [(str(kind), str(value)) for kind, value in message["content"]]
    except (ValueError, SyntaxError, KeyError, TypeError, MemoryError):
        raise ConfigError(f"{where}: no message of a session's history; give a fresh checkout") from None


def _example(messages: list[tuple[str, list[tuple[str, str]]]], source: str) -> list[Shown]:
    shown = [_shown(content, source) for role, content in messages if role == "user"]
    scripts = ["".join(text for _, text in content) for role, content in messages if role == "assistant"]
    if not shown or len(scripts) != len(shown):
        raise ConfigError(f"{source}: {len(shown)} views and {len(scripts)} scripts, expected equal numbers")
    return [Shown(*view, script) for view, script in zip(shown, scripts, strict=True)]


def _shown(content: list[tuple[str, str]], source: str) -> tuple[tuple[bytes, ...], float | None]:
    """Extract a message's pictures, and the health in its last text."""
    try:
        pictures = tuple(base64.b64decode(value, validate=True) for kind, value in content if kind == "Image")
    except binascii.Error as error:
        raise ConfigError(f"{source}: a picture is broken ({error})") from None
    texts: Iterator[str] = (value for kind, value in reversed(content) if kind == "Text")
    number = _NUMBER.search(next(texts, ""))
    return pictures, float(number[0]) if number else None


EXPERIMENT_1 = ("experiment_1/prompt.md", "prompt-experiment1.md")
EXPERIMENT_2 = ("experiment_2/prompt.md", "prompt-experiment2.md")
_FRAME_BY_FRAME_PAGES = ("exploratory_experiments/frame_by_frame/prompt.md",)

HEALTH = (
    *(99.9, 96.9, 96.7, 96.4, 96.1, 95.6, 94.7, 94.1, 93.2, 92.6, 91.7, 91.2, 90.3, 89.7),
    *(88.8, 88.4, 87.5, 87.2, 100.0, 99.1, 99.9, 99.5, 99.3, 98.9, 98.6, 97.7, 97.3, 97.1),
    *(97.0, 96.1, 95.9, 95.8, 95.7, 95.5, 94.3, 94.0, 93.1, 92.6, 91.7, 90.5, 89.6, 89.3),
)
"""Health before each of the example's 42 scripts, which the material omits. From the recording of the example
in LLM-AAI (`data/tutorial_video`)."""

_BEGINS = "You are a PLAYER"
_OFF = "Ready to play?"
_OBSERVED = re.compile(r"Environment observation captured:?")
_HEALTH = re.compile(r"^(ENVIRONMENT:.*?)\d+(?:\.\d+)?(\.?) *$", re.MULTILINE)
_PICTURE = re.compile(r"!\[[^\]]*\]\((?P<path>[^)]+)\)")
_SCRIPT = re.compile(r"(?:assistant: *)?(?P<script>(?:Think|Go|Turn)\(.*)")


def material_example(root: Path) -> list[Shown] | None:
    """Read the example of Experiment 2; None if incomplete. Raises ConfigError."""
    for name in EXPERIMENT_2:
        path = root / name
        found = list(_turns(root, path)) if path.is_file() else []
        # An earlier version of the material shows the first turns only.
        if len(found) == len(HEALTH):
            return [
                Shown(pictures, health, script)
                for (script, pictures), health in zip(found, HEALTH, strict=True)
            ]
    return None


def printed_ingredients(pages: Sequence[str], root: Path) -> Ingredients | None:
    """Read the texts of the first available page, if any. Raises ConfigError."""
    path = next((root / name for name in pages if (root / name).is_file()), None)
    if path is None:
        return None
    # Only Markdown needs the escapes, and the blanks at the ends of lines.
    text = _page(path).replace("\\'", "'").replace("\\n\n", "\n")
    text = "\n".join(line.rstrip() for line in text.splitlines())
    begin, off = text.find(_BEGINS), text.rfind(_OFF)
    observed = _OBSERVED.search(text, off)
    if begin < 0 or off < begin or observed is None:
        raise ConfigError(
            f"{path}: expected a text from {_BEGINS!r} to {_OFF!r} and the first observation; give a "
            "checkout of github.com/tpYu0/llm-aai-supporting-materials"
        )
    return Ingredients(
        background=template(text[begin:off].rstrip()) + "\n",
        send_off=template(text[off : observed.start()].rstrip()) + "\n",
        label=observed[0].rstrip(":") + ":",
        health=_health_line(root),
    )


def _page(path: Path) -> str:
    return read_text(path).replace("\r\n", "\n")


def _health_line(root: Path) -> str:
    """Find the line with the health on any page; empty if absent."""
    for name in (*_FRAME_BY_FRAME_PAGES, *EXPERIMENT_2):
        found = _HEALTH.search(_page(root / name)) if (root / name).is_file() else None
        if found:
            return f"{template(found[1])}$health{found[2]}"
    return ""


def _turns(root: Path, path: Path) -> Iterator[tuple[str, tuple[bytes, ...]]]:
    """Yield each script of a page with the pictures before it."""
    pictures: list[bytes] = []
    for number, line in enumerate(_page(path).splitlines(), start=1):
        if (shown := _PICTURE.search(line)) is not None:
            pictures.append(_read_picture(root, path, shown["path"], number))
        elif (said := _SCRIPT.fullmatch(line.strip())) is not None:
            yield said["script"], tuple(pictures)
            pictures = []


def _read_picture(root: Path, page: Path, name: str, line: int) -> bytes:
    """Read a page's picture, which may be in an older page's folder."""
    places = [root / name, page.parent / name]
    places += [folder / Path(name).name for folder in sorted(root.glob("*experiment*2*images"))]
    places += sorted(root.glob(f"experiment_2/*/{Path(name).name}"))
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise ConfigError(f"{page}:{line}: picture {name}: no such file; give a whole checkout")
    return read_bytes(found, MAX_DATA_BYTES)


SENT = f"{PAPER}, as its program sends them"
PRINTED = f"{PAPER}, as its supporting material prints them"

EXPERIMENTS, FRAME_BY_FRAME = "experiments", "frame-by-frame"

Found = TypeVar("Found")


class Converted(NamedTuple):
    """Written files: prompt folders, any demonstration, and missing parts."""

    folders: tuple[Path, ...]
    demonstration: Path | None
    notes: tuple[str, ...]


def convert(sources: Sequence[Path], out: Path) -> Converted:
    """Write the paper's texts to a new folder.

    The sources are checkouts of its program and of its supporting material; the program's texts, which were
    sent, take precedence. Raises ConfigError if neither is among the sources, and for what cannot be read or
    written.
    """
    for source in sources:
        if not source.is_dir():
            raise ConfigError(f"{source}: no such folder; give a checkout of the paper's public material")
    program = _first(program_ingredients, sources)
    printed = _first(partial(printed_ingredients, EXPERIMENT_1), sources)
    moves = _first(partial(printed_ingredients, _FRAME_BY_FRAME_PAGES), sources)
    whole = program._replace(source=SENT) if program else printed and printed._replace(source=PRINTED)
    if whole is None and moves is None:
        raise ConfigError(
            f"{', '.join(map(str, sources))}: found neither src/definitions/prompts/prompts.py of LLM-AAI "
            "nor experiment_1/prompt.md of llm-aai-supporting-materials; give the top folder of a checkout"
        )
    return _written(whole, moves and moves._replace(source=PRINTED).completed(program), sources, out)


def _written(
    whole: Ingredients | None, moves: Ingredients | None, sources: Sequence[Path], out: Path
) -> Converted:
    check_output_folder(out)
    notes: list[str] = []
    folders = []
    for name, found in ((EXPERIMENTS, whole), (FRAME_BY_FRAME, moves)):
        if found is None:
            notes.append(f"{name}: its texts are not in this material")
            continue
        if not found.health:
            raise ConfigError(f"{name}: the material has no line with the health; give LLM-AAI too")
        write_folder(found.prompts(), out / name)
        folders.append(out / name)
        if not found.invalid:
            notes.append(f"{name}: what follows a wrong reply is arena-llm's own; LLM-AAI has the paper's")
    example = whole and (_first(program_example, sources) or _first(material_example, sources))
    if whole and not example:
        notes.append("demonstration: the example is not in this material")
    if example and whole and not whole.intro:
        notes.append("demonstration: the sentence before it is arena-llm's own; LLM-AAI has the paper's")
    written = write_example(example, out / EXPERIMENTS) if example else None
    return Converted(tuple(folders), written, tuple(notes))


def _first(read: Callable[[Path], Found | None], sources: Sequence[Path]) -> Found | None:
    """Read from the first suitable source."""
    return next((found for source in sources if (found := read(source)) is not None), None)
