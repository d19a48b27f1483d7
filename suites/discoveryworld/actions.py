"""Actions of an agent: their forms, and conversion to the package's."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from arena.packages import data_of
from suites.discoveryworld.names import Names, objects_in

DIRECTIONS = ("north", "east", "south", "west")

Kind = Literal["direction", "object", "other object", "place", "number"]


class Action(NamedTuple):
    """Action of the package; `verb` is short, `takes` are argument kinds."""

    name: str
    verb: str
    takes: tuple[Kind, ...]
    does: str

    @property
    def written(self) -> str:
        """Format the action, such as use(object, other object)."""
        return f"{self.verb}({', '.join(self.takes)})"


def _actions(group: str) -> tuple[Action, ...]:
    rows = data_of(__package__, "actions.yaml")[group]
    return tuple(Action(**row | {"takes": tuple(row["takes"])}) for row in rows)


ACTIONS = _actions("usual")
TELEPORTS = _actions("teleport")
"""The paper's aids to moving."""

(SAY,) = _actions("dialog")

DIALOG_KEY = "chosen_dialog_option_int"
"""The package's key for the number."""


def available(teleport: bool) -> tuple[Action, ...]:
    """List all actions of an episode."""
    return (*ACTIONS, *(TELEPORTS if teleport else ()), SAY)


class Unusable(Exception):
    """Impossible action; the text gives reason and advice."""


