"""Further arena objects for Inspect AI: probes, tools, and a tool-calling agent."""

from inspect_ai.agent import Agent, agent, react

from evaluation.inspect_task.interface import of_distribution
from llm_control.probes import perception
from llm_control.tools import act


@agent(name="react")
@of_distribution
def react_agent() -> Agent:
    """Create Inspect's ReAct agent: `--solver arena_llm/react -T protocol=tool-calling`."""
    return react(tools=[act()])


__all__ = ["perception", "react_agent"]
