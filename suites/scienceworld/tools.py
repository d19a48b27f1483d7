"""The tool by which a model may act instead of writing commands."""

from collections.abc import Callable, Mapping
from typing import Any

from inspect_ai.tool import Tool, ToolResult, tool

from evaluation.inspect_task.dialogue import play_reply
from evaluation.inspect_task.interface import of_distribution


@tool
@of_distribution
def act() -> Tool:
    """Carries out a command."""

    async def execute(command: str) -> ToolResult:
        """Carry out one command in the world, and see what comes of it.

        Args:
            command: The command, such as "open door to kitchen" or "focus on orange".
        """
        return await play_reply(reply_of("act", {"command": command}))

    return execute


TOOLS: dict[str, Callable[[], Tool]] = {"act": act}
"""What makes each tool, by its name."""


def reply_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """The reply that a call stands for."""
    return f"Command: {arguments.get('command', '')}"