class Scene(NamedTuple):
    """Translated observation, names, and places that decide which actions are possible. Offline agents know
    it with the `turns` so far; it changes with the episode. Objects have our ids."""

    observation: Mapping[str, Any]
    names: Names
    places: Sequence[str]
    actions: tuple[Action, ...]
    turns: tuple[Any, ...] = ()

    @property
    def task(self) -> str:
        """Text of the task."""
        return str(self.observation["taskProgress"][0]["description"]).strip()

    @property
    def at(self) -> tuple[int, int]:
        """Tile of the agent, x to the east and y to the south."""
        here = self.observation["agentLocation"]
        return here["x"], here["y"]

    @property
    def near(self) -> dict[int, tuple[str, int]]:
        """Surrounding objects, with direction and distance in tiles."""
        around = self.observation["nearbyObjects"]["objects"].items()
        return {each["uuid"]: (way, each["distance"]) for way, there in around for each in there}

    @property
    def options(self) -> Mapping[str, str] | None:
        """Utterances by number; None outside a conversation."""
        dialog = self.observation["dialog_box"]
        return dialog["dialogOptions"] if dialog["is_in_dialog"] else None

    @property
    def carried(self) -> list[int]:
        """Ids of the inventory."""
        return [each["uuid"] for each in self.observation["inventoryObjects"]]

    @property
    def reach(self) -> list[int]:
        """Ids of carried objects, and of those at and before the agent."""
        return self.carried + [each["uuid"] for each in self.observation["accessibleEnvironmentObjects"]]

    def moves(self) -> tuple[str, ...]:
        """Moves and turns that are possible now."""
        here = self.observation["agentLocation"]
        turns = (way for way in DIRECTIONS if way != here["faceDirection"])
        return (
            *(f"move({way})" for way in here["directions_you_can_move"]),
            *(f"turn({way})" for way in turns),
        )

    @property
    def commands(self) -> tuple[str, ...]:
        """Possible actions as text, without reading ones and floors and walls."""
        if self.options is not None:
            return tuple(f"say({number})" for number in self.options)
        label = self.names.label
        carried = [label(each) for each in self.carried]
        there = [
            label(each["uuid"])
            for each in self.observation["accessibleEnvironmentObjects"]
            if each["name"] not in PLAIN
        ]
        found = [*self.moves(), *(f"drop({name})" for name in carried)]
        verbs = ("take", "open", "close", "activate", "deactivate", "talk", "eat", "read")
        found += [f"{verb}({name})" for name in there for verb in verbs]
        found += [f"{verb}({own}, {name})" for own in carried for name in there for verb in ("use", "put")]
        if TELEPORTS[0] in self.actions:
            found += [f"goto({place})" for place in self.places]
        return tuple(found)

    def templates(self) -> tuple[str, ...]:
        """Actions as text with OBJ for objects, without those of numbers."""
        found: list[str] = []
        for action in self.actions:
            first = action.takes[0] if action.takes else None
            if first == "direction" or first == "place":
                every = DIRECTIONS if first == "direction" else self.places
                found += [f"{action.verb}({each})" for each in every]
            elif first != "number":
                found.append(f"{action.verb}({', '.join('OBJ' for _ in action.takes)})")
        return tuple(found)

    def usable(self, action: Action, given: Sequence[str]) -> dict[str, Any]:
        """Convert an action with arguments to the package's JSON. Raises Unusable."""
        if action not in self.actions:
            raise Unusable(f"{action.written} is not allowed in this run; move instead, tile by tile.")
        if (self.options is not None) != (action is SAY):
            if self.options is None:
                raise Unusable("You are in no conversation; begin one with talk(object).")
            said = _listed(self.options)
            raise Unusable(f"You are in a conversation: reply with the number of what you say, {said}.")
        if len(given) != len(action.takes):
            raise Unusable(f"Got {len(given)} arguments, expected {len(action.takes)}: {action.written}.")
        values = [self._value(action, kind, text) for kind, text in zip(action.takes, given, strict=True)]
        if action is SAY:
            return {DIALOG_KEY: values[0]}
        return {"action": action.name, **{f"arg{k}": value for k, value in enumerate(values, start=1)}}

    def _value(self, action: Action, kind: Kind, text: str) -> Any:
        if kind == "direction":
            return _one_of(text, DIRECTIONS, "direction")
        if kind == "place":
            return _one_of(text, self.places, "place")
        if kind == "number":
            if not text.isdecimal() or len(text) > 9 or (action is SAY and text not in (self.options or {})):
                expected = _listed(self.options) if self.options else "a whole number"
                raise Unusable(f"Got {text!r:.40}, expected {expected}.")
            return int(text)
        return self._object(text, anywhere=action is TELEPORTS[1])

    def _object(self, text: str, anywhere: bool) -> int:
        """Find the package's id of an object."""
        names, reach = self.names, self.reach
        seen = {each["uuid"] for each in objects_in(self.observation)}
        called = names.called(text)
        # Among several, those in reach are meant, otherwise those that are seen now.
        ids = [k for k in called if k in reach] or [k for k in called if k in seen] or called
        if not ids:
            near = ", ".join(names.label(each) for each in reach) or "nothing"
            raise Unusable(f"There is no object {text!r:.60}; in reach are: {near}.")
        if len(ids) > 1:
            several = ", ".join(f"{names.label(each)} [{each}]" for each in ids[:8])
            raise Unusable(f"{text!r:.60} may be any of {several}; give the number after # or the id.")
        if not anywhere and ids[0] not in reach:
            raise Unusable(
                f"{names.label(ids[0])} is out of reach: stand beside it and turn to it; "
                "you reach what you carry, and what is where you are and on the tile that you face."
            )
        theirs = names.theirs(ids[0])
        assert theirs is not None  # everything with a name was shown
        return theirs


PLAIN = frozenset({"floor", "grass", "path", "wall"})
"""Names of ubiquitous objects without effect."""


def _one_of(text: str, allowed: Sequence[str], what: str) -> str:
    by_key = {" ".join(each.split()).casefold(): each for each in allowed}
    found = by_key.get(" ".join(text.split()).casefold())
    if found is None:
        raise Unusable(f"Got {text!r:.60}, expected a {what}: {_listed(allowed)}.")
    return found


def _listed(names: Any) -> str:
    return ", ".join(names) or "there is none"
