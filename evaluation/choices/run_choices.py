"""Choices common to all suites. A suite adds its own in a subclass."""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.resources import files
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from arena.errors import ConfigError
from arena.packages import beside, data_of

LEFT_OUT = "[picture left out]"
"""Placeholder of an omitted picture."""

COLLAGE = "[The pictures so far are put into one, row by row from the earliest to the present.]"
"""Text before a collage."""

COLLAGE_PX = 2048
"""Maximum collage side in pixels: OpenAI and Anthropic shrink larger pictures (their vision guides)."""


def kept_images(rule: str, count: int) -> frozenset[int]:
    """Select pictures of `count` that a budget keeps, from 0. For a collage, its position."""
    if rule == "all":
        return frozenset(range(count))
    if rule == "first+last":
        return frozenset({0, count - 1} if count else ())
    last = 1 if rule == "collage" else int(rule.removeprefix("last-"))
    return frozenset(range(max(count - last, 0), count))


Choices = Mapping[str, Any]


class Contradiction(ConfigError):
    """Choices that exclude each other. `fields` are their names, `values` all choices, `reason` is a clause
    that explains why."""

    def __init__(self, fields: tuple[str, ...], values: Choices, reason: str) -> None:
        super().__init__(fields, values, reason)
        self.fields = fields
        self.values = values
        self.reason = reason

    def message(self, origins: Mapping[str, str]) -> str:
        """Format the error with the origin of each choice."""
        said = {field: f" ({origin})" for field, origin in origins.items() if origin}
        named = [f"{field} = {shown(self.values[field])}{said.get(field, '')}" for field in self.fields]
        together = " together" if len(named) > 1 else ""
        return f"{' and '.join(named)}: impossible{together}, because {self.reason}"

    def __str__(self) -> str:
        return self.message({})


def shown(value: object) -> str:
    """Format a choice as on a command line."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


class Rule(NamedTuple):
    """Refuses choices of these names together if `broken`, for the `reason`."""

    fields: tuple[str, ...]
    broken: Callable[[Choices], bool]
    reason: str


def clash(reason: str, **together: Any) -> Rule:
    """Refuse choices together that each equal a value or fulfil a function."""

    def broken(choices: Choices) -> bool:
        return all(
            each(choices[name]) if callable(each) else choices[name] == each
            for name, each in together.items()
        )

    return Rule(tuple(together), broken, reason)


def other_than(usual: Any) -> Callable[[Any], bool]:
    """Make a test for values other than the usual one."""
    return lambda value: bool(value != usual)


def without_pictures(field: str, changed: Callable[[Any], bool]) -> Rule:
    """Refuse a changed picture choice if observations are text."""
    return clash("there are no pictures to which it could apply", observation="text", **{field: changed})


PICTURE_FILES = (
    without_pictures("image_format", other_than("png")),
    without_pictures("image_detail", other_than("auto")),
)
"""Rules on picture files, for suites with pictures and text."""


def listed(value: Any) -> Any:
    """Validator of lists, which use commas on a command line."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return tuple(value) if isinstance(value, list) else value


def _word(value: Any) -> Any:
    return "none" if value is None else value


Names = Annotated[tuple[str, ...], BeforeValidator(listed)]
Limit = Annotated[int, Field(ge=1, le=100_000)]


_ALONE = "such an agent plays whole episodes by itself, without replies"

SCAFFOLDS = ("react", "plan-execute", "hypothesizer")
"""Agents of every suite in addition to the plain conversation."""

_MEMORY_OF_REACT = {"memory_turns": 40, "memory_characters": 10_000}
"""Memory limits of DiscoveryWorld's ReAct agent (arXiv 2406.06769)."""


