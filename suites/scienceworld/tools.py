"""The tool by which a model may act instead of writing commands."""

from collections.abc import Mapping
from typing import Any

from evaluation.inspect_task.dialogue import acting


@acting
def act(command: str) -> str:
    """Carry out one command in the world, and see the result.

    Args:
        command: The command, such as "open door to kitchen" or "focus on orange".
    """
    return reply_of("act", {"command": command})


TOOLS = {"act": act}
"""Tool factories by name."""


def reply_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """Convert a tool call to its reply."""
    return f"Command: {arguments.get('command', '')}"
