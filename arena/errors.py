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
    """A task file or an option is invalid. The message has file, line, got and expected."""


class MissingFileError(ConfigError, FileNotFoundError):
    """A file does not exist. Also a FileNotFoundError, for programs that expect Python's own."""


class DuplicateKeyError(ConfigError):
    """A task file has a key twice, perhaps in two spellings."""


class UnknownOptionError(ConfigError, TypeError):
    """An option does not exist. Also a TypeError, which libraries use to detect valid options."""


class LayoutError(ArenaError):
    """No concrete arena can be built from a valid task file."""


class RecordingError(ArenaError):
    """A recording cannot be read, or its replay differs from it."""


class RenderError(ArenaError):
    """No picture can be rendered: invalid resolution or missing renderer."""


class ScriptError(ArenaError):
    """A script is not in the script language."""


class EvaluationError(ArenaError):
    """An evaluation cannot start or continue: unknown model, missing key, unwritable folder."""


class ShadowedError(ArenaError, ImportError):
    """A user's file or folder is imported instead of an arena-llm package."""


def nearest(got: str, known: Iterable[str], otherwise: str) -> str:
    """Return a hint with the most similar known name, else `otherwise`."""
    near = get_close_matches(got, list(known), n=1)
    return f"did you mean {near[0]}?" if near else otherwise


def first_line(error: BaseException) -> str:
    """Return the first line of an error's text, else its type's name."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
