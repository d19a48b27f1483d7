"""Types of all logged values; each is checked once, when read."""

import json
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, NotRequired

from pydantic import AfterValidator, AllowInfNan, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from arena.errors import EvaluationError
from arena.packages import beside
from evaluation.suite import Suite

Finite = Annotated[float, AllowInfNan(False)]
Count = Annotated[int, Field(ge=0, lt=2**53)]
Share = Annotated[float, Field(ge=0, le=1)]


def _bounded(value: float) -> float:
    if math.isinf(value):
        raise ValueError("a number that is not infinite")
    return value


Scalar = (
    Annotated[int, Field(gt=-(2**53), lt=2**53)]
    | Annotated[float, AfterValidator(_bounded)]
    | str
    | bool
    | None
)
"""Cell of a table."""


class Turn(TypedDict):
    """Reply and result. Suites add their own (`Logged` in a module `findings` or `logged`)."""

    reply: str
    error: str | None
    thoughts: NotRequired[list[str] | str]
    repairs: NotRequired[list[str]]


class Replay(TypedDict, total=False):
    """Data that reproduce an episode."""

    versions: dict[str, str]


class Row(TypedDict, total=False):
    """Result of an episode in scores."""

    total_reward: Finite | None
    passed: bool | None
    outcome: str | None
    steps: Count | None
    score: Share | None


class ScoreRow(Row, total=False):
    """Result of an episode with its number of turns."""

    turns: Count | None


class Record(Row):
    """Finished episode; version 0.2 called its replay the recording."""

    turns: list[Turn]
    model_end: NotRequired[str]
    replay: NotRequired[Replay]
    recording: NotRequired[Replay]


class _Step(TypedDict):
    step: str
    after: Count
    result: str | None


class _Entry(TypedDict):
    id: str
    statement: str


class _Hypothesis(_Entry):
    status: str
    evidence: list[str]


class _Memory(TypedDict):
    hypotheses: list[_Hypothesis]
    measurements: list[_Entry]


class _Program(TypedDict):
    experiments: int
    program: str
    result: str


class AgentFacts(TypedDict, total=False):
    """Facts kept by the model's agent (`Calls.log`)."""

    calls: dict[str, str]
    plan: list[_Step]
    memory: _Memory
    programs: list[_Program]


class _Stopped(TypedDict):
    kind: str
    said: NotRequired[str | None]


class TaskFacts(TypedDict, total=False):
    """Task in samples and their summaries."""

    group: Count | str
    level: Count | str
    pass_mark: Finite | None
    sha256: str


class SummaryFacts(TaskFacts, total=False):
    """Metadata of a sample summary."""

    tasks: list[str]


class SampleFacts(SummaryFacts, total=False):
    """Metadata of a sample: one episode, or those of a conversation."""

    drawn_by: str | None
    order: list[str]
    episode: dict[str, Any] | None
    episodes: dict[str, dict[str, Any]]
    stopped: _Stopped | None
    agent: AgentFacts


class ScoreFacts(ScoreRow, total=False):
    """Metadata of a score; a conversation's has a row for each task."""

    tasks: dict[str, ScoreRow]


class _Usage(TypedDict, total=False):
    input_tokens: Count
    output_tokens: Count
    total_tokens: Count
    input_tokens_cache_read: Count
    input_tokens_cache_write: Count
    reasoning_tokens: Count
    total_cost: Annotated[Finite, Field(ge=0)]


class _Spec(TypedDict, total=False):
    pass_mark: Finite | None


class LoggedTask(TypedDict):
    """Task of the run."""

    id: str
    sha256: NotRequired[str]
    group: NotRequired[Count | str]
    level: NotRequired[Count | str]
    metadata: NotRequired[TaskFacts]
    spec: NotRequired[_Spec]


class Parameters(TypedDict, total=False):
    """Parameters of the task's setup; version 0.2 called the choices a protocol."""

    choices: dict[str, Any]
    protocol: dict[str, Any] | str | None
    tasks: list[LoggedTask]
    texts: dict[str, str]


class Plan(TypedDict):
    """Plan of a run, or its record."""

    model: str
    policy: NotRequired[str]
    prompts: str
    tasks: dict[str, str]
    protocol: dict[str, Any]
    files: NotRequired[dict[str, str]]


class RunMetadata(TypedDict, total=False):
    """Facts of the whole run."""

    name: str | None
    harness: str
    policy: dict[str, Any] | None
    prices: str | None
    scoring: Count | None
    plan: Plan
    done: Plan


class Arguments(TypedDict, total=False):
    """Used arguments of the Inspect task."""

    folder: str | None


class Header(TypedDict):
    """Parts of a log's header written by this project."""

    metadata: RunMetadata
    arguments: Arguments
    parameters: Parameters
    trials: Annotated[int, Field(ge=1, le=100_000)]


def check_sample(sample: Any, where: str) -> None:
    """Raise EvaluationError for a wrongly typed sample value, except records."""
    check(SampleFacts, sample.metadata or {}, where)
    outputs = (event.output for event in sample.events or () if event.event == "model")
    requests = [output.usage for output in outputs if output and output.usage]
    for use in (*(sample.model_usage or {}).values(), *requests):
        check(_Usage, use.model_dump(exclude_none=True), f"{where}: usage")
    for name, score in (sample.scores or {}).items():
        check(ScoreFacts, score.metadata or {}, f"{where}: score {name}")


def check_score(scored: Mapping[str, Any], row: Mapping[str, Any], where: str) -> None:
    """Raise EvaluationError if a score has no episode or contradicts its `row`. A limit leaves a score
    without a verdict."""
    if scored.get("outcome") is not None and "outcome" not in row:
        raise EvaluationError(f"{where}: has a score, but no episode; the file was changed or is damaged")
    if scored.get("passed") is None:
        return
    for name in sorted(row.keys() - {"turns"}):
        if (scored.get(name) is None) != (row[name] is None):
            got = f"got {scored.get(name)!r}, the episode has {row[name]!r}"
            raise EvaluationError(f"{where}: score: {name}: {got}; the file was changed or is damaged")


def check_record(record: object, suite: Suite, where: str) -> None:
    """Raise EvaluationError for a wrongly typed value of a record."""
    check(Record, record, where)
    assert isinstance(record, dict)
    further = {name: value for name, value in record.items() if name not in Record.__annotations__}
    check(dict[str, Scalar], further, where)
    if (own := _own_kind(type(suite))) is not None:
        check(own, record, where)


_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


def check(kind: Any, value: object, where: str) -> None:
    """Raise EvaluationError, with the place, for a wrongly typed log value."""
    try:
        # As JSON, in which a tuple is a list and a word of an enumeration a text.
        _adapter(kind).validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        raise EvaluationError(f"{where}: {fault(error)}; the file was changed or is damaged") from None


def fault(error: ValidationError) -> str:
    """Describe the first fault: place, got and expected."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return f"{place}: is absent"
    text = repr(first["input"])
    got = text if len(text) <= 60 else f"{text[:57]}..."
    wanted = str(first["msg"]).removeprefix("Input should be ").removeprefix("Value error, ")
    return f"{place + ': ' if place else ''}got {got}, expected {wanted}"


def _own_kind(suite: type[Suite]) -> Any:
    """Find a suite's record type: `Logged` in `findings` or `logged`. None without one."""
    found = (beside(suite, Suite, module, "Logged") for module in ("findings", "logged"))
    return next((kind for kind in found if kind is not None), None)
