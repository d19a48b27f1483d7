"""A logged record, compared with that of the episode played again."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic_core import to_jsonable_python

from arena.errors import RecordingError
from evaluation.log.sample import replay_of
from evaluation.suite import Record, Suite
from evaluation.verify.result import Finding

Row = Mapping[str, Any]


def unlike(logged: Row, again: Record, suite: Suite) -> Iterator[Finding]:
    """What of a record is not as logged, turn by turn and as a whole, as far as the suite reproduces it."""
    played = to_jsonable_python(again.as_dict(), inf_nan_mode="constants")
    if suite.reproduced is not None:
        for name in suite.reproduced:
            if not same(logged.get(name), played.get(name)):
                yield Finding(None, name, logged.get(name), played.get(name))
        return
    for number, (turn, other) in enumerate(zip(logged["turns"], played["turns"], strict=False), start=1):
        yield from _fields(number, turn, other)
    recorded = {k: v for k, v in replay_of(logged).items() if k != "versions"}
    yield from _fields(None, recorded, played["replay"])
    whole = {k: v for k, v in logged.items() if k in played and k not in ("turns", "replay", "model_end")}
    yield from (f for f in _fields(None, whole, played) if f.what not in recorded)


def not_compared(suite: Suite) -> Iterator[str]:
    """A note on a suite whose episodes are not reproduced to the bit."""
    if suite.reproduced is not None:
        yield (
            f"texts are not compared: the simulator of {suite.title} is not reproducible to the bit; of "
            f"its records these values are compared: {', '.join(suite.reproduced)}"
        )


def replayed_row(logged: Row, again: Record, suite: Suite) -> dict[str, Any]:
    """The row of results of a replay, with the logged values of what the suite does not reproduce."""
    row = again.row()
    if suite.reproduced is None:
        return row
    kept = {**logged, "turns": len(logged["turns"])}
    return {
        name: kept.get(name, value) if name not in suite.reproduced else value for name, value in row.items()
    }


def turns_of(logged: Row) -> Sequence[Row]:
    """The turns of a record. Raises RecordingError if they are broken."""
    turns = logged.get("turns")
    sound = isinstance(turns, list) and all(isinstance(turn, dict) and "reply" in turn for turn in turns)
    if not sound or not isinstance(turns, list):
        raise RecordingError("its turns are broken: expected a list with a reply in each")
    return turns


def _fields(turn: int | None, logged: Row, played: Row) -> Iterator[Finding]:
    for name, value in played.items():
        if name in logged and not same(logged[name], value):
            yield Finding(turn, name, logged[name], value)


def same(logged: object, played: object) -> bool:
    """Equal to the bit; two NaN are."""
    both_nan = isinstance(logged, float) and isinstance(played, float) and math.isnan(logged)
    return logged == played or (both_nan and math.isnan(played))  # type: ignore[arg-type]
