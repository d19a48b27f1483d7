"""Conditions between participants: a study's file with other values in some of its sections."""

from collections.abc import Iterator, Mapping
from typing import Any

from people.study.config import DIFFERING, Study

TASKS = frozenset(("tasks", "levels"))
"""Keys of which a block has one; a condition may have the other."""

Lines = Mapping[tuple[str | int, ...], int]


def in_condition(study: Study, name: str) -> Study:
    """The study as participants in a condition play it. Raises pydantic's ValidationError if it is wrong."""
    values = study.model_dump(mode="json", by_alias=True, exclude={"conditions"})
    return Study.model_validate({**values, **_changed(values, study.conditions[name])})


def condition_lines(lines: Lines, name: str) -> Lines:
    """The lines of the values of a condition, by their paths in the study."""
    own = {loc[2:]: line for loc, line in lines.items() if loc[:2] == ("conditions", name) and len(loc) > 2}
    return {**lines, **own}


def condition_problems(study: Study) -> Iterator[tuple[tuple[str, ...], str]]:
    """Sections that cannot differ between conditions, and a parameter of links that names none."""
    if study.participants.condition and not study.conditions:
        problem = "participants.condition: names the condition, but the study has no conditions"
        yield ("participants", "condition"), problem
    for name, changes in study.conditions.items():
        for key, value in changes.items():
            place = ("conditions", name, key)
            if key not in DIFFERING:
                yield (
                    place,
                    f"{'.'.join(place)}: cannot differ between conditions; {', '.join(DIFFERING)} can",
                )
            elif key == "test" and isinstance(value, Mapping) and len(study.test) > 1:
                yield place, f"{'.'.join(place)}: the test has several blocks; list all of this condition"


def _changed(values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The sections that differ; what a condition does not mention stays."""
    single = {key: value[0] for key, value in values.items() if key == "test" and len(value) == 1}
    return {key: _merged({**values, **single}.get(key), value) for key, value in changes.items()}


def _merged(value: Any, change: Any) -> Any:
    if not (isinstance(value, Mapping) and isinstance(change, Mapping)):
        return change
    # Tasks can be given in either way.
    kept = {key: each for key, each in value.items() if not (TASKS & change.keys() and key in TASKS)}
    return {**kept, **{key: _merged(kept.get(key), each) for key, each in change.items()}}
