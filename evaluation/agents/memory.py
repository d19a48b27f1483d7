"""A working memory of hypotheses and measurements."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from evaluation.script.wrapping import json_objects

CHARACTERS_PER_TOKEN = 4
"""As in estimates."""

STATUSES = ("pending", "confirmed", "rejected")


@dataclass(frozen=True, slots=True)
class _Measurement:
    id: str
    statement: str


@dataclass(frozen=True, slots=True)
class _Hypothesis(_Measurement):
    status: str = "pending"
    evidence: list[str] = field(default_factory=list)


_Entry = _Hypothesis | _Measurement

_KINDS: Mapping[str, type[_Entry]] = {"hypotheses": _Hypothesis, "measurements": _Measurement}


class Memory:
    """Entries by their id: H1, M2, H3, ... where H is a hypothesis and M a measurement, counted together.

    What an answer says of it is read entry by entry; `dropped` counts what could not be read.
    """

    def __init__(self) -> None:
        self.dropped = 0
        self._entries: dict[str, _Entry] = {}
        self._made = 0

    def __len__(self) -> int:
        return len(self._entries)

    def plain(self) -> dict[str, list[dict[str, Any]]]:
        """The memory as plain values."""
        return {
            name: [asdict(each) for each in self._entries.values() if type(each) is kind]
            for name, kind in _KINDS.items()
        }

    def text(self) -> str:
        """The memory as the model is shown it: JSON with an entry in each line."""
        lists = (
            f' "{name}": [' + ",".join(f"\n  {json.dumps(e, ensure_ascii=False)}" for e in entries) + "]"
            for name, entries in self.plain().items()
        )
        return "{\n" + ",\n".join(lists) + "\n}"

    def change(self, answer: str) -> bool:
        """Change the memory as an answer says; False if it has no such JSON, which changes nothing."""
        change = _read(answer)
        if change is None:
            return False
        for each in self._texts(change.get("remove")):
            for name in each.split(","):
                self._entries.pop(self._known(name, self._entries), None)
        self._put(change, self._entries)
        return True

    def replace(self, answer: str, entries: int, tokens: int) -> bool:
        """Put the memory that an answer has in the place of this one, cut to its limits.

        The oldest measurements go first, then the oldest hypotheses. False if the answer has no entry; the
        memory is then cut only.
        """
        known, self._entries = self._entries, {}
        self._put(_read(answer) or {}, known)
        read = bool(self._entries)
        self._entries = self._entries or known
        while self._entries and (len(self) > entries or len(self.text()) > tokens * CHARACTERS_PER_TOKEN):
            oldest = sorted(self._entries, key=lambda id_: type(self._entries[id_]) is _Hypothesis)
            del self._entries[oldest[0]]
        return read

    def _put(self, change: Mapping[str, Any], known: Mapping[str, _Entry]) -> None:
        """Take in entries; one whose id is not that of a known entry of its kind is new."""
        for name, kind in _KINDS.items():
            for found in _listed(change.get(name)):
                if (entry := self._entry(kind, found, known)) is not None:
                    self._entries[entry.id] = entry

    def _entry(self, kind: type[_Entry], found: Any, known: Mapping[str, _Entry]) -> _Entry | None:
        """One entry of an answer, a statement alone too; None if it says nothing."""
        alone = {"statement": found} if isinstance(found, str) else {}
        plain = _lowered(found) if isinstance(found, dict) else alone
        id_ = self._known(str(plain.get("id")), known)
        old = known.get(id_)
        if type(old) is not kind:
            old = None
        statements = self._texts(plain.get("statement")) or ([old.statement] if old else [])
        if not statements:
            self.dropped += 1
            return None
        if old is None:
            self._made += 1
            id_ = f"{kind.__name__[1]}{self._made}"
        if kind is _Measurement:
            return _Measurement(id_, statements[0])
        status = str(plain.get("status") or STATUSES[0]).strip().lower()
        if status not in STATUSES:
            self.dropped += 1
            status = old.status if isinstance(old, _Hypothesis) else STATUSES[0]
        return _Hypothesis(id_, statements[0], status, self._texts(plain.get("evidence")))

    def _known(self, name: str, known: Mapping[str, _Entry]) -> str:
        """The id that a name such as h3 or 3 means."""
        name = name.strip().upper()
        return next((each for each in known if name in (each, each[1:])), name)

    def _texts(self, value: Any) -> list[str]:
        """A value, or those in a list, as texts."""
        texts = [str(each).strip() for each in _listed(value) if not isinstance(each, dict | list)]
        self.dropped += len(_listed(value)) - len(texts)
        return [each for each in texts if each]


def _listed(value: Any) -> list[Any]:
    """The values in a list without nulls, or one value as a list."""
    return [each for each in (value if isinstance(value, list) else [value]) if each is not None]


def _lowered(found: Mapping[str, Any]) -> dict[str, Any]:
    return {key.strip().lower(): value for key, value in found.items()}


def _read(answer: str) -> dict[str, Any] | None:
    """The last JSON object in an answer that says what to change, or {} if it says that nothing is."""
    every = [_lowered(found) for _, _, found in json_objects(answer)]
    said = [found for found in every if found.keys() & {*_KINDS, "remove"}]
    return said[-1] if said else {} if {} in every else None
