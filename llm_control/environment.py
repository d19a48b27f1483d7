"""Arena episodes as the runner's environment: observations out, scripts in."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from arena import Action, Episode, EventKind, Recording
from arena.errors import RecordingError
from arena.science import believed
from arena.science.families import truth
from evaluation.episode import after_text
from evaluation.prompts import PromptSet
from evaluation.suite import EpisodeSetup, ModelEnd, Observation, Part, Record
from llm_control.choices import ArenaChoices
from llm_control.messages import belief_parts, first_parts, laboratory, turn_parts
from llm_control.observations import View, eye, words
from llm_control.play import ScriptedEpisode, Stated, TurnRecord
from render import DRAWN_BY
from testbed import Task

STEPS_PER_TURN = 50
"""Steps of an agent's turn in log and report, 3 s."""


class ArenaEnvironment:
    """Plays one episode by scripts. Raises LayoutError if its arena cannot be built."""

    def __init__(self, setup: EpisodeSetup) -> None:
        choices: ArenaChoices = setup.choices
        task: Task = setup.task.content
        if not setup.draws:
            choices = choices.model_copy(update={"vision": "blind"})
        self.episode = Episode(task.spec, task_id=task.id, seed=choices.seed, trial=setup.trial)
        self._choices, self._prompts = choices, setup.prompts
        self.asked: Stated | None = None
        self._next = Observation()
        others = [task.content for task in setup.tasks]
        self._played = ScriptedEpisode(self.episode, eye(choices, task, others, setup.trial), choices)

    @property
    def known(self) -> tuple[Action, ...]:
        """Actions taken so far, for offline agents that follow a plan."""
        return self.episode.actions

    @property
    def turns(self) -> list[TurnRecord]:
        """Turns so far."""
        return self._played.turns

    def begin(self) -> Observation:
        """Take the idle steps before the first reply; return their observation."""
        view = View(self._played.begin(), words(self._choices, self.episode.scene()))
        health, first_health = self.episode.health, self._played.first_health
        parts = first_parts(self._choices, self._prompts, health, view, first_health)
        asked = laboratory(self.episode.spec, self._prompts, self._choices.beliefs)
        return self._observation(after_text(asked, parts))

    def reply(self, text: str) -> Observation:
        """Play a script or record a belief. An invalid script costs one idle step."""
        return self._believed(text, self.asked) if self.asked else self._after(self._played.reply(text))

    def refuse(self, text: str, reason: str) -> Observation:
        """Idle for one step, because the reply calls no tool."""
        return self._after(self._played.refuse(text, reason))

    def act(self, text: str, actions: Iterable[Action]) -> None:
        """Take actions without a script; `text` replaces the reply."""
        self._played.act(text, actions)

    def finish(self) -> Record:
        """Run the clock down after the model's part, and end the episode."""
        record = arena_record(*self._played.finish(), self._prompts)
        if (question := self.episode.spec.question) is None:
            return record
        right = truth(question, self.episode.seed, self.episode.task_id, self.episode.trial)
        found = question.hidden.measures(self.episode.experiments.seen, right)
        if self._choices.beliefs:
            asked = [turn.stated for turn in self.turns if turn.stated]
            found |= believed(asked, self.episode.experiments.door)
        return replace(record, metrics={**record.metrics, **found})

    def close(self) -> None:
        """Free the physics of an interrupted episode."""
        self.episode.close()

    def _after(self, turn: TurnRecord) -> Observation:
        played = self._played
        if not played.wants_reply:
            return Observation(done=True, reward=turn.reward)
        frames = (*played.along, played.frame()) if self._choices.shows_images else ()
        view = View(frames, words(self._choices, self.episode.scene()))
        counted = turn._replace(turn=played.scripts)
        parts = turn_parts(self._choices, self._prompts, counted, view, played.step_health)
        shown = self._observation(parts, turn.reward)
        question, happened = self.episode.spec.question, {event.kind for event in turn.events}
        (seen, door), asks = self.episode.experiments, self._choices.beliefs
        if not asks or question is None or EventKind.EXPERIMENT not in happened or door is not None:
            return shown
        exact = question.hidden.of_doors(question.hidden.posterior(seen))
        self.asked = Stated(len(seen), tuple(exact.tolist()))
        # The question is not sent again, so the script's result is also shown after the answer.
        self._next = replace(shown, reward=0.0)
        return replace(shown, parts=belief_parts(self._prompts, view, question), kind="predict")

    def _believed(self, text: str, asked: Stated) -> Observation:
        """Record a belief; an unusable one is missing, and the episode continues."""
        # Imported here, as most episodes ask for none.
        from evaluation.script.laboratory import read_belief

        read = read_belief(text, len(asked.posterior), strict=self._choices.strict)
        self._played.believe(text, read, asked._replace(belief=read.belief))
        self.asked = None
        return self._next

    def _observation(self, parts: tuple[Part, ...], reward: float = 0.0) -> Observation:
        seen = self._choices.shows_images and self._choices.vision != "blind"
        return Observation(
            parts, not self._played.wants_reply, reward=reward, drawn_by=DRAWN_BY if seen else None
        )


def arena_record(
    turns: tuple[TurnRecord, ...], model_end: ModelEnd, recording: Recording, prompts: PromptSet
) -> Record:
    """Build a finished episode's record; its recording reproduces it."""
    return Record(
        turns=tuple(turn.as_dict() for turn in turns),
        outcome=str(recording.outcome),
        passed=recording.passed,
        score=None if recording.passed is None else float(recording.passed),
        metrics={"total_reward": recording.total_reward, "steps": recording.steps},
        model_end=model_end,
        replay=recording.model_dump(mode="json"),
        summary=prompts["episode_end"].fill(outcome=recording.outcome, total_reward=recording.total_reward),
    )


def recording_of(replay: Any) -> Recording:
    """Read the recording in an episode's log. Raises RecordingError if it is broken."""
    try:
        return Recording.model_validate(replay)
    except ValidationError as error:
        raise RecordingError(f"its recording is broken: {str(error).splitlines()[0]}") from None
