"""The errors that a user can cause and fix. Each message is one clear sentence.

ArenaError              base
├── ConfigError         a task file or an option is invalid (with file:line, got, expected)
│   ├── MissingFileError    a file does not exist
│   ├── DuplicateKeyError   a task file has a key twice
│   └── UnknownOptionError  there is no option of that name
├── LayoutError         no arena can be built from a valid file
├── RecordingError      a recording cannot be read or does not replay
├── RenderError         no picture can be rendered (invalid resolution, missing renderer)
├── ScriptError         a script is not in the language (with position and what was expected)
├── EvaluationError     a run cannot start or continue (model, key, folder)
└── ShadowedError       a file of the user is imported in the place of one of our packages
"""

from collections.abc import Iterable
from difflib import get_close_matches


class ArenaError(Exception):
    """Base of all errors that the user can fix."""


class ConfigError(ArenaError):
    """A task file or an option is invalid; the message has file, line, got and expected."""


class MissingFileError(ConfigError, FileNotFoundError):
    """A file does not exist; also a FileNotFoundError, for programs that expect Python's own."""


class DuplicateKeyError(ConfigError):
    """A task file has a key twice, in the same or in two spellings."""


class UnknownOptionError(ConfigError, TypeError):
    """There is no option of that name; also a TypeError, which libraries use to detect valid options."""


class LayoutError(ArenaError):
    """No concrete arena can be built from a valid task file."""


class RecordingError(ArenaError):
    """A recording cannot be read, or its replay differs from it."""


class RenderError(ArenaError):
    """No picture can be rendered: the resolution is out of range, or a renderer is missing."""


class ScriptError(ArenaError):
    """A script is not in the script language."""


class EvaluationError(ArenaError):
    """An evaluation cannot start or continue: unknown model, missing key, unwritable folder."""


class ShadowedError(ArenaError, ImportError):
    """A file or folder of the user is imported in the place of one of arena-llm's packages."""


def nearest(got: str, known: Iterable[str], otherwise: str) -> str:
    """A hint: the known name that is the most like another one, or what is said if none is like it."""
    near = get_close_matches(got, list(known), n=1)
    return f"did you mean {near[0]}?" if near else otherwise


def first_line(error: BaseException) -> str:
    """The first line of an error's text, or its type's name if it has no text."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
