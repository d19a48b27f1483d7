"""A suite's offline agents as a model provider of Inspect AI, on the same path as any model."""

from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage
from inspect_ai.tool import ToolChoice, ToolInfo

from arena.errors import ArenaError
from evaluation.capabilities import player
from evaluation.inspect_task.errors import InspectUserError
from evaluation.scale.references import agent_names, offline_agent
from evaluation.suite import AgentTurn, Suite


def provider_of(suite: Suite) -> type[ModelAPI]:
    """The provider `NAME/...` of a suite's agents."""

    class OfflineAgents(ModelAPI):
        """Answers a conversation by an agent of the suite; one that plays by itself is never asked."""

        def __init__(
            self,
            model_name: str,
            base_url: str | None = None,
            api_key: str | None = None,
            config: GenerateConfig = GenerateConfig(),  # noqa: B008
            **model_args: Any,
        ) -> None:
            """Raises InspectUserError for a name that is no agent's."""
            super().__init__(model_name, base_url, api_key, [], config)
            try:
                self._agent = offline_agent(suite, model_name)
                self._plays = self._agent is None and player(suite, model_name) is not None
            except ArenaError as error:
                raise InspectUserError(str(error)) from None
            if self._agent is None and not self._plays:
                agents = ", ".join(f"{suite.name}/{name}" for name in agent_names(suite))
                raise InspectUserError(
                    f"unknown agent {suite.name}/{model_name}; the offline agents are {agents}"
                )

        def tool_result_images(self) -> bool:
            """Pictures in the results of tool calls are looked at in their place."""
            return True

        async def generate(
            self,
            input: list[ChatMessage],
            tools: list[ToolInfo],
            tool_choice: ToolChoice,
            config: GenerateConfig,
        ) -> ModelOutput:
            """Answer with a text, or call a tool."""
            name = f"{suite.name}/{self.model_name}"
            if self._agent is None:
                raise InspectUserError(f"{name}: plays whole episodes by itself; it answers nothing")
            names = tuple(tool.name for tool in tools)
            reply = await self._agent(AgentTurn(self.model_name, input, names, config.seed or 0))
            if isinstance(reply, str):
                output = ModelOutput.from_content(name, reply)
            else:
                output = ModelOutput.for_tool_call(name, *reply)
            # Without a usage of zero, Inspect would fetch a tokenizer to count for itself.
            output.usage = ModelUsage(input_tokens=0, output_tokens=0, total_tokens=0)
            return output

    return OfflineAgents
