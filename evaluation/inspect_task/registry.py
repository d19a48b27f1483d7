"""What Inspect AI loads by entry point: the task, the tools that play it, an agent, the provider `arena`."""

from typing import Any

from inspect_ai.agent import Agent, agent, react
from inspect_ai.model import modelapi

from evaluation.inspect_task.naming import of_distribution
from evaluation.inspect_task.task import testbed
from llm_control.perception_task import perception
from llm_control.tools import act, go, turn


@modelapi(name="arena")
def arena() -> type[Any]:
    """The offline agents: `arena/random`, `pixels`, `oracle`, `replay/FOLDER` and `policy/FILE`."""
    from llm_control.agents.provider import ArenaAgents

    return ArenaAgents


@agent(name="react")
@of_distribution
def react_agent() -> Agent:
    """Inspect's ReAct agent with the tool `act`: `--solver arena_llm/react -T protocol=tool-calling`."""
    return react(tools=[act()])


__all__ = ["act", "arena", "go", "perception", "react_agent", "testbed", "turn"]
