"""The tool by which a model may answer instead of writing commands."""

from collections.abc import Mapping
from typing import Any

from evaluation.inspect_task.dialogue import acting


@acting
def experiment(belief: list[float], trial: list[int]) -> str:
    """State what you believe, put objects on the machine, and see the result.

    Args:
        belief: For each object, in the order of its number, the probability that it is a Blicket.
        trial: The numbers of the objects to put on the machine; everything else is taken off it.
    """
    return reply_of("experiment", {"belief": belief, "trial": trial})


TOOLS = {"experiment": experiment}
"""Tool factories by name."""


def reply_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """Convert a call of `experiment` to a reply, unreadable for wrong arguments."""
    return f"Belief({arguments.get('belief')}); Trial({arguments.get('trial')});"
