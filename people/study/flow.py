"""A participant's stage in a study, and the moves between stages.

Everything is derived from the store, so a restarted server continues where it stopped.
"""

import random
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from evaluation.by_hand.form import Item
from people.play.pacing import PICTURE
from people.play.task_source import AnyAssignment, Assignment, TaskSource, Wanted
from people.store import Participant, Store, Trial
from people.store.participation import COMPLETED, CONSENT, LEFT, ORDER, RETURNED, WITHDRAWN, Ending
from people.store.tables import STUDY_CODE
from people.study import progress as stored
from people.study.branching import asked_items, given, is_page_asked, is_screened_out
from people.study.config import Consent, Practice, Study, Test
from people.study.plan import Phase, Plan, QuestionStage, Stage, Tasks, TaskStage, TextStage
from people.study.progress import ABANDONED, ASSENT, PAGE_DONE, Cell, Progress, all_progress, progress_of
from testbed import Task


def balanced_latin_square(count: int) -> tuple[tuple[int, ...], ...]:
    """Return balanced orders of 0 to count - 1.

    Each number appears equally often in each position and after each other one. Williams' design (Williams
    1949, Australian Journal of Scientific Research A 2, 149-168): `count` rows if it is even, twice as many
    if it is odd.
    """
    first = [(k + 1) // 2 if k % 2 else (count - k // 2) % count for k in range(count)]
    rows = [tuple((place + row) % count for place in first) for row in range(count)]
    return tuple(rows + [row[::-1] for row in rows] if count % 2 and count > 1 else rows)


def rows_of(test: Test, tasks: Tasks) -> int:
    """Number of rows of the design; 1 if there is no design."""
    return len(balanced_latin_square(len(_units(test, tasks)))) if test.order == "latin-square" else 1


def least_used(rows: int, used: Mapping[int, int]) -> int:
    """Return the row of the design that the fewest participants have. The first of several."""
    return min(range(rows), key=lambda row: (used.get(row, 0), row))


def order_of(test: Test, tasks: Tasks, seed: int, code: str, row: int) -> tuple[str, ...]:
    """Return the task ids in a participant's order, given by the code. With `by: level` or `group` the tasks
    of each stay together, shuffled for each participant."""
    if test.order == "listed":
        return tuple(task.id for task in tasks)
    # A text as seed is hashed completely, and identically by every version of Python.
    source = random.Random(f"{seed} {code}" if test.name == "test" else f"{seed} {code} {test.name}")
    units = _units(test, tasks)
    if test.order == "random":
        source.shuffle(units)
    else:
        units = [units[k] for k in balanced_latin_square(len(units))[row]]
    return tuple(task for unit in units for task in source.sample(unit, len(unit)))


def assigned(plan: Plan, used: Sequence[Cell], code: str, condition: str | None) -> dict[str, Any]:
    """Return a participant's condition and orders, as a note's contents.

    The orders are those of blocks and tasks. Without `condition` it is the one that the fewest have; rows of
    the designs are assigned in the same manner within the condition. `used` are the cells that others have.
    `row` is that of the first block.
    """
    if not plan.study.conditions:
        return _ordered(plan, used, code)
    if condition not in plan.study.conditions:
        condition = _least_filled(plan.study, _counts((cell.condition, cell.people) for cell in used))
    same = [cell for cell in used if cell.condition == condition]
    return _ordered(plan.of(condition), same, code) | {"condition": condition}


def _counts(cells: Iterable[tuple[Any, int]]) -> Counter[Any]:
    counts: Counter[Any] = Counter()
    for key, count in cells:
        counts[key] += count
    return counts


def _least_filled(study: Study, counts: Mapping[str, int]) -> str:
    """Return the condition that the fewest have. Ties go by a round's drawn order."""
    fewest = min(counts[name] for name in study.conditions)
    source = random.Random(f"{study.seed} conditions {fewest}")
    shuffled = source.sample(list(study.conditions), len(study.conditions))
    return next(name for name in shuffled if counts[name] == fewest)


def _ordered(plan: Plan, used: Sequence[Cell], code: str) -> dict[str, Any]:
    study = plan.study
    names = [block.name for block in study.test]
    block_orders = balanced_latin_square(len(names)) if study.block_order == "latin-square" else [[0]]
    block_row = least_used(len(block_orders), _counts((cell.block_row, cell.people) for cell in used))
    if study.block_order == "random":
        random.Random(f"{study.seed} {code} blocks").shuffle(names)
    elif study.block_order == "latin-square":
        names = [names[place] for place in block_orders[block_row]]
    # Orders of tasks are balanced among those who have the same order of blocks.
    similar = [cell for cell in used if cell.block_row == block_row]
    rows: dict[str, int] = {}
    tasks: dict[str, tuple[str, ...]] = {}
    for block in study.test:
        own = plan.tasks[block.name]
        taken = _counts((cell.rows.get(block.name), cell.people) for cell in similar)
        rows[block.name] = row = least_used(rows_of(block, own), taken)
        tasks[block.name] = order_of(block, own, study.seed, code, row)
    order = [task for name in names for task in tasks[name]]
    note = {"tasks": order, "row": rows[study.test[0].name], "seed": study.seed}
    return note if names == ["test"] else note | {"blocks": names, "block_row": block_row, "rows": rows}


def _units(test: Test, tasks: Tasks) -> list[list[str]]:
    """Return the ids that stay together."""
    if test.by == "task":
        return [[task.id] for task in tasks]
    groups: dict[str, list[str]] = {}
    for task in tasks:
        groups.setdefault(str(task.level) if isinstance(task, Task) else task.group, []).append(task.id)
    return list(groups.values())


def current_stage(plan: Plan, progress: Progress) -> Stage:
    """Return the stage that a participant has reached, perhaps an ending."""
    plan = plan.of(progress.condition)
    if early := progress.ending or _early_ending(plan, progress):
        return early
    late, skipped = _late_blocks(plan, progress), _skipped(plan, progress)
    reached = next(
        stage
        for stage in _stages(plan, progress)
        if not (_is_done(stage, progress, late) or stage.name in skipped)
    )
    return Ending(_last_ending(plan, progress), COMPLETED) if isinstance(reached, Ending) else reached


def _early_ending(plan: Plan, progress: Progress) -> Ending | None:
    """Return a participant's ending before the last stage. None while the study continues."""
    if is_screened_out(plan.study, progress.answers):
        return Ending("screened", "screened")
    if _has_poor_picture(plan, progress):
        return Ending("device", "device")
    practice = plan.study.practice
    if practice is not None and practice.if_failed == "end" and _has_failed_practice(plan, progress):
        return Ending("failed", "failed")
    return None


def _has_poor_picture(plan: Plan, progress: Progress) -> bool:
    """Return whether the picture was never good enough for the study. Who only tries it out may continue."""
    picture = plan.study.picture
    if picture is None or picture.if_failed == "continue" or progress.participant.test:
        return False
    checks = _task_stages(plan, progress, PICTURE)
    return not progress.good_picture and all(_is_practised(stage, progress) for stage in checks)


def _last_ending(plan: Plan, progress: Progress) -> str:
    """Return a participant's ending after the last stage. A failed practice may be late as well."""
    if _has_failed_practice(plan, progress):
        return "failed"
    test = _task_stages(plan, progress, "test")
    return COMPLETED if all(progress.trials_at(stage.position) for stage in test) else "late"


def _stages(plan: Plan, progress: Progress) -> tuple[Stage, ...]:
    return plan.stages(progress.order, progress.blocks)


def _late_blocks(plan: Plan, progress: Progress) -> set[str]:
    """Return the names of the test's blocks whose time is up."""
    positions = plan.positions(progress.blocks)
    limits = ((block.name, block.limit_minutes) for block in plan.study.test)
    return {
        name
        for name, limit in limits
        if limit is not None and progress.played_s(positions[name]) >= 60 * limit
    }


def enrol(plan: Plan, store: Store, code: str, link: Mapping[str, str], *, test: bool = False) -> Participant:
    """Enrol a person who has agreed. One who is enrolled already is left unchanged. Who only tries the study
    out (`test`) takes no one's place in the design."""
    person = store.add_participant(code, plan.study.name, link, test=test, kind=plan.study.kind)
    if not progress_of(store, person).order:
        for kind, form in ((CONSENT, plan.study.consent), (ASSENT, plan.study.assent)):
            if form is not None:
                store.note(person.id, kind, {"agreed": True, "version": form.version, "title": form.title})
        free_places(plan, store)
        used = stored.used_cells(store, plan.study.name, test=test)
        condition = link.get(plan.study.participants.condition or "")
        store.note(person.id, ORDER, assigned(plan, used, code, condition))
    return person


def is_full(plan: Plan, store: Store) -> bool:
    """Return whether newcomers are turned away."""
    quota = plan.study.participants.quota
    free_places(plan, store)
    return quota is not None and stored.taking_part(store, plan.study.name) >= quota


def free_places(plan: Plan, store: Store) -> None:
    """Note who has left, by `participants.timeout`."""
    limit_s = plan.study.participants.timeout_s
    if limit_s is None:
        return
    for progress in all_progress(store, plan.study.name, test=True):
        person = progress.participant
        if person.agent is None and progress.ending is None and time.time() - progress.last_at > limit_s:
            store.note(person.id, LEFT, {"by": "timeout"})


def mark_left(store: Store, person: Participant) -> bool:
    """Note that a participant in progress has left, as the experimenter says. False if it was over before."""
    if progress_of(store, person).ending is not None:
        return False
    store.note(person.id, LEFT, {"by": "experimenter"})
    return True


def come_back(plan: Plan, store: Store, person: Participant) -> Progress:
    """Return an active participant's progress, back in the study if possible."""
    progress = progress_of(store, person)
    if progress.ending is None or progress.ending.name != LEFT:
        return progress
    if not person.test and is_full(plan, store):
        return progress
    store.note(person.id, RETURNED)
    return progress_of(store, person)


def refuse(plan: Plan, store: Store, form: Consent) -> None:
    """Note a refusal to agree to a form, without personal data."""
    study = store.add_participant(STUDY_CODE, plan.study.name)
    kind = ASSENT if form is plan.study.assent else CONSENT
    store.note(study.id, kind, {"agreed": False, "version": form.version})


def finish_page(
    plan: Plan,
    store: Store,
    person: Participant,
    stage: TextStage | QuestionStage,
    answers: Mapping[str, str],
) -> None:
    """A page was read, or its questions answered. An item that was left out is stored as an empty answer."""
    if isinstance(stage, QuestionStage):
        asked = asked_on(plan, progress_of(store, person), stage, answers)
        for item in stage.questionnaire.items:
            value = item.stored(answers.get(item.id, "")) if item in asked else ""
            checked = item.is_as_expected(value) if item in asked else None
            store.answer(person.id, stage.page, item.id, value, asked=item in asked, as_expected=checked)
    store.note(person.id, PAGE_DONE, {"stage": stage.name})
    advance(plan, store, person)


def asked_on(plan: Plan, progress: Progress, stage: QuestionStage, answers: Mapping[str, str]) -> list[Item]:
    """Return the asked items of a page filled in like this."""
    return asked_items(
        plan.of(progress.condition).study, stage.questionnaire, given(progress.answers), answers
    )


def withdraw(store: Store, person: Participant, stage: Stage, **note: str) -> None:
    """The participant leaves the study, perhaps in the middle of a trial. `note` is stored with that."""
    if isinstance(stage, TaskStage):
        store.withdraw(person.id, stage.position)
    store.note(person.id, WITHDRAWN, {"stage": stage.name, **note})


def advance(plan: Plan, store: Store, person: Participant) -> None:
    """Note which pages a participant skips, and how the study ended, once."""
    progress = progress_of(store, person)
    if progress.ending is not None:
        return
    stage = current_stage(plan, progress)
    if not isinstance(stage, Ending) or stage.note == COMPLETED:
        _note_skipped(plan.of(progress.condition), store, progress, stage)
    if isinstance(stage, Ending):
        store.note(person.id, stage.note, {"ending": stage.name})


def _note_skipped(plan: Plan, store: Store, progress: Progress, reached: Stage) -> None:
    """Store skipped pages' items before the reached stage as not asked."""
    skipped, person = _skipped(plan, progress), progress.participant.id
    for stage in takewhile(lambda each: each != reached, _stages(plan, progress)):
        if isinstance(stage, QuestionStage) and stage.name in skipped - progress.pages_done:
            for item in stage.questionnaire.items:
                store.answer(person, stage.page, item.id, "", asked=False)
            store.note(person, PAGE_DONE, {"stage": stage.name, "asked": False})


def _skipped(plan: Plan, progress: Progress) -> frozenset[str]:
    """Return the names of pages not shown after the answers so far."""
    answers = given(progress.answers)
    pages = (stage for stage in _stages(plan, progress) if isinstance(stage, QuestionStage))
    return frozenset(
        page.name for page in pages if not is_page_asked(plan.study, page.questionnaire, answers)
    )


def _is_done(stage: Stage, progress: Progress, late: Collection[str]) -> bool:
    """Return whether a stage is done. In the `late` blocks of the test, tasks not begun are over."""
    match stage:
        case TaskStage(phase="test"):
            trials = progress.trials_at(stage.position)
            return all(map(progress.is_over, trials)) if trials else stage.block_name in late
        case TaskStage():
            return _is_practised(stage, progress)
        case TextStage() | QuestionStage():
            return stage.name in progress.pages_done or stage.block in late
    return False


def _task_stages(plan: Plan, progress: Progress, phase: Phase) -> list[TaskStage]:
    tasks = (stage for stage in _stages(plan, progress) if isinstance(stage, TaskStage))
    return [stage for stage in tasks if stage.phase == phase]


def _is_practised(stage: TaskStage, progress: Progress) -> bool:
    """Return whether a task of tutorial or practice needs no further attempt."""
    if isinstance(stage.block, Practice) and _has_met(stage.block, progress):
        return True
    if stage.phase == PICTURE and progress.good_picture:
        return True
    trials = progress.trials_at(stage.position)
    if not trials or not progress.is_over(trials[-1]):
        return False
    # An episode that could not be resumed would fail again.
    hopeless = trials[-1].id in progress.abandoned
    tried_enough = stage.tries is not None and len(trials) >= stage.tries
    return hopeless or tried_enough or (stage.phase != PICTURE and any(map(_is_passed, trials)))


def _is_passed(trial: Trial) -> bool:
    unjudged = trial.pass_mark is None and trial.passed is None
    return bool(trial.passed) or (trial.finished_at is not None and unjudged)


def _has_met(practice: Practice, progress: Progress) -> bool:
    """Return whether enough last attempts were passed, if that is the criterion."""
    criterion = practice.criterion
    if criterion is None:
        return False
    positions = range(-len(practice.task_ids), 0)
    tried = [trial for trial in progress.trials if trial.position in positions and trial.finished_at]
    return sum(map(_is_passed, tried[-criterion.of_last :])) >= criterion.passed


def _has_failed_practice(plan: Plan, progress: Progress) -> bool:
    """Return whether the criterion can no longer be met. Unresumable trials do not count."""
    practice = plan.study.practice
    if practice is None or _has_met(practice, progress):
        return False
    stages = _task_stages(plan, progress, "practice")
    trials = {stage.position: progress.trials_at(stage.position) for stage in stages}
    tried = [stage for stage in stages if _is_practised(stage, progress)]
    if practice.criterion is not None:
        resumed = not any(trial.id in progress.abandoned for each in trials.values() for trial in each)
        return resumed and len(tried) == len(stages)
    return any(
        not any(_is_passed(trial) or trial.id in progress.abandoned for trial in trials[stage.position])
        for stage in tried
    )


class StudyTaskSource(TaskSource):
    """The `TaskSource` of a study."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def next_task(self, store: Store, person: Participant, kind: type[Wanted]) -> Assignment[Wanted] | None:
        """Return the task that the participant has reached, or None. None at another stage or of another
        kind. An interrupted trial is abandoned before."""
        found = super().next_task(store, person, kind)
        if found is not None and (interrupted := store.open_trial(person.id)) is not None:
            store.note(person.id, ABANDONED, {"trial": interrupted.id})
            return super().next_task(store, person, kind)
        return found

    def following(self, store: Store, person: Participant) -> AnyAssignment | None:
        """The task that a participant is at, if they are at one."""
        if person.study != self._plan.study.name:
            return None
        progress = progress_of(store, person)
        stage = current_stage(self._plan, progress) if progress.order else None
        return self._assignment(progress, stage) if isinstance(stage, TaskStage) else None

    def again(self, store: Store, person: Participant, trial: Trial) -> AnyAssignment | None:
        """The task that the participant is at, if it is the trial's."""
        found = self.following(store, person)
        return found if found is not None and found.position == trial.position else None

    def finished(self, store: Store, person: Participant) -> None:
        """Note the completion if this was the last stage."""
        advance(self._plan, store, person)

    def next_page(self, person: Participant) -> str | None:
        """Return the study's first page, which shows the present stage."""
        return "/"

    def _assignment(self, progress: Progress, stage: TaskStage) -> AnyAssignment:
        study, block = self._plan.of(progress.condition).study, stage.block
        picture = study.picture
        return Assignment(
            task=stage.task,
            position=stage.position,
            seed=study.seed,
            count=stage.count if stage.phase == "test" else None,
            title=block.title or getattr(study.words, stage.phase, study.title),
            views=block.views,
            feedback=block.feedback,
            # A number below the mark discourages children.
            show_score=False,
            may_stop=block.may_stop,
            block=stage.block_name,
            limit_s=block.limit_s,
            max_pause_s=block.limit_pause_s,
            stars=study.style == "child",
            palette=study.palette,
            words=study.words,
            may_leave=True,
            fixed=picture.level if picture else None,
            check=picture if stage.phase == PICTURE else None,
        )
