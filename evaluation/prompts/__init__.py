"""The texts that a model is shown: Markdown files with `$name` variables.

Strict both ways: a variable that a text may not use, and a value too few or too many, are errors.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from string import Template

from arena.errors import ConfigError

Variables = Mapping[str, tuple[str, ...]]
"""By name of a text: its variables, each with a format if it has one (`health:.1f`)."""

RUNNER: Variables = {"episode_next": ("number", "count"), "episode_last": (), "no_call": ()}
"""The texts of the runner itself, beside this module; every suite has them.

`number`, `count`: of the episode in its conversation.
"""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One text before its variables are filled in; `variables` as in `Variables`."""

    name: str
    text: str
    variables: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its variables."""
        return tuple(each.partition(":")[0] for each in self.variables)

    @property
    def sha256(self) -> str:
        """Content hash of the text in UTF-8, in hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def fill(self, **values: object) -> str:
        """The text with every `$name` replaced; `$$` becomes `$`.

        Takes a value for each variable, whether the text uses it or not. Raises ConfigError for a missing and
        for an unknown one.
        """
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
    """All texts of a run, by name."""

    prompts: Mapping[str, Prompt]

    def __getitem__(self, name: str) -> Prompt:
        """A text by its name."""
        return self.prompts[name]

    def texts(self) -> dict[str, str]:
        """Plain texts by name, as a log has them."""
        return {name: prompt.text for name, prompt in self.prompts.items()}

    def with_texts(self, texts: Mapping[str, str]) -> "PromptSet":
        """The same with other texts for some names; names that it does not have are ignored."""
        return PromptSet(
            {
                name: replace(prompt, text=texts.get(name, prompt.text))
                for name, prompt in self.prompts.items()
            }
        )

    @property
    def sha256(self) -> str:
        """One content hash of all names and texts, in hexadecimal."""
        lines = "".join(f"{name} {prompt.sha256}\n" for name, prompt in self.prompts.items())
        return hashlib.sha256(lines.encode()).hexdigest()


def runner_prompts(system_file: Path | None = None) -> PromptSet:
    """The runner's own texts, and a system prompt: the user's file, empty if there is none."""
    system = _from_file(system_file, ()) if system_file is not None else Prompt("system", "")
    return PromptSet({"system": system} | {name: load_prompt(__package__, name, RUNNER) for name in RUNNER})


def suite_prompts(package: str, variables: Variables, system_file: Path | None = None) -> PromptSet:
    """The runner's own texts, those in a suite's package over them; a file may replace the one named
    `system`.

    Raises ConfigError if the file cannot serve: unreadable, not UTF-8, empty, or with a `$` that is not
    followed by a variable of the system prompt.
    """
    prompts = {name: load_prompt(package, name, variables) for name in variables}
    if system_file is not None:
        prompts["system"] = _from_file(system_file, variables["system"])
    runner = {name: load_prompt(__package__, name, RUNNER) for name in RUNNER}
    return PromptSet({**runner, **prompts})


def load_prompt(package: str, name: str, variables: Variables) -> Prompt:
    """A text of a package by its name, white space at both ends cut off. Raises ConfigError."""
    if name not in variables:
        near = get_close_matches(name, variables, n=1)
        advice = f"did you mean {near[0]!r}?" if near else f"expected one of {_listed(variables)}"
        raise ConfigError(f"prompt {name!r} does not exist; {advice}")
    text = files(package).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
    prompt = Prompt(name, text, variables[name])
    _check_variables(f"{name}.md", prompt)
    return prompt


def _from_file(path: Path, variables: tuple[str, ...]) -> Prompt:
    prompt = Prompt("system", _read(path), variables)
    _check_variables(str(path), prompt)
    return prompt


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
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
    if not text:
        raise ConfigError(f"prompt file {path}: empty; write the instructions for the model into it")
    return text


def _check_variables(source: str, prompt: Prompt) -> None:
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
