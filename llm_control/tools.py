"""The tools by which a model drives the agent: `act`, `go` and `turn`.

They play the episode that the task's setup began for the sample, so they need no arguments of their own.
"""

from collections.abc import Callable, Mapping
from typing import Any

from inspect_ai.tool import Tool, ToolResult, tool

from evaluation.inspect_task.dialogue import play_reply
from evaluation.inspect_task.interface import of_distribution
from llm_control.script import Go, Turn


@tool
@of_distribution
def act() -> Tool:
    """Plays a script of the language `Think('...'); Go(12); Turn(-90);`."""

    async def execute(script: str) -> ToolResult:
        """Carry out a script, and see what came of it.

        Args:
            script: One or more commands, such as Think('on'); Turn(30); Go(10);
        """
        return await play_reply(script)

    return execute


@tool
@of_distribution
def go() -> Tool:
    """Drives."""

    async def execute(steps: int) -> ToolResult:
        """Drive straight on, and see what came of it.

        Args:
            steps: Steps of 0.06 seconds, forward where positive, backward where negative.
        """
        return await play_reply(str(Go(steps)))

    return execute


@tool
@of_distribution
def turn() -> Tool:
    """Turns on the spot."""

    async def execute(degrees: int) -> ToolResult:
        """Turn, and see what came of it.

        Args:
            degrees: To the right where positive, to the left where negative; in multiples of 6.
        """
        return await play_reply(str(Turn(degrees)))

    return execute


TOOLS: dict[str, Callable[[], Tool]] = {"act": act, "go": go, "turn": turn}
"""What makes each tool, by its name."""


def reply_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """The script that a call of a tool stands for; empty if its arguments are wrong."""
    try:
        if tool == "go":
            return str(Go(int(arguments["steps"])))
        return str(Turn(int(arguments["degrees"]))) if tool == "turn" else str(arguments["script"])
    except (KeyError, ValueError, TypeError):
        return ""
