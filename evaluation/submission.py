"""Submissions: card, trials and rates of a run; checks; and rankings."""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from arena.errors import ArenaError, EvaluationError, first_line
from arena.files import MAX_DATA_BYTES, file_sha256, read_bytes, write_file
from arena.rules import SAFETY_STEPS
from evaluation.log.episodes import LoggedEpisode
from evaluation.log.run import RunLog
from evaluation.results import GROUP, TrialResult, results_frame
from evaluation.scale.scaled import OVERALL
from evaluation.statistics import RATES, pass_rates
from evaluation.suite import Suite, TaskSpec, version_of
from evaluation.suites import DEFAULT, chosen_tasks, get_suite
from evaluation.summary import RunCard, RunSummary
from testbed.originals import NAMES, is_published, kept_folder

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""SHA-256 in hexadecimal."""


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Trial(_Plain):
    """Result of one planned trial. `passed` is None without a verdict, which then has an `error`."""

    task_id: str
    group: int | str = Field(description="group of the task, in the arena its level")
    trial: int = Field(ge=0)
    pass_mark: float | None
    total_reward: float | None
    passed: bool | None
    outcome: str | None
    steps: int | None = Field(ge=0)
    turns: int | None = Field(ge=0)
    score: float | None
    error: str | None
    metrics: dict[str, float] = Field(default={}, description="further metrics of the suite's headline")
    missing: str | None = Field(None, description="reason for a missing verdict, as on the card; schema 2")


class GroupRate(_Plain):
    """Pass rate of a group of tasks, missing trials failed, with interval.

    The interval is over tasks. In files of schema 1 some have `pass_rate` of the trials with a verdict, and
    none of the fields that may be absent.
    """

    group: int | str = Field(description=f"{OVERALL} for all tasks")
    tasks: int = Field(ge=0)
    planned: int | None = Field(None, ge=0, description="planned trials of tasks with a criterion")
    trials: int = Field(ge=0, description="trials with a verdict")
    passes: int = Field(ge=0)
    missing: int = Field(ge=0, description="planned trials without a verdict")
    pass_rate: float | None = Field(ge=0, le=1)
    low: float | None = Field(ge=0, le=1)
    high: float | None = Field(ge=0, le=1)
    judged_rate: float | None = Field(None, ge=0, le=1, description="pass rate of the trials with a verdict")
    most: float | None = Field(None, ge=0, le=1, description="pass rate if all missing trials had passed")


class Submitter(_Plain):
    """Submitter's own description, which is not checked."""

    name: str = Field(min_length=1, max_length=200)
    contact: str = ""
    notes: str = Field("", description="remarks, such as the model's training data")


class Submission(_Plain):
    """Run with its card, trials, and the rates that follow from them."""

    schema_version: Literal[1, 2] = 2
    submitter: Submitter
    log_sha256: Digest | None = Field(None, description="SHA-256 of the log's file; in schema 2")
    card: RunCard
    own_tasks: bool = Field(description="true if the tasks come from the user's own folder")
    rates: tuple[GroupRate, ...]
    results: tuple[Trial, ...] = Field(min_length=1)

    def frame(self) -> pd.DataFrame:
        """Tabulate the results with the columns of `results_frame`."""
        return results_frame(
            TrialResult(agent=self.card.agent, **trial.model_dump(exclude={"missing"}))
            for trial in self.results
        )


def schema() -> str:
    """JSON schema of a submission."""
    return json.dumps(Submission.model_json_schema(), indent=1)


_EXACT = 1e-9
"""Tolerance between a rate and the quotient of its counts."""


def rates_of(results: pd.DataFrame) -> Iterator[GroupRate]:
    """Yield rates of all tasks, then of each group; `results` as `results_frame`."""
    everything = pass_rates(results.assign(**{GROUP: 0})).assign(**{GROUP: OVERALL})
    for row in (*everything.to_dict("records"), *pass_rates(results).to_dict("records")):
        known: dict[str, Any] = {str(key): value for key, value in row.items() if key not in ("agent", GROUP)}
        for name in RATES:
            known[name] = None if math.isnan(known[name]) else float(known[name])
        yield GroupRate(group=row[GROUP], **known)


def recomputed(made: Submission) -> tuple[GroupRate, ...]:
    """Recompute a submission's rates by this version's statistics."""
    return tuple(rates_of(made.frame()))


