"""What a person of a study plays next: the study's answer to the game's questions."""

from arena import Recording
from arena.action import STEP_S
from arena.recording import spec_sha256
from arena.rules import SAFETY_STEPS
from human_data.people.play.course import Assignment
from human_data.people.store import Participant, Store, Trial
from human_data.people.study.facts import facts_of
from human_data.people.study.flow import abandon, settle, where
from human_data.people.study.plan import Plan
from human_data.people.study.stages import Playing

PAGE = "/"
"""Where the page goes when the task is not followed by another."""


class StudyCourse:
    """`Course` of a study: the state machine of `flow` decides."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def next_task(self, store: Store, participant: Participant) -> Assignment | None:
        """The task that the person is at; None where they are at something else."""
        if participant.study != self._plan.study.name:
            return None
        if (broken := store.open_trial(participant.id)) is not None:
            abandon(store, participant, broken.id)
        facts = facts_of(store, participant)
        if not facts.order:
            return None
        stage = where(self._plan, facts)
        return self._assignment(stage) if isinstance(stage, Playing) else None

    def resumed(self, store: Store, participant: Participant, trial: Trial) -> Assignment | None:
        """The trial's task, where the person is at it, and it is as it was."""
        stage = where(self._plan, facts_of(store, participant))
        if not isinstance(stage, Playing) or stage.position != trial.position:
            return None
        got = (trial.task_id, trial.spec_sha256, trial.seed, trial.mode)
        study = self._plan.study
        expected = (stage.task.id, spec_sha256(stage.task.spec), study.seed, study.mode)
        return self._assignment(stage) if got == expected else None

    def finished(self, store: Store, participant: Participant, trial: Trial, recording: Recording) -> None:
        """Note where this was the last stage; `flow` reads the rest from the store."""
        settle(self._plan, store, participant)

    def after(self, participant: Participant) -> str | None:
        """The study's page, which knows what comes."""
        return PAGE

    def _assignment(self, stage: Playing) -> Assignment:
        study, block = self._plan.study, stage.block
        words = {"tutorial": study.words.tutorial, "practice": study.words.practice, "test": study.title}
        return Assignment(
            task=stage.task,
            position=stage.position,
            seed=study.seed,
            mode=study.mode,
            count=stage.count if stage.part == "test" else None,
            title=block.title or words[stage.part],
            views=block.views,
            feedback=block.feedback,
            may_stop=block.may_stop,
            most_steps=SAFETY_STEPS if block.limit_s is None else max(1, round(block.limit_s / STEP_S)),
        )
