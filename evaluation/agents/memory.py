"""A working memory of hypotheses and measurements."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

CHARACTERS_PER_TOKEN = 4
"""As in estimates."""


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class _Entry(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str = ""
    statement: str


class _Measurement(_Entry):
    pass


class _Hypothesis(_Entry):
    status: Literal["pending", "confirmed", "rejected"] = "pending"
    evidence: Annotated[list[str], BeforeValidator(_listed)] = []


class _Change(BaseModel):
    """What an answer says of the memory."""

    model_config = ConfigDict(extra="ignore")

    hypotheses: list[_Hypothesis] = []
    measurements: list[_Measurement] = []
    remove: list[str] = []


class Memory:
    """Entries by their id: H1, M2, H3, ... where H is a hypothesis and M a measurement, counted together."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._made = 0

    def __len__(self) -> int:
        return len(self._entries)

    def plain(self) -> dict[str, list[dict[str, Any]]]:
        """The memory as plain values."""
        kinds = {"hypotheses": _Hypothesis, "measurements": _Measurement}
        return {
            name: [each.model_dump() for each in self._entries.values() if isinstance(each, kind)]
            for name, kind in kinds.items()
        }

    def text(self) -> str:
        """The memory as the model is shown it: JSON with an entry in each line."""
        lists = (
            f' "{name}": [' + ",".join(f"\n  {json.dumps(e, ensure_ascii=False)}" for e in entries) + "]"
            for name, entries in self.plain().items()
        )
        return "{\n" + ",\n".join(lists) + "\n}"

    def change(self, answer: str) -> bool:
        """Change the memory as an answer says; False if the answer cannot be read, which changes nothing."""
        change = _read(answer)
        if change is None:
            return False
        for each in change.remove:
            self._entries.pop(each, None)
        self._put(change, self._entries)
        return True

    def replace(self, answer: str, entries: int, tokens: int) -> bool:
        """Put the memory that an answer has in the place of this one, cut to its limits; False as `change`.

        The oldest measurements go first, then the oldest hypotheses. An unreadable answer too leaves it
        within its limits.
        """
        change = _read(answer)
        if change is not None:
            known, self._entries = self._entries, {}
            self._put(change, known)
        while self._entries and (len(self) > entries or len(self.text()) > tokens * CHARACTERS_PER_TOKEN):
            oldest = sorted(self._entries, key=lambda id_: isinstance(self._entries[id_], _Hypothesis))
            del self._entries[oldest[0]]
        return change is not None

    def _put(self, change: _Change, known: Mapping[str, _Entry]) -> None:
        """Take in entries; one whose id is not that of a known entry of its kind is new."""
        for entry in (*change.hypotheses, *change.measurements):
            if type(known.get(entry.id)) is not type(entry):
                self._made += 1
                entry.id = f"{'H' if isinstance(entry, _Hypothesis) else 'M'}{self._made}"
            self._entries[entry.id] = entry


def _read(answer: str) -> _Change | None:
    """The JSON object in an answer, whatever stands around it; None if there is none with this content."""
    try:
        found = json.loads(answer[answer.index("{") : answer.rindex("}") + 1])
        return _Change.model_validate(found)
    except (ValueError, RecursionError, ValidationError):
        return None
