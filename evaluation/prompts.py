"""The texts that a model is shown: Markdown files with `$name` variables.

Strict both ways: a variable that a text may not use, and a value too few or too many, are errors.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from string import Template

from arena.errors import ConfigError

_TURN = ("turn", "health", "scripts_left", "view")

VARIABLES: dict[str, tuple[str, ...]] = {
    "system": ("scripts",),
    "first_turn": _TURN,
    "turn": (*_TURN, "reward"),
    "invalid_script": (*_TURN, "reward", "feedback"),
    "demonstration_intro": (),
    "demonstration_end": (),
    "episode_end": ("outcome", "total_reward"),
    "episode_next": ("number", "count"),
    "episode_last": (),
    "no_call": (),
    "view_start": (),
    "view_end": (),
    "view_along": ("images",),
    "view_now": (),
    "view_words": ("description",),
    "note_words": (),
    "note_both": (),
    "note_along": (),
    "note_one_step": (),
    "note_tools": ("tools",),
    "note_loop": ("loop",),
    "note_memory": ("memory",),
    "note_no_thoughts": (),
    "note_short_thoughts": ("characters",),
    "note_grey": (),
    "note_unclear": (),
    "note_conversation": ("count",),
}
"""By name of prompt: the variables that it is filled with.

`scripts`: how many scripts the episode allows. `turn`: number of the turn, from 1. `health`: 0-100,
shown with one decimal. `scripts_left`: scripts left, the one that is asked for included. `reward`:
what the last script brought. `feedback`: why it is no script (`ScriptSyntaxError.feedback`).
`outcome`: why the episode ended. `total_reward`: the sum over the episode. `view`: what the pictures of the
message are, or the view in words, one of the `view_` texts. `images`: how many pictures. `description`: what
is in view. `number`, `count`: of the episode in its conversation. The `note_` texts follow the system text
where the protocol calls for them; `tools`, `loop`, `memory` and `characters` are its choices.
"""

_FORMATS = {"health": ".1f", "reward": "+z.2f", "total_reward": "+z.2f"}


@dataclass(frozen=True, slots=True)
class Prompt:
    """One text before its variables are filled in.

    `name` is one of `VARIABLES`; `sha256` is the hash of `text` in UTF-8.
    """

    name: str
    text: str

    @property
    def sha256(self) -> str:
        """Content hash of the text, in hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def fill(self, **values: object) -> str:
        """The text with every `$name` replaced; `$$` becomes `$`.

        Takes a value for each variable of `VARIABLES[self.name]`, whether the text uses it or not.
        Raises ConfigError for a missing and for an unknown one.
        """
        expected = VARIABLES[self.name]
        missing = [name for name in expected if name not in values]
        unknown = [name for name in values if name not in expected]
        if missing or unknown:
            raise ConfigError(
                f"prompt {self.name!r} is filled with {_listed(expected)}; "
                f"missing: {_listed(missing)}; unknown: {_listed(unknown)}"
            )
        shown = {name: format(value, _FORMATS.get(name, "")) for name, value in values.items()}
        return Template(self.text).substitute(shown)


@dataclass(frozen=True, slots=True)
class PromptSet:
    """All texts of an evaluation."""

    system: Prompt
    first_turn: Prompt
    turn: Prompt
    invalid_script: Prompt
    demonstration_intro: Prompt
    demonstration_end: Prompt
    episode_end: Prompt
    episode_next: Prompt
    episode_last: Prompt
    no_call: Prompt
    view_start: Prompt
    view_end: Prompt
    view_along: Prompt
    view_now: Prompt
    view_words: Prompt
    note_words: Prompt
    note_both: Prompt
    note_along: Prompt
    note_one_step: Prompt
    note_tools: Prompt
    note_loop: Prompt
    note_memory: Prompt
    note_no_thoughts: Prompt
    note_short_thoughts: Prompt
    note_grey: Prompt
    note_unclear: Prompt
    note_conversation: Prompt

    @property
    def sha256(self) -> str:
        """One content hash of all names and texts, in hexadecimal."""
        prompts: list[Prompt] = [getattr(self, field.name) for field in fields(self)]
        lines = "".join(f"{prompt.name} {prompt.sha256}\n" for prompt in prompts)
        return hashlib.sha256(lines.encode()).hexdigest()


def prompt_set(system_file: Path | None = None) -> PromptSet:
    """The shipped texts, the system text replaced by a file where one is given.

    Raises ConfigError where the file cannot serve, see `load_prompt`.
    """
    prompts = {name: load_prompt(name) for name in VARIABLES}
    if system_file is not None:
        prompts["system"] = load_prompt(system_file)
    return PromptSet(**prompts)


def load_prompt(name_or_path: str | Path) -> Prompt:
    """A shipped text by its name, or (a `Path`) a user's file in the place of the system text.

    Line ends become newlines, white space at both ends is cut off. Raises ConfigError for an unknown
    name, for a file that is unreadable, not UTF-8 or empty, and for a `$` that is not followed by a
    variable of this prompt.
    """
    if isinstance(name_or_path, Path):
        source, prompt = str(name_or_path), Prompt("system", _read(name_or_path))
    else:
        source, prompt = f"{name_or_path}.md", Prompt(name_or_path, _shipped(name_or_path))
    _check_variables(source, prompt)
    return prompt


def _shipped(name: str) -> str:
    if name not in VARIABLES:
        near = get_close_matches(name, VARIABLES, n=1)
        advice = f"did you mean {near[0]!r}?" if near else f"expected one of {_listed(VARIABLES)}"
        raise ConfigError(f"prompt {name!r} does not exist; {advice}")
    return files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()


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
    allowed = VARIABLES[prompt.name]
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
