"""Parsing of actions: JSON like the package's, or use(meter, vortisquid#2)."""

import re
from typing import Any, NamedTuple

from evaluation.script import LONGEST_JSON, json_objects
from suites.discoveryworld.actions import ACTIONS, DIALOG_KEY, SAY, TELEPORTS, Action

_BY_NAME = {
    name.casefold(): action
    for action in (*ACTIONS, *TELEPORTS, SAY)
    for name in (action.name, action.verb)
    if name
} | {"pick up": ACTIONS[2], "give": ACTIONS[4], "rotate": ACTIONS[1], "teleport": TELEPORTS[0], "choose": SAY}

_LABEL = re.compile(r"^(?:next\s+)?(?:action|command)\s*\d*\s*:\s*", re.IGNORECASE)
_CALL = re.compile(r"([A-Za-z][A-Za-z_ ]*?)\s*\((.*)\)\s*[;.]?")
_MARKS = " \t*`>;"


class Reply(NamedTuple):
    """Parsed reply. `thoughts` is its rest, and a missing action has a `problem`."""

    thoughts: str
    action: Action | None = None
    arguments: tuple[str, ...] = ()
    problem: str = ""

    def __str__(self) -> str:
        """Format the action in short."""
        return f"{self.action.verb}({', '.join(self.arguments)})" if self.action else ""


def read_reply(text: str) -> Reply:
    """Find the last action of a reply, in either format. Raises nothing."""
    text = text[-LONGEST_JSON:]
    objects = [each for each in json_objects(text) if "action" in each[2] or DIALOG_KEY in each[2]]
    if objects:
        start, end, found = objects[-1]
        return _from_json(found, (text[:start] + text[end:]).strip("` \n").removesuffix("```json").strip())
    return _from_lines(text)


def _from_json(found: dict[str, Any], rest: str) -> Reply:
    own = ("action", "arg1", "arg2", DIALOG_KEY)
    said = [rest, *(f"{k}: {v}" for k, v in found.items() if k not in own and isinstance(v, str))]
    thoughts = "\n".join(filter(None, said))
    if "action" not in found:
        return Reply(thoughts, SAY, (str(found[DIALOG_KEY]),))
    action = _BY_NAME.get(str(found["action"]).strip().casefold())
    if action is None:
        return Reply(thoughts, problem=_unknown(str(found["action"])))
    given = [found[name] for name in ("arg1", "arg2") if found.get(name) not in (None, "")]
    # Superfluous arguments are left out, as the package does.
    return Reply(thoughts, action, tuple(str(each).strip() for each in given[: len(action.takes)]))


def _from_lines(text: str) -> Reply:
    lines = [line.strip(_MARKS) for line in text.splitlines()]

    def without(place: int) -> str:
        return "\n".join(lines[:place] + lines[place + 1 :]).strip()

    for place in reversed([place for place, line in enumerate(lines) if line]):
        bare = _LABEL.sub("", lines[place]).strip(_MARKS)
        if bare.isdecimal():
            return Reply(without(place), SAY, (bare,))
        called = _CALL.fullmatch(bare)
        if called is None:
            continue
        action = _BY_NAME.get(" ".join(called[1].split()).casefold())
        if action is not None:
            return Reply(without(place), action, _arguments(called[2], len(action.takes)))
        return Reply(text.strip(), problem=_unknown(called[1]))
    how = 'use(meter, statue#2) or {"action": "USE", "arg1": 1234, "arg2": 5678}.'
    return Reply(text.strip(), problem=f"No action was found. End your reply with one action: {how}")


def _arguments(inside: str, number: int) -> tuple[str, ...]:
    """Split arguments at commas; a single one is the whole text."""
    parts = [inside] if number == 1 else inside.split(",")
    return tuple(part.strip(" \t\"'`") for part in parts if part.strip())


def _unknown(name: str) -> str:
    known = ", ".join(action.verb for action in (*ACTIONS, *TELEPORTS, SAY))
    return f"Got the action {name.strip()!r:.40}, expected one of: {known}."
