"""What the store knows about a participant of a study: enough to determine their stage."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func, select

from human_data.people.play_end import seconds_of
from human_data.people.store import Note, Participant, Store, Trial
from human_data.people.store.tables import Action, Answer

CONSENT, ASSENT, ORDER, PAGE_DONE, ABANDONED = "consent", "assent", "order", "passed", "abandoned"
COMPLETED, ENDED, WITHDRAWN = "completed", "ended", "withdrawn"
KINDS = (CONSENT, ASSENT, ORDER, PAGE_DONE, ABANDONED, COMPLETED, ENDED, WITHDRAWN)
"""Notes about progress: consent, the child's assent and the order of tasks at the start, each page done or
skipped, a trial that could not be resumed, and the ends: after the last stage, earlier by the study, and by
the participant."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A participant's trials, in the order in which they were started, and the contents of their notes.

    `order` has the ids of the test's tasks and `blocks` the names of its blocks, as of `Plan.stages`; they
    are from row `block_row` of the design of blocks, and from these `rows` of the designs of each block.
    `pages_done` are names of stages, and `answers` those that were given on them; `abandoned` are the ids of
    trials that cannot be resumed. `ending` is that of a participant for whom the study is over: completed,
    failed, late or screened, as in `config.Returns`; `ended_early`: before its last stage, and not by the
    participant's wish.
    """

    participant: Participant
    trials: tuple[Trial, ...]
    order: tuple[str, ...]
    condition: str | None = None
    blocks: tuple[str, ...] = ()
    block_row: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)
    pages_done: frozenset[str] = frozenset()
    answers: tuple[Answer, ...] = ()
    abandoned: frozenset[int] = frozenset()
    ending: str | None = None
    ended_early: bool = False
    withdrawn: bool = False
    last_at: float = 0.0

    @property
    def completed(self) -> bool:
        """Whether the study is over for the participant, who has not left it."""
        return self.ending is not None

    def trials_at(self, position: int) -> list[Trial]:
        """The trials at a position of the order."""
        return [trial for trial in self.trials if trial.position == position]

    def is_over(self, trial: Trial) -> bool:
        """Whether a trial is finished or abandoned."""
        return trial.finished_at is not None or trial.id in self.abandoned

    def played_s(self, positions: range | None = None) -> float:
        """Seconds played in the finished trials of the test, or of these positions of it."""
        chosen = (trial for trial in self.trials if trial.position >= 0)
        return sum(_seconds(trial) for trial in chosen if positions is None or trial.position in positions)


def _seconds(trial: Trial) -> float:
    """Seconds played; in trials of version 0.2, which stored no others, those of the scored episode."""
    return seconds_of(trial.steps or 0) if trial.seconds_played is None else trial.seconds_played


def progress_of(store: Store, participant: Participant) -> Progress:
    """The progress of one participant."""
    notes = [note for note in store.notes(participant.id) if note.kind in KINDS]
    return _progress(participant, store.trials(participant.id), notes, store.answers(participant.id))


def all_progress(store: Store, study: str, *, test: bool = False) -> list[Progress]:
    """The progress of all participants of a study, in order of arrival, with few queries.

    With `test` also of those who only try it out.
    """
    participants = select(Participant.id).filter_by(study=study)
    with store.database.reading() as session:
        trials = _grouped(
            session.scalars(select(Trial).where(Trial.participant_id.in_(participants)).order_by(Trial.id))
        )
        chosen = Note.participant_id.in_(participants) & Note.kind.in_(KINDS)
        notes = _grouped(session.scalars(select(Note).where(chosen).order_by(Note.at, Note.key)))
        unfinished = Trial.participant_id.in_(participants) & Trial.finished_at.is_(None)
        latest_action = (
            select(Trial.participant_id, func.max(Action.at)).join(Action, Action.trial_id == Trial.id)
            .where(unfinished).group_by(Trial.participant_id)
        )  # fmt: skip
        answers = _grouped(session.scalars(select(Answer).where(Answer.participant_id.in_(participants))))
        times: dict[int, list[float]] = defaultdict(list)
        for participant, at in session.execute(latest_action):
            times[participant].append(at)
    return [
        _progress(person, trials[person.id], notes[person.id], answers[person.id], times[person.id])
        for person in store.participants(study, test=test)
    ]


def _grouped(rows: Iterable[Any]) -> dict[int, list[Any]]:
    groups: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        groups[row.participant_id].append(row)
    return groups


def _progress(
    participant: Participant,
    trials: Sequence[Trial],
    notes: Sequence[Note],
    answers: Sequence[Answer],
    times: Sequence[float] = (),
) -> Progress:
    data: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for note in notes:
        data[note.kind].append(note.data)
    order: dict[str, Any] = next(iter(data[ORDER]), {"tasks": (), "row": 0})
    pages_done = frozenset(page["stage"] for page in data[PAGE_DONE])
    events = [participant.created_at, *times, *(note.at for note in notes), *(each.at for each in answers)]
    events += [trial.finished_at or trial.begun_at for trial in trials]
    return Progress(
        participant=participant,
        trials=tuple(trials),
        order=tuple(order["tasks"]),
        condition=order.get("condition"),
        blocks=tuple(order.get("blocks", ())),
        block_row=order.get("block_row", 0),
        rows=order.get("rows", {"test": order["row"]}),
        pages_done=pages_done,
        answers=tuple(each for each in answers if f"questions-{each.page}" in pages_done),
        abandoned=frozenset(trial["trial"] for trial in data[ABANDONED]),
        ending=next((end.get("ending", COMPLETED) for end in data[COMPLETED] + data[ENDED]), None),
        ended_early=bool(data[ENDED]),
        withdrawn=WITHDRAWN in data,
        last_at=max(events),
    )