class RunChoices(BaseModel):
    """Prompting options and run limits, for any suite.

    Every field is an option of `arena-llm eval`, a key of a preset and an argument of the Inspect task; its
    description, in `choices.yaml` or in the field, is the documentation. Raises `Contradiction` for choices
    that exclude each other.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    rules: ClassVar[tuple[Rule, ...]] = (
        clash(_ALONE, replies="steps", conversation="run"),
        clash(_ALONE, replies="steps", agent=other_than("direct")),
        clash("episodes of their own have no order", conversation="episode", order="shuffled"),
        clash("its plan or memory is that of one episode", agent="plan-execute", conversation="run"),
        clash("its plan or memory is that of one episode", agent="hypothesizer", conversation="run"),
    )
    """Choices that exclude each other; a subclass adds to them."""

    short_names: ClassVar[dict[str, str]] = {}
    """Other names of choices on the command line."""

    words: ClassVar[frozenset[str]] = frozenset({"tasks"})
    """Choices whose words or ids YAML could misread, such as 4 or true."""

    paths: ClassVar[frozenset[str]] = frozenset()
    """Choices that may be file paths. Text in them is one, made absolute."""

    for_players: ClassVar[tuple[str, ...]] = ("tasks", "trials", "seed", "replies")
    """Choices that affect an agent that plays whole episodes."""

    player_defaults: ClassVar[dict[str, Any]] = {"replies": "steps"}
    """Defaults for agents that play whole episodes."""

    agent_defaults: ClassVar[dict[str, dict[str, Any]]] = {
        "react": _MEMORY_OF_REACT,
        "plan-execute": _MEMORY_OF_REACT,
        "hypothesizer": {"memory_turns": 3},
    }
    """Defaults by `agent`, overridden by a preset or the user."""

    later: ClassVar[frozenset[str]] = frozenset({"memory_characters", "agent"})
    """Choices missing in earlier plans; plans only have them at other values."""

    tool_names: ClassVar[tuple[str, ...]] = ()
    """Tools that a model gets if it acts by tool calls."""

    tasks: Names | None = None
    trials: int = Field(default=1, ge=1, le=1000)
    seed: int = 0
    agent: Literal["direct", "react", "plan-execute", "hypothesizer"] = "direct"
    conversation: Literal["episode", "run"] = "episode"
    order: Literal["listed", "shuffled"] = "listed"
    memory_turns: Annotated[int, Field(ge=0, le=100_000)] | None = None
    memory_characters: Annotated[int, Field(ge=0)] | None = None
    replies: Literal["text", "tools", "steps"] = "text"
    images: str = Field(default="all", pattern=r"^(all|last-[1-9][0-9]{0,4}|first\+last|collage)$")
    image_format: Literal["png", "jpeg"] = "png"
    image_detail: Literal["auto", "low", "high"] = "auto"

    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    max_tokens: Limit | None = None
    stop: Names | None = None
    reasoning_effort: Literal["minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    reasoning_tokens: Limit | None = None
    reasoning_summary: Annotated[
        Literal["default", "none", "concise", "detailed", "auto"], BeforeValidator(_word)
    ] = "default"

    retries: int = Field(default=3, ge=0, le=100)
    reply_timeout: Limit | None = 600
    relaunches: int = Field(default=1, ge=0, le=100)
    max_tokens_per_episode: Annotated[int, Field(ge=1)] | None = None
    max_cost_per_episode: Annotated[float, Field(gt=0)] | None = None
    time_limit_per_episode: Limit | None = None

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Add descriptions to a suite's choices."""
        _describe(cls)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        choices = self.model_dump()
        for rule in self.rules:
            if rule.broken(choices):
                raise Contradiction(rule.fields, choices, rule.reason)
        if self.replies == "tools" and not self.tool_names:
            raise Contradiction(("replies",), choices, "the suite has no tools")
        return self

    @property
    def acts(self) -> bool:
        """Return whether an agent without messages plays whole episodes, without a model."""
        return self.replies == "steps"

    @property
    def memory(self) -> str:
        """Format the limits on past turns, by name and value. Empty without limits."""
        limits = {"memory_turns": self.memory_turns, "memory_characters": self.memory_characters}
        return " and ".join(f"{name} = {limit}" for name, limit in limits.items() if limit is not None)

    @property
    def needs_all_tasks(self) -> bool:
        """Return whether an episode depends on the run's other tasks too."""
        return False

    @property
    def judges(self) -> tuple[str, ...]:
        """Models of the suite's `judge` or of observations, as named by users."""
        return ()

    @classmethod
    def renamed(cls, logged: Mapping[str, Any]) -> dict[str, Any]:
        """Rename a log's choices to their present names. A suite overrides this after renaming."""
        return dict(logged)

    def planned(self) -> dict[str, Any]:
        """Convert the choices to plain values for a plan."""
        default = {name: type(self).model_fields[name].default for name in self.later}
        plain = self.model_dump(mode="json")
        return {k: v for k, v in plain.items() if k not in default or getattr(self, k) != default[k]}

    @property
    def own_agent(self) -> Any:
        """Find the module of a suite's own `agent` by name. None for the agents of every suite. See
        `evaluation.agents.agents.OwnAgent`."""
        if self.agent in ("direct", *SCAFFOLDS):
            return None
        name: str = beside(type(self), RunChoices, self.agent.replace("-", "_"), "__name__")
        return import_module(name)

    @property
    def short_turns(self) -> bool:
        """Return whether earlier observations are single lines, as in the agents' paper."""
        return self.agent in SCAFFOLDS

    @property
    def shows_images(self) -> bool:
        """Return whether the model gets pictures, by the suite's choice `observation`."""
        return getattr(self, "observation", None) in ("image", "both")

    def bounds(self, content: Any = None) -> "Bounds":
        """Bound an episode's requests, by the task's `content`. By default of the longest."""
        return Bounds()


class Bounds(BaseModel, frozen=True):
    """Bounds on the requests of one episode, for estimates.

    `replies`: maximum number without repeated requests; None if unbounded. `first_images` and `images` are
    the pictures of the first and of each later observation, each of `image_px` a side, or `image_width` wide
    if that is not 0; `turn_tokens` are those of an observation's text, `told_tokens` those of the line,
    without pictures, that replaces it in earlier turns.
    """

    replies: int | None = None
    first_images: int = 0
    images: int = 0
    image_px: int = 0
    image_width: int = 0
    turn_tokens: int = 60
    told_tokens: int | None = None


def _describe(choices: type[RunChoices]) -> None:
    """Set descriptions from `choices.yaml` next to the module, if it exists."""
    package = choices.__module__.rpartition(".")[0]
    if package and files(package).joinpath("choices.yaml").is_file():
        for name, text in data_of(package, "choices.yaml").items():
            choices.model_fields[name].description = text


_describe(RunChoices)
