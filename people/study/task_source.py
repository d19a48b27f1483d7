"""The tasks of a study, as the game and the pages of suites request them."""

from arena.action import STEP_S
from arena.rules import SAFETY_STEPS
from people.play.course import SuiteTask
from people.play.task_source import Assignment, Wanted, is_same, of_kind
from people.store import Participant, Store, Trial
from people.study.flow import advance, current_stage
from people.study.plan import Plan, TaskStage
from people.study.progress import ABANDONED, Progress, progress_of
from testbed import Task


class StudyTaskSource:
    """The `TaskSource` of a study; `flow` decides."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def next_task(
        self, store: Store, participant: Participant, kind: type[Wanted]
    ) -> Assignment[Wanted] | None:
        """The task that the participant has reached, None at another stage or of another kind.

        An interrupted trial is abandoned before.
        """
        found = of_kind(self._reached(store, participant), kind)
        if found is not None and (interrupted := store.open_trial(participant.id)) is not None:
            store.note(participant.id, ABANDONED, {"trial": interrupted.id})
            return of_kind(self._reached(store, participant), kind)
        return found

    def resumed(
        self, store: Store, participant: Participant, trial: Trial, kind: type[Wanted]
    ) -> Assignment[Wanted] | None:
        """The trial's task, if the participant is at it and it is unchanged."""
        assignment = self._reached(store, participant)
        same = assignment is not None and assignment.position == trial.position
        return of_kind(assignment, kind) if same and is_same(trial, assignment) else None

    def finished(self, store: Store, participant: Participant) -> None:
        """Note the completion if this was the last stage."""
        advance(self._plan, store, participant)

    def next_page(self, participant: Participant) -> str | None:
        """The study's first page, which shows the present stage."""
        return "/"

    def _reached(self, store: Store, participant: Participant) -> Assignment[Task | SuiteTask] | None:
        """The task that a participant is at, if they are at one."""
        if participant.study != self._plan.study.name:
            return None
        progress = progress_of(store, participant)
        stage = current_stage(self._plan, progress) if progress.order else None
        return self._assignment(progress, stage) if isinstance(stage, TaskStage) else None

    def _assignment(self, progress: Progress, stage: TaskStage) -> Assignment[Task | SuiteTask]:
        study, block = self._plan.of(progress.condition).study, stage.block
        titles = {"tutorial": study.words.tutorial, "practice": study.words.practice, "test": study.title}
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
            label=f"Task {stage.number} of {stage.count}",
        )
