"""A study continues as it began: its file is stored with its data, and a change of the experiment is refused.

Texts, the end, the quota and further codes may change at any time. Each change is a version of the study.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from people.store import Store
from people.store.errors import InvalidRequest, display_name
from people.store.participation import WITHDRAWN
from people.store.tables import CONFIG, STUDY_CODE
from people.study.config import Study
from people.study.flow import free_places
from people.study.plan import Plan
from people.study.progress import all_progress

CHANGEABLE = re.compile(
    r"(conditions\.[^.]+\.)?((completion|words|play_words)(\..*)?|language|(con|as)sent\.version"
    r"|participants\.(unsigned|quota|timeout)|(.*\.)?(title|text|contact|ask|help|low|high|unit|agree|refuse))"
)
"""Parts of the file that may be changed while participants are in progress; `participants.codes` may grow."""

CODES = "participants.codes"


class Started(NamedTuple):
    """Number of participants in progress, the version of the study's file from 1, and what changed in it."""

    in_progress: int
    version: int
    changed: tuple[str, ...] = ()


def start_or_resume(store: Store, plan: Plan) -> Started:
    """Store the study's file if it is new or has changed.

    Raises InvalidRequest if the experiment has changed since participants in progress started it.
    """
    study = store.add_participant(STUDY_CODE, plan.study.name)
    stored = [note.data for note in store.study_notes(plan.study.name) if note.kind == CONFIG]
    free_places(plan, store)
    people = all_progress(store, plan.study.name, test=True)
    now = plan.described()
    was = _completed(stored[-1]["study"]) if stored else {}
    changed = tuple(_changes(was, now)) if stored else ()
    refused = [path for path in changed if not _may_change(path, was, now)]
    going = [each for each in people if each.ending is None]
    real = [each for each in going if not each.participant.test]
    if refused and real:
        everyone = sum(not each.participant.test for each in people)
        raise InvalidRequest(
            f"{plan.source}: {len(real)} of {everyone} participants in "
            f"{display_name(store.database.url)} are in the middle of the study {plan.study.name}, which has "
            f"changed since: {', '.join(refused)}. Undo the change, or use another name or another --db"
        )
    for each in going if refused else []:
        store.note(each.participant.id, WITHDRAWN, {"stage": "the study was changed"})
    version = len(stored)
    if changed or not stored:
        version += 1
        file = {"version": version, "changed": changed, "sha256": plan.sha256(), "study": now}
        store.note(study.id, CONFIG, file)
    return Started(len(real), version, changed)


def _completed(stored: Mapping[str, Any]) -> dict[str, Any]:
    """A stored file with the defaults of keys that the version that stored it did not have."""
    keys = {field.alias or name for name, field in Study.model_fields.items()}
    try:
        study = Study.model_validate({key: value for key, value in stored.items() if key in keys})
    except ValidationError:
        return dict(stored)
    return {**stored, **study.model_dump(mode="json", by_alias=True)}


def _changes(was: Any, now: Any, path: str = "") -> Iterator[str]:
    """The places that differ, as keys and numbers with points in between."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in sorted({*was, *now}):
            yield from _changes(was.get(key), now.get(key), f"{path}.{key}" if path else key)
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now) and path != CODES:
        for number, (one, other) in enumerate(zip(was, now, strict=True)):
            yield from _changes(one, other, f"{path}.{number}")
    elif was != now:
        yield path


def _may_change(path: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    if path == CODES:
        codes = [set(each["participants"]["codes"]) for each in (was, now)]
        return now["participants"]["from"] == "codes" and codes[0] <= codes[1]
    return CHANGEABLE.fullmatch(path) is not None
