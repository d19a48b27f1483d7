"""Everything that can go wrong by the user's hand, as one tree.

ArenaError              base: one clear sentence, never a traceback for the user
├── ConfigError         a task file or an option is wrong (says file:line, got, expected)
│   ├── DuplicateKeyError   a task file gives a key twice
│   └── UnknownOptionError  there is no option of that name
├── LayoutError         a valid file cannot be turned into an arena
├── RecordingError      a recording cannot be read or does not replay
├── RenderError         no picture can be drawn (no OpenGL, wrong resolution)
├── ScriptError         a script is not in the language (says where and what was expected)
├── EvaluationError     a run cannot start or go on (model, key, folder)
└── WorkerError         a process that plays environments has ended by itself
"""


class ArenaError(Exception):
    """Base of every error that the project raises for a reason the user can mend."""


class ConfigError(ArenaError):
    """A task file or an option is wrong; the message names file, line, got and expected."""


class DuplicateKeyError(ConfigError):
    """A task file gives a key twice, in the same or in two spellings."""


class UnknownOptionError(ConfigError, TypeError):
    """There is no option of that name; a TypeError too, from which libraries learn what they may pass on."""


class LayoutError(ArenaError):
    """A valid task file cannot be turned into a concrete arena."""


class RecordingError(ArenaError):
    """A recording cannot be read, or its replay differs from what it stores."""


class RenderError(ArenaError):
    """No picture can be drawn: OpenGL is missing, or the resolution is out of range."""


class ScriptError(ArenaError):
    """A script is not in the script language."""


class EvaluationError(ArenaError):
    """An evaluation cannot start or go on: unknown model, missing key, unwritable folder."""


class WorkerError(ArenaError):
    """A process that plays environments has ended by itself; the message names them and their task."""
