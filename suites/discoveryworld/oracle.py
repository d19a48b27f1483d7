"""Scripts that solve a theme, as an upper reference: each says what to do next from what was done and seen."""

from collections.abc import Callable

from suites.discoveryworld.episode import Known

Script = Callable[[Known], str]

ORACLES: dict[str, Script] = {}
"""The scripts by the names of their agents; an empty reply is the end of one."""
