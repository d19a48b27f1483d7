"""What else of the arena Inspect AI finds by name: probes, tools, and an agent with the tool `act`."""

from inspect_ai.agent import Agent, agent, react

from evaluation.inspect_task.interface import of_distribution
from llm_control.probes import perception
from llm_control.tools import act


@agent(name="react")
@of_distribution
def react_agent() -> Agent:
    """Inspect's ReAct agent with the tool `act`: `--solver arena_llm/react -T protocol=tool-calling`."""
    return react(tools=[act()])


__all__ = ["perception", "react_agent"]
