"""What Inspect AI loads by entry point: the tasks, tools and offline agents of the installed suites."""

from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from arena.errors import ArenaError
from evaluation.capabilities import brought, player, prompts_of, tools_of
from evaluation.inspect_task.inspect_options import chosen_with_options
from evaluation.inspect_task.interface import InspectUserError, of_distribution, refusing, running_model
from evaluation.inspect_task.task import make_task
from evaluation.prompts import PromptFiles
from evaluation.scale.references import agent_names, offline_agent
from evaluation.suite import AgentTurn, Suite
from evaluation.suites import chosen_tasks, get_suite, registered_early, suite_names


def provider_of(suite_name: str) -> type[ModelAPI]:
    """The provider `NAME/...` of a suite's agents."""
    suite = get_suite(suite_name)

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


def suite_task(suite: Suite, **arguments: Any) -> Task:
    """The registered task of a suite with these arguments, as Inspect makes it. Raises InspectUserError."""
    made: Task = registered(suite)(**arguments)
    return made


def registered(suite: Suite) -> Any:
    """The task of a suite, which Inspect knows from now on as it knows the suite's agents and tools."""
    if suite.name not in _tasks:
        _tasks[suite.name] = _register(suite)
    return _tasks[suite.name]


def _register(suite: Suite) -> Any:
    @task(name=suite.task_name)
    @of_distribution
    @refusing
    def suite_task(
        protocol: str | None = None,
        folder: str | None = None,
        prompt: str | None = None,
        prompts: str | None = None,
        **choices: Any,
    ) -> Task:
        """The tasks of a suite, for `inspect eval arena_llm/TASK -T NAME=VALUE`.

        `protocol` is a preset's name or a file, `folder` one of task files, `prompt` a file that replaces the
        system prompt, `prompts` a folder of texts. `choices` are those of the suite. Raises ConfigError for
        wrong ones.
        """
        chosen = chosen_with_options(suite, protocol, choices).choices
        own = Path(folder) if folder else None
        tasks = chosen_tasks(suite, chosen, own)
        if (model := running_model()) is not None:
            suite.check(model, tasks, chosen)
        files = PromptFiles(Path(prompt) if prompt else None, Path(prompts) if prompts else None)
        texts = prompts_of(suite, chosen, files)
        return make_task(suite, tasks, chosen, texts, suite.task_version(own))

    _register_provider(suite.name)
    # Importing them registers them.
    tools_of(suite)
    return suite_task


def _register_provider(suite_name: str) -> None:
    @modelapi(name=suite_name)
    def agents() -> type[Any]:
        """The suite's offline agents."""
        return provider_of(suite_name)


_tasks: dict[str, Any] = {}

for _name in suite_names():
    _register_provider(_name)
for _name in registered_early():
    registered(_suite := get_suite(_name)), brought(_suite, "registry", "__name__")
