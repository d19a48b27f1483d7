"""Where people's data are kept: participants, trials, each action as it happens, answers and notes."""

from human_data.people.extra import require

require("sqlalchemy")

from human_data.people.store.deletion import Deleted  # noqa: E402
from human_data.people.store.errors import DatabaseAway, Refused, StoreError  # noqa: E402
from human_data.people.store.store import Store  # noqa: E402
from human_data.people.store.tables import ActionRow, Answer, Note, Participant, Trial  # noqa: E402
from human_data.people.store.writer import Writer, WriterState  # noqa: E402

__all__ = [
    "ActionRow",
    "Answer",
    "DatabaseAway",
    "Deleted",
    "Note",
    "Participant",
    "Refused",
    "Store",
    "StoreError",
    "Trial",
    "Writer",
    "WriterState",
]
