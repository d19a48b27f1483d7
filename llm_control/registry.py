"""What Inspect AI loads by entry point: the `testbed` task and the provider `arena`."""

from typing import Any

from inspect_ai.model import modelapi

from llm_control.testbed_task import testbed


@modelapi(name="arena")
def arena() -> type[Any]:
    """The offline agents `arena/random`, `arena/pixels`, `arena/oracle` and `arena/replay/FOLDER`."""
    from llm_control.agents.provider import ArenaAgents

    return ArenaAgents


__all__ = ["arena", "testbed"]
