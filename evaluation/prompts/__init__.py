"""Prompt texts: Markdown files with `$name` variables, and their message layout. Strict both ways: a variable
that a text may not use, and a value too few or too many, are errors."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, Literal, NamedTuple

import yaml
from pydantic import BaseModel, Field, ValidationError

from arena.errors import ConfigError
from arena.files import check_output_folder, read_bytes, write_file
from arena.packages import data_of
from arena.taskfile.nodes import read_keys
from evaluation.choices.run_choices import RunChoices

FILE = "layout.yaml"


class Layout(BaseModel, frozen=True, extra="forbid", strict=True):
    """Layout of texts in messages. The defaults are those without a prompts folder."""

    roles: Literal["system", "user"] = Field(
        default="system",
        description="roles of the first messages; user: one user message, including the system text",
    )
    demonstration: Literal["messages", "inside"] = Field(
        default="messages", description="form of a demonstration; inside: labelled turns in one user message"
    )
    notes: bool = Field(default=True, description="true if notes on the run's choices follow the system text")
    source: str = Field(default="", description="source of the texts, for reports")

    def text(self) -> str:
        """Format as `layout.yaml`; empty for the defaults."""
        changed = self.model_dump(exclude_defaults=True)
        return yaml.safe_dump(changed, sort_keys=False) if changed else ""


def read_layout(text: str, source: str) -> Layout:
    """Read a layout file's text. Raises ConfigError, with file:line, for wrong entries."""
    values, lines = read_keys(source, text, tuple(Layout.model_fields), "roles: user")
    try:
        return Layout(**values)
    except ValidationError as error:
        problem = error.errors()[0]
        key = str(problem["loc"][0])
        expected = problem["msg"].removeprefix("Input should be ")
        raise ConfigError(
            f"{source}:{lines[key]}: {key}: got {problem['input']!r}, expected {expected}"
        ) from None


Variables = Mapping[str, tuple[str, ...]]
"""Variables by text name, optionally with a format (`health:.1f`)."""


def variables_of(package: str, file: str = "variables.yaml") -> Variables:
    """Read the variables of a package's texts from a file in it."""
    return {name: tuple(variables) for name, variables in data_of(package, file).items()}


RUNNER: Variables = {"episode_next": ("number", "count"), "episode_last": (), "no_call": ()}
"""Texts of the runner itself, in this package; every suite has them. `number`, `count`: of the episode in its
conversation."""


class PromptFiles(NamedTuple):
    """User's texts: a file that replaces the system prompt, and a folder."""

    system: Path | None = None
    folder: Path | None = None


NO_FILES = PromptFiles()
"""Absence of the user's own texts."""


class Prompt(NamedTuple):
    """Text before its variables are filled in; `variables` as in `Variables`."""

    name: str
    text: str
    variables: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its variables."""
        return tuple(each.partition(":")[0] for each in self.variables)

    @property
    def sha256(self) -> str:
        """SHA-256 of the text in UTF-8, in hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def fill(self, **values: object) -> str:
        """Replace every `$name`; `$$` becomes `$`. Takes a value for each variable, whether the text uses it
        or not. Raises ConfigError for a missing and for an unknown one."""
        missing = [name for name in self.names if name not in values]
        unknown = [name for name in values if name not in self.names]
        if missing or unknown:
            raise ConfigError(
                f"prompt {self.name!r} is filled with {_listed(self.names)}; "
                f"missing: {_listed(missing)}; unknown: {_listed(unknown)}"
            )
        formats = dict(each.partition(":")[::2] for each in self.variables)
        return Template(self.text).substitute({name: format(v, formats[name]) for name, v in values.items()})


@dataclass(frozen=True)
class PromptSet:
    """All texts of a run, by name, with their layout."""

    prompts: Mapping[str, Prompt]
    layout: Layout = field(default_factory=Layout)

    def __getitem__(self, name: str) -> Prompt:
        """Return a text by its name."""
        return self.prompts[name]

    def texts(self) -> dict[str, str]:
        """Plain texts by name for the log, including a changed layout."""
        texts = {name: prompt.text for name, prompt in self.prompts.items()}
        layout = self.layout.text()
        return texts | ({FILE: layout} if layout else {})

    def with_texts(self, texts: Mapping[str, str]) -> "PromptSet":
        """Replace texts by those of a log; unknown names are ignored."""
        return PromptSet(
            {
                name: prompt._replace(text=texts.get(name, prompt.text))
                for name, prompt in self.prompts.items()
            },
            read_layout(texts[FILE], FILE) if FILE in texts else Layout(),
        )

    @property
    def sha256(self) -> str:
        """SHA-256 of all names and texts, in hexadecimal."""
        lines = "".join(f"{name} {prompt.sha256}\n" for name, prompt in self.prompts.items())
        lines += self.layout.text()
        return hashlib.sha256(lines.encode()).hexdigest()


def without_gaps(text: str) -> str:
    """Remove empty lines that empty variables leave."""
    return re.sub(r"\n\s*\n", "\n\n", text).strip()


def runner_prompts() -> PromptSet:
    """Load the runner's own texts, and an empty system prompt."""
    own = {name: load_prompt(__package__, name, RUNNER) for name in RUNNER}
    return PromptSet({"system": Prompt("system", ""), **own})


def inline_prompts(texts: Mapping[str, str]) -> PromptSet:
    """Combine the runner's texts with a single-file suite's, and their variables."""
    own = {name: Prompt(name, text, _variables(text)) for name, text in texts.items()}
    return PromptSet({**runner_prompts().prompts, **own})


def _variables(text: str) -> tuple[str, ...]:
    found = (match["named"] or match["braced"] for match in Template.pattern.finditer(text))
    return tuple(dict.fromkeys(name for name in found if name))


