"""Observations as text: the informative parts of the package's JSON."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from suites.discoveryworld.actions import PLAIN
from suites.discoveryworld.names import Names

_ID = re.compile(r"\[uuid: (\d+)\]")


def compact(observation: Mapping[str, Any], names: Names, near: bool = True) -> str:
    """Write JSON, a line per non-empty part, without floor, grass and walls. Objects are texts: label, id in
    brackets, other visible facts, and in `near` the distance in tiles."""
    parts = _parts(observation, names, near)
    lines = [
        f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in parts.items()
        if value or name in ("carried", "can_move")
    ]
    return "{" + ",\n ".join(lines) + "}"


def sentences(observation: Mapping[str, Any], names: Names, near: bool = True) -> str:
    """Write the content of `compact` in sentences without ids, for people. Options are for a form."""
    parts = _parts(observation, names, near)
    can_move, dialog = ", ".join(parts["can_move"]), parts["dialog"]
    lines = [
        parts["message"],
        parts["text"],
        f"Somebody says: {dialog['said']}" if dialog else "",
        f"You face {parts['facing']}. You can move: {can_move or 'nowhere'}.",
        f"You carry: {'; '.join(parts['carried']) or 'nothing'}.",
        f"You reach: {'; '.join(parts['reach']) or 'nothing'}.",
        *(
            f"{way.replace('_', ' ').capitalize()}: {'; '.join(there)}."
            for way, there in parts["near"].items()
        ),
        *(f"{who}: {' '.join(done)}" for who, done in parts["others"].items()),
        *(f"Post {each}" for each in parts["feed"]),
    ]
    return re.sub(r" \[\d+\]", "", "\n".join(filter(None, lines)))


def _parts(observation: Mapping[str, Any], names: Names, near: bool) -> dict[str, Any]:
    here, dialog = observation["agentLocation"], observation["dialog_box"]
    said, popped = observation["lastActionMessage"], observation["extended_action_message"]
    agents, feed = observation["nearbyAgents"]["list_of_agents"], observation["discoveryFeed"]
    posts = [(each, each["content"]) for each in feed["posts"]]
    posts += [(each, each["title"]) for each in feed["scientific_articles"]]
    return {
        "message": short(said),
        "text": short(popped) if popped.strip() != said.strip() else "",
        "dialog": _dialog(dialog),
        "at": [here["x"], here["y"]],
        "facing": here["faceDirection"],
        "can_move": here["directions_you_can_move"],
        "carried": _objects(observation["inventoryObjects"], names),
        "reach": _objects(observation["accessibleEnvironmentObjects"], names),
        "near": _near(observation, names) if near else {},
        "others": {who: [short(each["message"]) for each in done] for who, done in agents.items() if done},
        "feed": [f"{each['postID']}: {each['author']}: {text}" for each, text in posts],
    }


def _near(observation: Mapping[str, Any], names: Names) -> dict[str, list[str]]:
    """List surroundings by direction, without objects in reach."""
    reach = {
        each["uuid"]
        for name in ("inventoryObjects", "accessibleEnvironmentObjects")
        for each in observation[name]
    }
    found = {}
    for direction, there in observation["nearbyObjects"]["objects"].items():
        # At its own place the agent sees itself.
        others = [each for each in there if each["uuid"] not in reach and direction != "same_location"]
        if listed := _objects(others, names):
            found[direction] = listed
    return found


def _objects(listed: Iterable[Mapping[str, Any]], names: Names) -> list[str]:
    return [_object(each, names) for each in listed if each["name"] not in PLAIN]


def _object(each: Mapping[str, Any], names: Names) -> str:
    text = f"{names.label(each['uuid'])} [{each['uuid']}]"
    description = short(each["description"])
    if description != each["name"]:
        # Mostly the name and something after it.
        rest = description.removeprefix(each["name"])
        text += rest if rest != description else f": {description}"
    return f"{text}, {each['distance']} away" if "distance" in each else text


def _dialog(dialog: Mapping[str, Any]) -> dict[str, Any]:
    if not dialog.get("dialogIn"):
        return {}
    options = {str(number): text for number, text in dialog["dialogOptions"].items()}
    return {"said": short(dialog["dialogIn"]), **({"options": options} if dialog["is_in_dialog"] else {})}


def short(text: str) -> str:
    """Rewrite ids in a text of the package like ours."""
    return _ID.sub(r"[\1]", text).strip()
