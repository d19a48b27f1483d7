"""What a submission's file contradicts: itself, or the tasks that it names; and what it cannot show."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from arena.errors import ArenaError
from arena.rules import SAFETY_STEPS
from evaluation.run_card import RunCard
from evaluation.selection import chosen_tasks
from evaluation.submission.model import Submission, Trial, rate_problems
from evaluation.suite import Suite, TaskSpec
from evaluation.suites import DEFAULT, get_suite
from testbed.originals import NAMES, is_published, kept_folder

_CARD_RATES = ("missing", "pass_rate", "judged_rate", "most")

Known = Mapping[str, TaskSpec]


def problems(made: Submission) -> Iterator[str]:
    """What in a submission contradicts its results or the tasks of its version, one sentence each."""
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
    """What the file alone does not show, one sentence each."""
    if made.schema_version == 1:
        yield (
            "a file of schema 1: it names no SHA-256 of its log, and no reasons of missing trials for each"
        )
    _, reason = known_tasks(made)
    if reason:
        yield f"tasks not checked: {reason}"


def known_tasks(made: Submission) -> tuple[Known | None, str]:
    """The tasks that the card's choices select here, by id; or None and why these are not known."""
    card = made.card
    try:
        suite = get_suite(card.suite)
        choices = _choices(suite, card.choices)
        if made.own_tasks:
            return _published_tasks(card, suite, choices)
        if (here := suite.task_version(None)) != card.task_version:
            return None, f"they are of version {card.task_version or 'unknown'}, and here is {here}"
        return {task.id: task for task in chosen_tasks(suite, choices, None)}, ""
    except (ArenaError, ValidationError) as error:
        return None, str(error).splitlines()[0]


def _published_tasks(card: RunCard, suite: Suite, choices: Any) -> tuple[Known | None, str]:
    """As `known_tasks`, of a folder of the submitter's own: known if all files are of a published battery."""
    pairs = card.tasks.items()
    name = next((each for each in NAMES if all(is_published(task, sha, each) for task, sha in pairs)), None)
    if suite.name != DEFAULT or name is None:
        return None, "they are those of the submitter's own folder"
    if not kept_folder(name).is_dir():
        return None, (
            f"by their SHA-256 they are files of the battery {name}, which is not on this computer: "
            f"arena-llm testbed fetch {name}"
        )
    folder = kept_folder(name)
    if card.task_version == suite.task_version(folder):
        return {task.id: task for task in chosen_tasks(suite, choices, folder)}, ""
    # Their folder had some of its files only, so what the choices select is not known.
    every = suite.tasks(choices.model_copy(update={"levels": None}), folder)
    return {task.id: task for task in every if task.id in card.tasks}, ""


def _choices(suite: Suite, plain: Mapping[str, object]) -> Any:
    fields, renamed = suite.choices.model_fields, suite.choices.renamed(plain)
    return suite.choices.model_validate({name: value for name, value in renamed.items() if name in fields})


def _trial_set(made: Submission) -> Iterator[str]:
    card = made.card
    trials = {(trial.task_id, trial.trial) for trial in made.results}
    if len(trials) < len(made.results):
        yield "results: a trial of a task stands there twice"
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
    for name, counted in (
        ("planned", len(made.results)),
        ("judged", len(verdicts)),
        ("passed", sum(verdicts)),
    ):
        if (stated := getattr(card, name)) != counted:
            yield f"card.{name}: got {stated}, the results have {counted}"
    for name, value in card:
        if isinstance(value, int | float) and value < 0:
            yield f"card.{name}: got {value}, expected 0 or more"


def _counts(made: Submission) -> Iterator[str]:
    """What only files of schema 2 have."""
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
    for name in _CARD_RATES:
        if getattr(card, name) != getattr(overall, name):
            yield f"card.{name}: got {getattr(card, name)}, the rates have {getattr(overall, name)}"


def _battery(made: Submission, tasks: Known) -> Iterator[str]:
    """Whether tasks, groups, marks and lengths are those of the version that the card names."""
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
    stated = {"group": trial.group, "pass_mark": trial.pass_mark}
    expected = {"group": task.group, "pass_mark": task.metadata.get("pass_mark")}
    for name, value in expected.items():
        if stated[name] != value:
            yield f"{name}: got {stated[name]}, the task has {value}"
    if (trial.steps or 0) > SAFETY_STEPS:
        yield f"steps: got {trial.steps}, every episode ends after {SAFETY_STEPS}"
    most = None if getattr(choices, "acts", False) else choices.bounds(task.content).replies
    if most is not None and (trial.turns or 0) > most:
        yield f"turns: got {trial.turns}, the choices allow {most}"
