"""The tool by which a model may act instead of writing actions."""

import json
from collections.abc import Mapping
from typing import Any

from evaluation.inspect_task.dialogue import acting


@acting
def act(action: str, arg1: str = "", arg2: str = "", notes: str = "") -> str:
    """Carry out one action in the world, and see the result.

    Args:
        action: The name of the action, such as "use", "move" or "say".
        arg1: Its first argument, if it has any: a direction, a place, a number, or an object.
        arg2: Its second argument, if it has two: an object by its name or id.
        notes: What you think and have found out.
    """
    return reply_of("act", {"action": action, "arg1": arg1, "arg2": arg2, "notes": notes})


TOOLS = {"act": act}
"""Tool factories by name."""


def reply_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """Convert a tool call to its reply."""
    given = {name: arguments[name] for name in ("notes", "action", "arg1", "arg2") if arguments.get(name)}
    return json.dumps({"action": "", **given}, ensure_ascii=False)
