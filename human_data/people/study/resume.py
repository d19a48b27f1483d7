"""A study continues as it began: its file is stored with its data, and a changed file is refused."""

from typing import Any

from pydantic import ValidationError

from human_data.people.store import Store
from human_data.people.store.errors import InvalidRequest, display_name
from human_data.people.store.tables import STUDY_CODE
from human_data.people.study.config import Study
from human_data.people.study.plan import CHANGEABLE, Plan, described
from human_data.people.study.progress import all_progress

CONFIG = "config"
"""Kind of the notes that contain a study's file."""


def start_or_resume(store: Store, plan: Plan) -> int:
    """Store the study's file if it is new; returns the number of participants in progress.

    Raises InvalidRequest if the file has changed since participants in progress started.
    """
    name, now = plan.study.name, plan.described()
    study = store.add_participant(STUDY_CODE, name)
    stored = [note.data for note in store.study_notes(name) if note.kind == CONFIG]
    participants = all_progress(store, name)
    in_progress = sum(not (each.completed or each.withdrawn) for each in participants)
    if stored and stored[-1]["sha256"] == plan.sha256():
        return in_progress
    if stored and in_progress:
        was = _in_this_version(stored[-1]["study"])
        keys = sorted({*was, *now} - CHANGEABLE)
        if changed := [key for key in keys if was.get(key) != now.get(key)]:
            raise InvalidRequest(
                f"{plan.source}: {in_progress} of {len(participants)} participants in "
                f"{display_name(store.database.url)} are in the middle of the study {name}, which has "
                f"changed since: {', '.join(changed)}. Undo the change, or use another name or another --db"
            )
    store.note(study.id, CONFIG, {"sha256": plan.sha256(), "study": now})
    return in_progress


def _in_this_version(stored: dict[str, Any]) -> dict[str, Any]:
    """A stored study with the keys that were added since, which have their defaults."""
    keys = {field.alias or name for name, field in Study.model_fields.items()}
    try:
        study = Study.model_validate({key: value for key, value in stored.items() if key in keys})
    except ValidationError:
        return stored
    return stored | described(study)