def rate_problems(made: Submission) -> Iterator[str]:
    """Yield contradictions between rates, counts and results. Intervals need only contain their rate: they
    are those of the statistics of the version that wrote them."""
    expected = {rate.group: rate for rate in recomputed(made)}
    stated = {rate.group: rate for rate in made.rates}
    if list(stated) != list(expected) or len(made.rates) != len(stated):
        yield "rates: they do not follow from the results: expected all tasks together, then each group"
        return
    for group, rate in stated.items():
        for name, value in _expected(rate, expected[group]).items():
            got = getattr(rate, name)
            if got != value and (got is None or value is None or abs(got - value) > _EXACT):
                yield f"rates of {group}: they do not follow from the results: {name}: got {got}, not {value}"
        ends = (rate.low, rate.pass_rate, rate.high)
        known = [end for end in ends if end is not None]
        if len(known) == len(ends) and not known[0] - _EXACT <= known[1] <= known[2] + _EXACT:
            interval = f"{rate.low} to {rate.high}"
            yield f"rates of {group}: the interval {interval} does not contain {rate.pass_rate}"


def _expected(stated: GroupRate, counted: GroupRate) -> dict[str, float | None]:
    """Expected values to compare; version 0.2 counted only trials with a verdict."""
    if stated.planned is None:
        return {"trials": counted.trials, "passes": counted.passes, "pass_rate": counted.judged_rate}
    names = ("tasks", "planned", "trials", "passes", "missing", "pass_rate", "judged_rate", "most")
    return {name: getattr(counted, name) for name in names}


class Entry(NamedTuple):
    """Submission with its rank, shared by equal rates."""

    rank: int
    path: Path
    made: Submission


def ranked(found: Sequence[tuple[Path, Submission]]) -> list[tuple[str, list[Entry]]]:
    """Rank the submissions of each set of tasks, under a title."""
    boards: dict[str, list[tuple[Path, Submission]]] = {}
    for path, made in found:
        boards.setdefault(_title(made), []).append((path, made))
    return [(title, _entries(board)) for title, board in boards.items()]


def _entries(board: Sequence[tuple[Path, Submission]]) -> list[Entry]:
    rates = [(recomputed(made)[0].pass_rate, path, made) for path, made in board]
    rated = [(-1.0 if rate is None else rate, path, made) for rate, path, made in rates]
    rated.sort(key=lambda each: -each[0])
    return [Entry(1 + sum(other > rate for other, _, _ in rated), path, made) for rate, path, made in rated]


def _title(made: Submission) -> str:
    """Compose the suite, the tasks by number and SHA-256, and the trials."""
    card = made.card
    tasks = version_of(TaskSpec(task_id, "", str(digest)) for task_id, digest in sorted(card.tasks.items()))
    return f"{card.suite}: {len(card.tasks)} tasks ({tasks}), trials of each: {card.trials}"


Known = Mapping[str, TaskSpec]


def problems(made: Submission) -> Iterator[str]:
    """Yield contradictions with the results or the version's tasks, one sentence each."""
    yield from _trial_set(made)
    for trial in made.results:
        yield from (f"results: {trial.task_id}, trial {trial.trial}: {wrong}" for wrong in _of_trial(trial))
    yield from _card(made)
    yield from rate_problems(made)
    if made.schema_version > 1:
        yield from _counts(made)
    tasks, _ = known_tasks(made)
    if tasks is not None:
        yield from _battery(made, tasks)


def unchecked(made: Submission) -> Iterator[str]:
    """Yield facts that the file alone does not show, one sentence each."""
    if made.schema_version == 1:
        yield "a file of schema 1: it has no SHA-256 of its log, and no reason for each missing trial"
    _, reason = known_tasks(made)
    if reason:
        yield f"tasks not checked: {reason}"


def known_tasks(made: Submission) -> tuple[Known | None, str]:
    """Find the tasks of the card's choices by id. Or None and the reason."""
    card = made.card
    try:
        suite = get_suite(card.suite)
        choices = _choices(suite, card.choices)
        if made.own_tasks:
            return _published_tasks(card, suite, choices)
        if (here := suite.task_version(None)) != card.task_version:
            return None, f"they are of version {card.task_version or 'unknown'}, and {here} is installed here"
        return {task.id: task for task in chosen_tasks(suite, choices, None)}, ""
    except (ArenaError, ValidationError) as error:
        return None, str(error).splitlines()[0]


def _published_tasks(card: RunCard, suite: Suite, choices: Any) -> tuple[Known | None, str]:
    """Find the tasks of a submitter's folder in the published batteries, if all are of one battery."""
    pairs = card.tasks.items()
    name = next((each for each in NAMES if all(is_published(task, sha, each) for task, sha in pairs)), None)
    if suite.name != DEFAULT or name is None:
        return None, "they come from the submitter's own folder"
    if not kept_folder(name).is_dir():
        return None, (
            f"by their SHA-256 they are files of the battery {name}, which is not on this computer: "
            f"arena-llm testbed fetch {name}"
        )
    folder = kept_folder(name)
    if card.task_version == suite.task_version(folder):
        return {task.id: task for task in chosen_tasks(suite, choices, folder)}, ""
    # The folder had only some of its files, so the selection is unknown.
    every = suite.tasks(choices.model_copy(update={"levels": None}), folder)
    return {task.id: task for task in every if task.id in card.tasks}, ""


