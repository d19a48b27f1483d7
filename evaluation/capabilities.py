"""Optional objects of a suite, found by name in its folder.

| module | object | what it is |
|---|---|---|
| `episode` | `Episode` | the `Environment` that `Suite.open` makes of an `EpisodeSetup` |
| `prompts` | `VARIABLES`, `OPTIONAL` | variables of each text `NAME.md` of that folder, see `suite_prompts` |
| | `TEXTS` | instead of files: the texts themselves by name, each with its `$variables` |
| | `refuse(files, choices)` | raises ConfigError for a user's own texts that do not fit |
| `offline` | `AGENTS` | offline agents (`Agent`) by name; `replay/FOLDER` matches any text after the slash |
| `players` | `PLAYERS` | factories of agents that play whole episodes (`Player`), by name |
| | `replayed(setup, record)` | replays such an agent's episode; raises RecordingError |
| `tools` | `TOOLS` | tool factories by name |
| | `reply_of(tool, arguments)` | the reply of a tool call; empty if it is wrong |
| `form` | `form(task, choices, observation)` | a person's answer form (`Form`); None if people cannot play |
| | `CHOICES` | default choices for human play, as options by name |
| `judge` | `judge(setup, record, ask)` | async: the record with a second model's judgement |
| `findings` | `episode_panels(record)` | titles and HTML above the transcript of an episode |
| | `run_panels(records)` | titles and HTML for a report's first page, from records by agent |
| | `Logged` | record type for checking logs; also found in `logged` |
| `references` | `SCALE` | reference agents and their scores (`Scale`) |
| `splits` | `split(name, choices)` | iterator of task ids for `train` or `test` |
| `files` | `files(choices)` | SHA-256 of each file that the choices name, by choice |
| `remarks` | `remarks(choices, prompts, protocol)` | sentences that `eval --show` prints below the choices |
| `logged` | `logged_task(plain)` | reads a logged task that is no plain `TaskSpec` |
| `registry` | | imported to register `arena_llm/...` objects in Inspect AI |

A suite of one file has the objects in that file.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from arena.packages import beside
from evaluation.prompts import NO_FILES, PromptFiles, PromptSet, inline_prompts, suite_prompts, with_files
from evaluation.suite import Agent, Ask, EpisodeSetup, Observation, Player, Record, Suite, TaskSpec

if TYPE_CHECKING:
    from inspect_ai.tool import Tool

    from evaluation.by_hand.form import Form

T = TypeVar("T")


class Panel(NamedTuple):
    """Part of a report page; `body` is HTML, shown unchanged."""

    title: str
    body: str


def brought(suite: Suite, module: str, name: str, default: Any = None) -> Any:
    """Find an object in a suite's module or single file. Otherwise the default."""
    found = beside(type(suite), Suite, module, name)
    return default if found is None else found


def _called(suite: Suite, module: str, name: str, default: T, *arguments: Any) -> T:
    """Call a suite's optional function; without it, return the default."""
    function: Callable[..., T] | None = brought(suite, module, name)
    return default if function is None else function(*arguments)


def prompts_of(suite: Suite, choices: Any = None, files: PromptFiles = NO_FILES) -> PromptSet:
    """Load all texts of a run, including the user's. Raises ConfigError. Without `choices`, texts of a log
    are represented."""
    if choices is not None:
        _called(suite, "prompts", "refuse", None, files, choices)
    return with_files(_own_prompts(suite), files, choices)


@cache
def _own_prompts(suite: Suite) -> PromptSet:
    variables = brought(suite, "prompts", "VARIABLES")
    if variables is None:
        return inline_prompts(brought(suite, "prompts", "TEXTS", {}))
    package = str(brought(suite, "prompts", "__name__"))
    return suite_prompts(package, variables, brought(suite, "prompts", "OPTIONAL", {}))


