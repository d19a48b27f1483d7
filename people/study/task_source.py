"""The tasks of a study, as the game and the pages of suites request them."""

from people.play.picture import PICTURE
from people.play.task_source import AnyAssignment, Assignment, TaskSource, Wanted
from people.store import Participant, Store, Trial
from people.study.flow import advance, current_stage
from people.study.plan import Plan, TaskStage
from people.study.progress import ABANDONED, Progress, progress_of


class StudyTaskSource(TaskSource):
    """The `TaskSource` of a study; `flow` decides."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def next_task(self, store: Store, person: Participant, kind: type[Wanted]) -> Assignment[Wanted] | None:
        """The task that the participant has reached, None at another stage or of another kind.

        An interrupted trial is abandoned before.
        """
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
        """The study's first page, which shows the present stage."""
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