def _choices(suite: Suite, plain: Mapping[str, object]) -> Any:
    fields, renamed = suite.choices.model_fields, suite.choices.renamed(plain)
    return suite.choices.model_validate({name: value for name, value in renamed.items() if name in fields})


def _trial_set(made: Submission) -> Iterator[str]:
    card = made.card
    trials = {(trial.task_id, trial.trial) for trial in made.results}
    if len(trials) < len(made.results):
        yield "results: a trial of a task is duplicated"
    planned = {(task, trial) for task in card.tasks for trial in range(card.trials)}
    if trials != planned:
        yield f"results: got {len(trials)} trials, expected {len(planned)}: those of the card's tasks"
    if (chosen := card.choices.get("trials", card.trials)) != card.trials:
        yield f"card.trials: got {card.trials}, its choices have {chosen}"


def _of_trial(trial: Trial) -> Iterator[str]:
    judged, reward, mark = trial.passed is not None, trial.total_reward, trial.pass_mark
    if mark is not None and judged == (trial.error is not None):
        yield "a trial without a verdict has an error, and no other"
    if trial.error is not None and (reward, trial.outcome, trial.score) != (None, None, None):
        yield "a trial without a verdict has no reward, outcome or score"
    if mark is not None and judged:
        if reward is None:
            yield "it has a verdict, but no reward"
        elif trial.passed != (reward >= mark):
            yield f"passed: got {trial.passed}, but the reward is {reward:g} and the mark {mark:g}"
        if trial.score is not None and trial.score != float(bool(trial.passed)):
            yield f"score: got {trial.score:g}, but passed is {trial.passed}"
    if trial.score is not None and not 0 <= trial.score <= 1:
        yield f"score: got {trial.score:g}, expected 0 to 1"


def _card(made: Submission) -> Iterator[str]:
    card = made.card
    verdicts = [trial.passed for trial in made.results if trial.passed is not None]
    counts = {"planned": len(made.results), "judged": len(verdicts), "passed": sum(verdicts)}
    for name, counted in counts.items():
        if (stated := getattr(card, name)) != counted:
            yield f"card.{name}: got {stated}, the results have {counted}"
    for name, value in card:
        if isinstance(value, int | float) and value < 0:
            yield f"card.{name}: got {value}, expected 0 or more"


def _counts(made: Submission) -> Iterator[str]:
    """Yield problems of counts, which only schema 2 has."""
    card = made.card
    if made.log_sha256 is None:
        yield "log_sha256: is absent, expected the SHA-256 of the log"
    for trial in made.results:
        if (trial.missing is None) != (trial.passed is not None):
            place = f"results: {trial.task_id}, trial {trial.trial}"
            yield f"{place}: missing: expected a reason without a verdict, and only then"
    reasons = Counter(trial.missing for trial in made.results if trial.missing is not None)
    if reasons != Counter(card.without_verdict):
        yield f"card.without_verdict: got {card.without_verdict}, the results have {dict(reasons)}"
    overall = made.rates[0]
    for name in ("missing", "pass_rate", "judged_rate", "most"):
        if getattr(card, name) != getattr(overall, name):
            yield f"card.{name}: got {getattr(card, name)}, the rates have {getattr(overall, name)}"


def _battery(made: Submission, tasks: Known) -> Iterator[str]:
    """Yield deviations of tasks, groups, marks and lengths from the card's version."""
    card = made.card
    if set(card.tasks) != set(tasks):
        yield f"card.tasks: got {len(card.tasks)} tasks, expected the {len(tasks)} that its choices select"
    for task_id, digest in card.tasks.items():
        if task_id in tasks and digest != tasks[task_id].sha256:
            yield f"card.tasks: {task_id}: its SHA-256 is not that of version {card.task_version}"
    suite = get_suite(card.suite)
    choices = _choices(suite, card.choices)
    for trial in made.results:
        if (task := tasks.get(trial.task_id)) is not None:
            place = f"results: {trial.task_id}, trial {trial.trial}"
            yield from (f"{place}: {wrong}" for wrong in _of_task(trial, task, suite, choices))


def _of_task(trial: Trial, task: TaskSpec, suite: Suite, choices: Any) -> Iterator[str]:
    for name, value in {"group": task.group, "pass_mark": task.metadata.get("pass_mark")}.items():
        if (stated := getattr(trial, name)) != value:
            yield f"{name}: got {stated}, the task has {value}"
    if (trial.steps or 0) > SAFETY_STEPS:
        yield f"steps: got {trial.steps}, every episode ends after {SAFETY_STEPS}"
    most = None if getattr(choices, "acts", False) else choices.bounds(task.content).replies
    if most is not None and (trial.turns or 0) > most:
        yield f"turns: got {trial.turns}, the choices allow {most}"