def files_of(suite: Suite, choices: Any) -> Mapping[str, str]:
    """Hash each file that the choices name (SHA-256), by choice. Raises ConfigError."""
    return _called(suite, "files", "files", {}, choices)


def agents_of(suite: Suite) -> Mapping[str, Agent]:
    """Offline agents that answer messages, by name."""
    return brought(suite, "offline", "AGENTS", {})


def players_of(suite: Suite) -> Mapping[str, Callable[[str], Player]]:
    """Factories of agents that play whole episodes, by name."""
    return brought(suite, "players", "PLAYERS", {})


def player(suite: Suite, name: str) -> Player | None:
    """Find a player of whole episodes by name, otherwise None. Raises EvaluationError."""
    if by_name(agents_of(suite), name) is not None:
        return None
    made = by_name(players_of(suite), name)
    return None if made is None else made(name)


def by_name(table: Mapping[str, T], name: str) -> T | None:
    """Find an entry by name. A word in capitals after a slash matches anything."""
    if name in table:
        return table[name]
    kind, slash, rest = name.partition("/")
    takes = (known for known in table if slash and rest and is_kind(known, kind))
    return next((table[known] for known in takes), None)


def is_kind(known: str, kind: str) -> bool:
    """Return whether a name such as `replay/FOLDER` is of this kind."""
    return known.partition("/")[0] == kind and known.rpartition("/")[2].isupper()


def replayed(setup: EpisodeSetup, record: Mapping[str, Any]) -> Record:
    """Replay a player's episode from its log. Raises RecordingError."""
    found: Record | None = _called(setup.suite, "players", "replayed", None, setup, record)
    if found is None:
        raise NotImplementedError(f"{setup.suite.name} has no agents that play whole episodes")
    return found


def tools_of(suite: Suite) -> "Mapping[str, Callable[[], Tool]]":
    """Factories of a model's tools, by name."""
    return brought(suite, "tools", "TOOLS", {})


def reply_of(suite: Suite, tool: str, arguments: Mapping[str, Any]) -> str:
    """Convert a tool call to a reply. Empty if its arguments are wrong."""
    return _called(suite, "tools", "reply_of", "", tool, arguments)


def form_of(suite: Suite, task: TaskSpec, choices: Any, observation: Observation) -> "Form | None":
    """Make the form for an observation; None if people cannot play."""
    return _called(suite, "form", "form", None, task, choices, observation)


def choices_of_people(suite: Suite) -> Mapping[str, str]:
    """Default choices for human play, as options by name."""
    return brought(suite, "form", "CHOICES", {})


async def judged(setup: EpisodeSetup, record: Record, ask: Ask) -> Record:
    """Add other models' judgements to a finished record; unchanged without a judge."""
    asked: Awaitable[Record] | None = _called(setup.suite, "judge", "judge", None, setup, record, ask)
    return record if asked is None else await asked


def episode_panels(suite: Suite, record: Mapping[str, Any]) -> list[Panel]:
    """Panels above the transcript on the page of a logged record."""
    panels: Sequence[Any] = _called(suite, "findings", "episode_panels", (), record)
    return [Panel(*each) for each in panels]


def run_panels(suite: Suite, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Panel]:
    """Panels of a report's first page, from finished records by agent."""
    panels: Sequence[Any] = _called(suite, "findings", "run_panels", (), records)
    return [Panel(*each) for each in panels]


def remarks_of(suite: Suite, choices: Any, prompts: PromptSet, protocol: str | None) -> Sequence[str]:
    """Remarks on a run's choices; `protocol` names the preset."""
    return _called(suite, "remarks", "remarks", (), choices, prompts, protocol)


def logged_task(suite: Suite, plain: Mapping[str, Any]) -> TaskSpec:
    """Read a task from a log. Raises ArenaError, or as `TaskSpec`, if this version cannot read it."""
    read = brought(suite, "logged", "logged_task")
    return TaskSpec(**plain) if read is None else read(plain)
