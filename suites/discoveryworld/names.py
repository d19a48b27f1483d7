"""Names of objects in an episode: own ids, and numbered labels."""

import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

_IN_TEXT = re.compile(r"(uuid\W{0,3})(\d+)", re.IGNORECASE)
"""Mention of an object in the package's texts."""


class Names:
    """Ids and labels of one episode.

    The package's own ids are the same for every seed of a layout, so that a transcript would reveal the
    places of things in other worlds. Here each object gets four digits when it is first seen, drawn by `rng`.
    A label is the name, followed by # and a number if several objects of that name were seen.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._ours: dict[int, int] = {}
        self._theirs: dict[int, int] = {}
        self._named: dict[str, list[int]] = {}
        self._name: dict[int, str] = {}

    def id(self, theirs: int) -> int:
        """Convert the package's id to ours."""
        if theirs not in self._ours:
            last = 9_999 if len(self._ours) < 4_000 else 999_999
            ours = self._rng.randint(1_000, last)
            while ours in self._theirs:
                ours = self._rng.randint(1_000, last)
            self._ours[theirs], self._theirs[ours] = ours, theirs
        return self._ours[theirs]

    def theirs(self, ours: int) -> int | None:
        """Convert our id to the package's. None for one that was never shown."""
        return self._theirs.get(ours)

    def text(self, text: str) -> str:
        """Replace the ids in a text of the package by ours."""
        return _IN_TEXT.sub(lambda found: found[1] + str(self.id(int(found[2]))), text)

    def translated(self, plain: Any, key: str = "") -> Any:
        """Replace the ids in the package's JSON by ours; record names."""
        if isinstance(plain, Mapping):
            made = {self.text(str(k)): self.translated(v, str(k)) for k, v in plain.items()}
            if "uuid" in made and "name" in made:
                self._see(made["uuid"], made["name"])
            return made
        if isinstance(plain, list):
            return [self.translated(each) for each in plain]
        if isinstance(plain, str):
            return self.text(plain)
        return self.id(plain) if key in ("uuid", "arg1", "arg2") and isinstance(plain, int) else plain

    def label(self, ours: int) -> str:
        """Return an object's label."""
        name = self._name[ours]
        alike = self._named[name.casefold()]
        return name if len(alike) == 1 else f"{name}#{alike.index(ours) + 1}"

    def labels(self) -> dict[int, str]:
        """Return the labels of all objects seen, by our ids."""
        return {ours: self.label(ours) for ours in self._name}

    def called(self, text: str) -> list[int]:
        """Find objects by name, label or id, ignoring articles; returns our ids."""
        text = re.sub(r"^(?:the|an?)\s+", "", " ".join(text.split()).casefold())
        if text.isdecimal():
            return [int(text)] if int(text) in self._name else []
        name, mark, number = text.rpartition("#")
        if mark and number.strip().isdecimal():
            alike = self._named.get(name.strip(), [])
            return alike[int(number) - 1 : int(number)] if int(number) else []
        return list(self._named.get(text, []))

    def _see(self, ours: int, name: str) -> None:
        known = self._name.get(ours)
        if known == name:
            return
        if known is not None:
            # Something can change its name, such as a seed that has become a plant.
            self._named[known.casefold()].remove(ours)
        self._name[ours] = name
        self._named.setdefault(name.casefold(), []).append(ours)


def objects_in(observation: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield all objects of a translated observation with direction, reachable ones first."""
    for where in ("inventoryObjects", "accessibleEnvironmentObjects"):
        yield from observation[where]
    for there in observation["nearbyObjects"]["objects"].values():
        yield from there
