"""Where a participant is in a study, and what moves them on.

Everything is derived from the store, so a restarted server continues where it stopped.
"""

from collections.abc import Mapping, Sequence

from human_data.people.store import Participant, Store, Trial
from human_data.people.store.tables import STUDY_CODE
from human_data.people.study.order import least_used, order_of, rows_of
from human_data.people.study.plan import Plan
from human_data.people.study.progress import (
    ABANDONED,
    COMPLETED,
    CONSENT,
    ORDER,
    PAGE_DONE,
    WITHDRAWN,
    Progress,
    progress_of,
    taking_part,
    used_rows,
)
from human_data.people.study.stages import EndStage, QuestionStage, Stage, TaskStage, TextStage


def current_stage(plan: Plan, progress: Progress) -> Stage:
    """The stage that a participant has reached."""
    if progress.withdrawn:
        return EndStage("withdrawn")
    if progress.completed:
        return EndStage("completed")
    limit = plan.study.test.limit_minutes
    time_is_up = limit is not None and progress.played_s() >= 60 * limit
    return next(stage for stage in plan.stages(progress.order) if not _is_done(stage, progress, time_is_up))


def enrol(plan: Plan, store: Store, code: str, link: Mapping[str, str], *, test: bool = False) -> Participant:
    """Enrol a person who has agreed; one who is enrolled already is left unchanged.

    Who only tries the study out (`test`) takes nobody's row of the design.
    """
    person = store.add_participant(code, plan.study.name, link, test=test)
    if not progress_of(store, person).order:
        consent = plan.study.consent
        store.note(person.id, CONSENT, {"agreed": True, "version": consent.version, "title": consent.title})
        rows = rows_of(plan.study.test, plan.test)
        row = least_used(rows, used_rows(store, plan.study.name)) if rows > 1 else 0
        order = order_of(plan.study.test, plan.test, plan.study.seed, code, row)
        store.note(person.id, ORDER, {"tasks": list(order), "row": row, "seed": plan.study.seed})
    return person


def is_full(plan: Plan, store: Store) -> bool:
    """Whether newcomers are turned away."""
    quota = plan.study.participants.quota
    return quota is not None and taking_part(store, plan.study.name) >= quota


def refuse(plan: Plan, store: Store) -> None:
    """Note that someone did not agree, and nothing about them."""
    study = store.add_participant(STUDY_CODE, plan.study.name)
    store.note(study.id, CONSENT, {"agreed": False, "version": plan.study.consent.version})


def find_participant(plan: Plan, store: Store, code: str) -> Participant | None:
    """The participant with this code, None if there is none."""
    return store.participant_of(plan.study.name, code)


def finish_page(
    plan: Plan,
    store: Store,
    person: Participant,
    stage: TextStage | QuestionStage,
    answers: Mapping[str, str],
) -> None:
    """A page was read, or its questions answered; an item that was left out is stored as an empty answer."""
    if isinstance(stage, QuestionStage):
        for item in stage.questionnaire.items:
            store.answer(person.id, stage.page, item.id, answers.get(item.id, ""))
    store.note(person.id, PAGE_DONE, {"stage": stage.name})
    complete_if_done(plan, store, person)


def abandon(store: Store, person: Participant, trial: int) -> None:
    """A trial cannot be resumed; continue with the next stage."""
    store.note(person.id, ABANDONED, {"trial": trial})


def withdraw(store: Store, person: Participant, stage: Stage) -> None:
    """The participant leaves the study, perhaps in the middle of a trial."""
    if isinstance(stage, TaskStage):
        store.withdraw(person.id, stage.position)
    store.note(person.id, WITHDRAWN, {"stage": stage.name})


def complete_if_done(plan: Plan, store: Store, person: Participant) -> str | None:
    """The ending of a participant who is done with all stages, noted when they are; None for others."""
    progress = progress_of(store, person)
    if progress.completed or current_stage(plan, progress) != EndStage("completed"):
        return progress.ending
    ending = _ending(plan, progress)
    store.note(person.id, COMPLETED, {"ending": ending})
    return ending


def _ending(plan: Plan, progress: Progress) -> str:
    """Which of the endings in `config.Returns`, or completed; who failed the practice may be late as well."""
    stages = [stage for stage in plan.stages(progress.order) if isinstance(stage, TaskStage)]
    if any(stage.phase == "practice" and _has_failed(stage, progress) for stage in stages):
        return "failed"
    return COMPLETED if all(progress.trials_at(stage.position) for stage in stages) else "late"


def _is_done(stage: Stage, progress: Progress, time_is_up: bool) -> bool:
    match stage:
        case TaskStage(phase="test"):
            trials = progress.trials_at(stage.position)
            return all(map(progress.is_over, trials)) if trials else time_is_up
        case TaskStage():
            return _practice_is_done(stage, progress)
        case TextStage() | QuestionStage():
            return stage.name in progress.pages_done or (time_is_up and _belongs_to_test(stage))
    return False


def _belongs_to_test(stage: TextStage | QuestionStage) -> bool:
    if isinstance(stage, TextStage):
        return stage.is_break or stage.name == "introduction-test"
    return stage.questionnaire.when == "between"


def _practice_is_done(stage: TaskStage, progress: Progress) -> bool:
    trials = progress.trials_at(stage.position)
    if not trials or not progress.is_over(trials[-1]):
        return False
    # An episode that could not be resumed would fail again.
    hopeless = trials[-1].id in progress.abandoned
    tried_enough = stage.tries is not None and len(trials) >= stage.tries
    return _is_passed(trials, progress) or hopeless or tried_enough


def _is_passed(trials: Sequence[Trial], progress: Progress) -> bool:
    return any(trial.passed or trial.pass_mark is None for trial in trials if progress.is_over(trial))


def _has_failed(stage: TaskStage, progress: Progress) -> bool:
    """Whether a task was not passed; a trial that could not be resumed is nobody's failure."""
    trials = progress.trials_at(stage.position)
    return not _is_passed(trials, progress) and not any(trial.id in progress.abandoned for trial in trials)
