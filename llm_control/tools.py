"""Tools by which a model drives the agent: `act`, `go` and `turn`.

They play the episode that the task's setup began for the sample, so they need no arguments of their own.
"""

from collections.abc import Mapping
from typing import Any

from evaluation.inspect_task.dialogue import acting
from llm_control.script import Go, Turn


@acting
def act(script: str) -> str:
    """Carry out a script, and see the result.

    Args:
        script: One or more commands, such as Think('on'); Turn(30); Go(10);
    """
    return script


@acting
def go(steps: int) -> str:
    """Drive straight on, and see the result.

    Args:
        steps: Steps of 0.06 seconds, forward where positive, backward where negative.
    """
    return str(Go(steps))


@acting
def turn(degrees: int) -> str:
    """Turn, and see the result.

    Args:
        degrees: To the right where positive, to the left where negative; in multiples of 6.
    """
    return str(Turn(degrees))


TOOLS = {"act": act, "go": go, "turn": turn}
"""Tool factories by name."""


def reply_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """Convert a tool call to a script. Empty if its arguments are wrong."""
    try:
        if tool == "go":
            return str(Go(int(arguments["steps"])))
        return str(Turn(int(arguments["degrees"]))) if tool == "turn" else str(arguments["script"])
    except (KeyError, ValueError, TypeError):
        return ""