def suite_prompts(package: str, variables: Variables, optional: Variables) -> PromptSet:
    """Combine the runner's texts with a suite package's. The `optional` ones are empty."""
    shipped = {name: load_prompt(package, name, variables) for name in variables}
    empty = {name: Prompt(name, "", names) for name, names in optional.items()}
    return PromptSet({**runner_prompts().prompts, **shipped, **empty})


def load_prompt(package: str, name: str, variables: Variables) -> Prompt:
    """Load a text of a package, stripped at both ends. Raises ConfigError."""
    text = files(package).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
    prompt = Prompt(name, text, variables[name])
    check_variables(f"{name}.md", prompt)
    return prompt


def read_prompt_file(path: Path) -> str:
    """Read a user's file with all its white space. Raises ConfigError."""
    try:
        return read_bytes(path).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError(f"prompt file {path}: cannot be read ({reason}); give a text file") from None
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"prompt file {path}: not UTF-8 text (byte {error.start} is {error.object[error.start]:#04x}); "
            "save it as UTF-8"
        ) from None
    except ValueError as error:  # a path that no file can have, such as one with a null character
        raise ConfigError(f"prompt file {str(path)!r}: no possible path ({error})") from None


def check_variables(source: str, prompt: Prompt) -> None:
    """Raise ConfigError, with the line, for a `$` without a known variable."""
    allowed = prompt.names
    for match in Template.pattern.finditer(prompt.text):
        name = match["named"] or match["braced"]
        if match["escaped"] is None and name not in allowed:
            line = prompt.text.count("\n", 0, match.start()) + 1
            got = f"unknown variable ${name}" if name else "a $ without a variable"
            raise ConfigError(
                f"prompt {source}: line {line}: {got}; expected {_listed('$' + each for each in allowed)}; "
                "a plain dollar sign is written $$"
            )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def with_files(prompts: PromptSet, files: PromptFiles, choices: Any = None) -> PromptSet:
    """Replace texts by the user's; a system prompt overrides the folder's.

    `choices` are those of the run, if it is known; a run with an agent needs its texts too. Raises
    ConfigError as `with_folder` does, for a layout that the choices exclude, and for a file that is
    unreadable, not UTF-8, empty, or has a `$` that is not followed by a variable of the system prompt.
    """
    if choices is not None:
        prompts = with_agent_texts(prompts, choices)
    found = with_folder(prompts, files.folder) if files.folder is not None else prompts
    forgets = choices is not None and (choices.memory or (choices.agent != "direct" and choices.agent))
    if forgets and found.layout.roles == "user":
        raise ConfigError(
            f"{forgets} and the layout of {files.folder} (roles: user): "
            "impossible together, because the system text would be forgotten with the first message"
        )
    if files.system is None:
        return found
    system = prompts["system"]._replace(text=read_prompt_file(files.system).strip())
    if not system.text:
        raise ConfigError(f"prompt file {files.system}: empty; write the instructions for the model into it")
    check_variables(str(files.system), system)
    return replace(found, prompts={**found.prompts, "system": system})


def with_folder(prompts: PromptSet, folder: Path) -> PromptSet:
    """Replace texts and layout by those of a folder.

    A text is used as its file has it, with all white space, except for one line break at its end. Files other
    than `*.md` and `layout.yaml`, and folders inside, are ignored. Raises ConfigError for a folder without
    either, a text of an unknown name, and as `check_variables` and `read_layout` do.
    """
    files = sorted(folder.glob("*.md"))
    layout = folder / FILE
    if not files and not layout.is_file():
        what = "no such folder" if not folder.is_dir() else f"has no texts (NAME.md) and no {FILE}"
        raise ConfigError(f"prompts folder {folder}: {what}; `arena-llm prompts --out DIR` writes one")
    found = {path.stem: _text(path, prompts.prompts) for path in files}
    chosen = read_layout(read_prompt_file(layout), str(layout)) if layout.is_file() else Layout()
    return replace(prompts, prompts={**prompts.prompts, **found}, layout=chosen)


def _text(path: Path, known: Mapping[str, Prompt]) -> Prompt:
    if path.stem not in known:
        near = get_close_matches(path.stem, known, n=1)
        hint = f"did you mean {near[0]}.md?" if near else f"expected one of: {', '.join(known)}"
        raise ConfigError(f"prompts folder {path}: no text has this name; {hint}")
    text = read_prompt_file(path)
    prompt = known[path.stem]._replace(text=text.removesuffix("\n"))
    check_variables(str(path), prompt)
    return prompt


def write_folder(prompts: PromptSet, folder: Path) -> None:
    """Write texts and layout as a folder for `with_folder`. Raises ConfigError if the folder is not empty,
    and EvaluationError if it cannot be written."""
    check_output_folder(folder)
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(f"{folder}: is not empty; name a new folder")
    for name, prompt in prompts.prompts.items():
        if prompt.text:
            write_file(folder / f"{name}.md", f"{prompt.text}\n")
    if text := prompts.layout.text():
        write_file(folder / FILE, text)


AGENT_VARIABLES = variables_of(__package__, "agents.yaml")
"""Texts of agents with their variables, explained in `agents.yaml`."""


def with_agent_texts(prompts: PromptSet, choices: RunChoices) -> PromptSet:
    """Add the agents' texts if an agent plays. Raises ConfigError."""
    if choices.agent == "direct":
        return prompts
    own = {name: load_prompt(__package__, name, AGENT_VARIABLES) for name in AGENT_VARIABLES}
    if (module := choices.own_agent) is not None:
        texts: Variables = module.TEXTS
        own |= {name: load_prompt(f"{module.__name__}.prompts", name, texts) for name in texts}
    return replace(prompts, prompts={**prompts.prompts, **own})
