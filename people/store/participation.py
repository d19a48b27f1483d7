"""A participant's part in a study, derived from their notes. It is condition, blocks, and ending."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple

from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.orm import aliased

from people.store.store import Store
from people.store.tables import Note, Participant, grouped, participants_of

CONSENT, ORDER = "consent", "order"
COMPLETED: Final = "completed"
ENDED, WITHDRAWN, LEFT, RETURNED = "ended", "withdrawn", "left", "returned"
"""Notes of endings and returns; the last one counts. They are: after the last stage, earlier by the study, by
the participant's wish, and by a long absence, which a return undoes."""

KINDS = (CONSENT, ORDER, COMPLETED, ENDED, WITHDRAWN, LEFT, RETURNED)
IN_PROGRESS = "in progress"

EndPage = Literal["completed", "withdrawn", "screened", "device", "failed", "left"]


class Ending(NamedTuple):
    """A participant's ending of the study, and its final page.

    completed; failed, the criterion of the practice, and late, out of time before the last test task: with
    the page `completed` if the study went on; screened: did not fit it, or failed attention checks; device:
    the picture was not good enough; withdrawn: left by their own wish; left: was away for too long.
    """

    name: str
    page: EndPage

    @property
    def note(self) -> str:
        """The kind of the note with which the study ends."""
        return COMPLETED if self.page == COMPLETED else ENDED

    @property
    def returns(self) -> str:
        """Key of `completion.returns` with the displayed link. That of completion has none."""
        return "stopped" if self.name in (WITHDRAWN, LEFT) else self.name


class Participation(NamedTuple):
    """Part in a study: consent form's version, condition, blocks, enrolment, ending."""

    consent_version: str | None = None
    condition: str | None = None
    blocks: tuple[str, ...] = ()
    enrolled: bool = False
    ending: Ending | None = None

    @property
    def state(self) -> str | None:
        """Ending as exported; None outside of studies."""
        return self.ending.name if self.ending else IN_PROGRESS if self.enrolled else None


def participation_of(notes: Iterable[Note]) -> Participation:
    """Return the part in the study of a participant with these notes. Notes are by time."""
    found = Participation()
    for note in notes:
        data: dict[str, Any] = note.data
        match note.kind:
            case "consent":
                found = found._replace(consent_version=data.get("version"))
            case "order":
                found = found._replace(
                    condition=data.get("condition"), blocks=tuple(data.get("blocks", ())), enrolled=True
                )
            case "completed" | "ended" | "withdrawn" | "left":
                name: Any = data.get("ending", note.kind)
                page: Any = name if note.kind == ENDED else note.kind
                found = found._replace(ending=Ending(name, page))
            case "returned":
                found = found._replace(ending=None)
    return found


def participations(store: Store, study: str, *, test: bool = False) -> dict[int, Participation]:
    """Return the parts of all participants of a study, by their ids. `test` as for `participants_of`."""
    chosen = select(Note).join(Participant).where(*participants_of(study, test), Note.kind.in_(KINDS))
    with store.database.reading() as session:
        notes = grouped(session.scalars(chosen.order_by(Note.at, Note.key)), lambda note: note.participant_id)
    return defaultdict(Participation, {person: participation_of(own) for person, own in notes.items()})


def has_place() -> ColumnElement[bool]:
    """Select participants in progress or with a completed study. Others left their place."""
    end, back = aliased(Note), aliased(Note)
    same = back.participant_id == end.participant_id
    undone = exists().where(same, back.kind == RETURNED, back.at >= end.at)
    gone = end.kind.in_((WITHDRAWN, ENDED, LEFT))
    return ~exists().where(end.participant_id == Participant.id, gone, ~undone)
