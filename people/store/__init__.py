"""Database of people's data: participants, trials, actions, answers and notes. Every action is stored as it
is taken."""

from arena.packages import require

require("people", "sqlalchemy")

from people.store.database import DatabaseUnavailable, InvalidRequest, StoreError  # noqa: E402
from people.store.store import Deleted, Store  # noqa: E402
from people.store.tables import ActionRow, Answer, Note, Participant, Stretch, Trial  # noqa: E402
from people.store.writer import Writer  # noqa: E402

__all__ = [
    "ActionRow", "Answer", "DatabaseUnavailable", "Deleted", "InvalidRequest", "Note",
    "Participant", "Store", "StoreError", "Stretch", "Trial", "Writer",
]  # fmt: skip
