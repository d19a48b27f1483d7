"""The tasks of a study, as the game and the pages of suites request them."""

from arena import Recording
from arena.action import STEP_S
from arena.recording import spec_sha256
from arena.rules import SAFETY_STEPS
from people.play.task_source import Assignment
from people.store import Participant, Store, Trial
from people.study.flow import abandon, advance, current_stage
from people.study.plan import Plan, SuiteTask, TaskStage
from people.study.progress import Progress, progress_of
from people.suites.games import Assigned
from testbed import Task


def _reached(plan: Plan, store: Store, participant: Participant) -> tuple[Progress, TaskStage | None]:
    """A participant's progress, and the task that they are at, if they are at one."""
    progress = progress_of(store, participant)
    stage = current_stage(plan, progress) if progress.order else None
    return progress, stage if isinstance(stage, TaskStage) else None


def _next(
    plan: Plan, store: Store, participant: Participant, kind: type[Task] | type[SuiteTask]
) -> tuple[Progress, TaskStage] | None:
    """Progress and the task to begin, if it is of this kind; an interrupted one is abandoned before."""
    if participant.study != plan.study.name:
        return None
    progress, stage = _reached(plan, store, participant)
    if stage is None or not isinstance(stage.task, kind):
        return None
    if (interrupted := store.open_trial(participant.id)) is not None:
        abandon(store, participant, interrupted.id)
        progress, stage = _reached(plan, store, participant)
    return (progress, stage) if stage is not None and isinstance(stage.task, kind) else None


class StudyTaskSource:
    """The `TaskSource` of a study; `flow` decides."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def next_task(self, store: Store, participant: Participant) -> Assignment | None:
        """The task of the arena that the participant has reached, None at another stage."""
        found = _next(self._plan, store, participant, Task)
        return self._assignment(*found) if found is not None else None

    def resumed(self, store: Store, participant: Participant, trial: Trial) -> Assignment | None:
        """The trial's task, if the participant is at it and it is unchanged."""
        progress, stage = _reached(self._plan, store, participant)
        if stage is None or not isinstance(stage.task, Task) or stage.position != trial.position:
            return None
        got = (trial.task_id, trial.spec_sha256, trial.seed, trial.mode)
        study = self._plan.study
        expected = (stage.task.id, spec_sha256(stage.task.spec), study.seed, study.mode)
        return self._assignment(progress, stage) if got == expected else None

    def finished(self, store: Store, participant: Participant, trial: Trial, recording: Recording) -> None:
        """Note the completion if this was the last stage."""
        advance(self._plan, store, participant)

    def next_page(self, participant: Participant) -> str | None:
        """The study's first page, which shows the present stage."""
        return "/"

    def _assignment(self, progress: Progress, stage: TaskStage) -> Assignment:
        study, block = self._plan.of(progress.condition).study, stage.block
        titles = {"tutorial": study.words.tutorial, "practice": study.words.practice, "test": study.title}
        assert isinstance(stage.task, Task)
        return Assignment(
            task=stage.task,
            position=stage.position,
            seed=study.seed,
            mode=study.mode,
            count=stage.count if stage.phase == "test" else None,
            title=block.title or titles[stage.phase],
            views=block.views,
            feedback=block.feedback,
            # A number below the mark discourages children.
            show_score=False,
            may_stop=block.may_stop,
            block=stage.block_name,
            max_steps=SAFETY_STEPS if block.limit_s is None else max(1, round(block.limit_s / STEP_S)),
            max_pause_s=block.limit_pause_s,
            stars=study.style == "child",
            palette=study.palette,
        )


class StudySuiteSource:
    """The `SuiteSource` of a study; `flow` decides."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def next_task(self, store: Store, participant: Participant) -> Assigned | None:
        """The task of a suite that the participant has reached, None at another stage."""
        found = _next(self._plan, store, participant, SuiteTask)
        return _assigned(found[1]) if found is not None else None

    def resumed(self, store: Store, participant: Participant, trial: Trial) -> Assigned | None:
        """The trial's task, if the participant is at it."""
        _, stage = _reached(self._plan, store, participant)
        at = None if stage is None else (stage.position, stage.task.id)
        return _assigned(stage) if stage is not None and at == (trial.position, trial.task_id) else None

    def finished(self, store: Store, participant: Participant) -> None:
        """Note the completion if this was the last stage."""
        advance(self._plan, store, participant)


def _assigned(stage: TaskStage) -> Assigned | None:
    task, block = stage.task, stage.block
    if not isinstance(task, SuiteTask):
        return None
    return Assigned(
        course=task.course,
        place=task.place,
        position=stage.position,
        label=f"Task {stage.number} of {stage.count}",
        block=stage.block_name,
        feedback=block.feedback,
        may_stop=block.may_stop,
    )
