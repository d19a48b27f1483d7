"""The tasks of a study, as the game requests them."""

from arena import Recording
from arena.action import STEP_S
from arena.recording import spec_sha256
from arena.rules import SAFETY_STEPS
from people.play.task_source import Assignment
from people.store import Participant, Store, Trial
from people.study.flow import abandon, advance, current_stage
from people.study.plan import Plan, TaskStage
from people.study.progress import Progress, progress_of


class StudyTaskSource:
    """The `TaskSource` of a study; `flow` decides."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def next_task(self, store: Store, participant: Participant) -> Assignment | None:
        """The task that the participant has reached, None at another stage."""
        if participant.study != self._plan.study.name:
            return None
        if (interrupted := store.open_trial(participant.id)) is not None:
            abandon(store, participant, interrupted.id)
        progress = progress_of(store, participant)
        stage = current_stage(self._plan, progress) if progress.order else None
        return self._assignment(progress, stage) if isinstance(stage, TaskStage) else None

    def resumed(self, store: Store, participant: Participant, trial: Trial) -> Assignment | None:
        """The trial's task, if the participant is at it and it is unchanged."""
        progress = progress_of(store, participant)
        stage = current_stage(self._plan, progress)
        if not isinstance(stage, TaskStage) or stage.position != trial.position:
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