def submission(log: RunLog, submitter: Submitter) -> Submission:
    """Create the submission of a log. Raises EvaluationError if the log is broken or has no planned trial,
    and if its trials contradict themselves or the tasks."""
    summary = RunSummary(log)
    trials = tuple(_trial(episode) for episode in summary.episodes())
    if not trials:
        raise EvaluationError(f"{log.path}: holds no planned trial; evaluate a model first (arena-llm eval)")
    try:
        made = Submission(
            submitter=submitter,
            log_sha256=sha256_of(log.path),
            own_tasks=log.folder is not None,
            card=summary.card,
            rates=tuple(rates_of(results_frame(summary.results))),
            results=trials,
        )
    except (ValidationError, TypeError, ValueError) as error:
        raise EvaluationError(f"{log.path}: has values that no run gives: {_first(error)}") from None
    refuse(made, log.path, "the log was changed, or its tasks were")
    return made


def read_submission(path: Path) -> Submission:
    """Read a submission. Raises EvaluationError if it cannot be read or contradicts itself or the tasks."""
    try:
        plain = json.loads(read_bytes(path, MAX_DATA_BYTES), parse_constant=_refuse, parse_float=_finite)
        made = Submission.model_validate(plain)
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be read ({error.strerror or error})") from None
    except (ValueError, RecursionError) as error:  # pydantic's and JSON's are ValueErrors
        raise EvaluationError(
            f"{path}: {_first(error)}; write it by arena-llm submission, and change nothing in it"
        ) from None
    refuse(made, path, "write it by arena-llm submission, and change nothing in it")
    return made


def refuse(made: Submission, path: Path, advice: str) -> None:
    """Raise EvaluationError if a submission contradicts itself or its tasks."""
    for problem in problems(made):
        raise EvaluationError(f"{path}: {problem}; {advice}")


def write_submission(made: Submission, path: Path) -> None:
    """Write a submission. Raises EvaluationError if the file cannot be written."""
    write_file(path, made.model_dump_json(indent=1) + "\n")


def sha256_of(path: Path) -> str:
    """Hash a file of any size (SHA-256). Raises EvaluationError if it cannot be read."""
    try:
        return file_sha256(path)
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be read ({error.strerror or error})") from None


def _trial(episode: LoggedEpisode) -> Trial:
    known = asdict(episode.result)
    values = {name: known[name] for name in known if name != "agent"}
    try:
        return Trial(**values, missing=episode.status)
    except ValidationError as error:
        place = f"{episode.result.task_id}, trial {episode.result.trial}"
        raise EvaluationError(f"{place}: the log has values that no run gives: {_first(error)}") from None


def _refuse(word: str) -> float:
    raise ValueError(f"got {word}, expected finite numbers")


def _finite(text: str) -> float:
    return value if math.isfinite(value := float(text)) else _refuse(text)


def _first(error: Exception) -> str:
    """Describe the first fault with its place."""
    if not isinstance(error, ValidationError):
        return first_line(error)[:200]
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'as a whole'}: {first['msg']}"


def log_problems(made: Submission, log: RunLog) -> Iterator[str]:
    """Yield deviations of a submission from its log, one sentence each. Raises EvaluationError if the log is
    broken or contradicts itself."""
    if made.log_sha256 is not None and made.log_sha256 != (got := sha256_of(log.path)):
        yield f"log_sha256: names {made.log_sha256[:12]}..., that of this log is {got[:12]}..."
    again = submission(log, made.submitter)
    yield from _unlike("", made, again, {"own_tasks"})
    if bool(made.card.partial) != bool(again.card.partial):
        yield f"card.partial: got {made.card.partial!r}, expected {again.card.partial!r}"
    # These depend on the log's place.
    left_out = {"log", "resumes", "partial"}
    left_out |= {"sent"} if made.schema_version == 1 else set()
    yield from _unlike("card.", made.card, again.card, made.card.model_fields_set - left_out)
    trials = {(trial.task_id, trial.trial): trial for trial in again.results}
    for trial in made.results:
        place = f"results: {trial.task_id}, trial {trial.trial}: "
        logged = trials.pop((trial.task_id, trial.trial), None)
        if logged is None:
            yield f"{place}the log has no such trial"
        else:
            yield from _unlike(place, trial, logged, trial.model_fields_set)
    if trials:
        yield f"results: {len(trials)} trials of the log are absent"


def _unlike(place: str, made: BaseModel, logged: BaseModel, names: set[str]) -> Iterator[str]:
    for name in sorted(names):
        if (stated := getattr(made, name)) != (there := getattr(logged, name)):
            yield f"{place}{name}: got {_short(stated)}, the log has {_short(there)}"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
