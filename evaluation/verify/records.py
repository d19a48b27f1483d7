"""A logged record, compared with that of the episode played again."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic_core import to_jsonable_python

from arena.errors import EvaluationError, RecordingError
from evaluation.log.sample import replay_of
from evaluation.log.schema import Turn, check
from evaluation.suite import Record
from evaluation.verify.result import Finding

Row = Mapping[str, Any]


def unlike(logged: Row, again: Record) -> Iterator[Finding]:
    """What of a record is not as logged, turn by turn and as a whole."""
    played = to_jsonable_python(again.as_dict(), inf_nan_mode="constants")
    for number, (turn, other) in enumerate(zip(logged["turns"], played["turns"], strict=False), start=1):
        yield from _fields(number, turn, other)
    recorded = {k: v for k, v in replay_of(logged).items() if k != "versions"}
    yield from _fields(None, recorded, played["replay"])
    whole = {k: v for k, v in logged.items() if k in played and k not in ("turns", "replay", "model_end")}
    yield from (f for f in _fields(None, whole, played) if f.what not in recorded)


def turns_of(logged: Row) -> Sequence[Row]:
    """The turns of a record that no log has checked. Raises RecordingError if they are broken."""
    try:
        check(list[Turn], logged.get("turns"), "its turns are broken")
    except EvaluationError as error:
        raise RecordingError(str(error)) from None
    return logged["turns"]  # type: ignore[no-any-return]


def _fields(turn: int | None, logged: Row, played: Row) -> Iterator[Finding]:
    for name, value in played.items():
        if name in logged and not same(logged[name], value):
            yield Finding(turn, name, logged[name], value)


def same(logged: object, played: object) -> bool:
    """Equal to the bit; two NaN are."""
    both_nan = isinstance(logged, float) and isinstance(played, float) and math.isnan(logged)
    return logged == played or (both_nan and math.isnan(played))  # type: ignore[arg-type]
