"""A participant's part in a study, from the notes about them: condition, blocks, and how it ended."""

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
"""Notes of endings: after the last stage, earlier by the study, by the participant's wish, and by a long
absence, which a return undoes. The last one counts."""

KINDS = (CONSENT, ORDER, COMPLETED, ENDED, WITHDRAWN, LEFT, RETURNED)
IN_PROGRESS = "in progress"

EndPage = Literal["completed", "withdrawn", "screened", "device", "failed", "left"]


class Ending(NamedTuple):
    """How a study ended for a participant, and the page that is shown from then on.

    completed; failed, the criterion of the practice, and late, out of time before the last test task: with
    the page `completed` if the study went on; screened: did not fit it, or failed attention checks;
    device: the picture was not good enough; withdrawn: left by their own wish; left: was away for too long.
    """

    name: str
    page: EndPage

    @property
    def note(self) -> str:
        """The kind of the note with which the study ends."""
        return COMPLETED if self.page == COMPLETED else ENDED

    @property
    def returns(self) -> str:
        """The key of `completion.returns` with the link that is shown; that of completion has none."""
        return "stopped" if self.name in (WITHDRAWN, LEFT) else self.name


class Participation(NamedTuple):
    """Version of the consent form, condition, order of several blocks, whether enrolled, and the ending."""

    consent_version: str | None = None
    condition: str | None = None
    blocks: tuple[str, ...] = ()
    enrolled: bool = False
    ending: Ending | None = None

    @property
    def state(self) -> str | None:
        """The ending as exported; None outside of studies."""
        return self.ending.name if self.ending else IN_PROGRESS if self.enrolled else None


def participation_of(notes: Iterable[Note]) -> Participation:
    """The part that somebody with these notes, by time, has in the study."""
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
    """The parts of all participants of a study, by their ids; `test` as for `participants_of`."""
    chosen = select(Note).join(Participant).where(*participants_of(study, test), Note.kind.in_(KINDS))
    with store.database.reading() as session:
        notes = grouped(session.scalars(chosen.order_by(Note.at, Note.key)), lambda note: note.participant_id)
    return defaultdict(Participation, {person: participation_of(own) for person, own in notes.items()})


def has_place() -> ColumnElement[bool]:
    """Selects participants who are in progress or completed the study: others left their place."""
    end, back = aliased(Note), aliased(Note)
    same = back.participant_id == end.participant_id
    undone = exists().where(same, back.kind == RETURNED, back.at >= end.at)
    gone = end.kind.in_((WITHDRAWN, ENDED, LEFT))
    return ~exists().where(end.participant_id == Participant.id, gone, ~undone)
