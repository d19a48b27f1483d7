"""Entry points for Inspect AI: tasks, tools and offline agents of suites."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo

from arena.errors import ArenaError
from evaluation.capabilities import brought, player, prompts_of, tools_of
from evaluation.engines.backend import backend, in_thread
from evaluation.episode import Session, conversation_order
from evaluation.generation.budget import admission
from evaluation.generation.generate import guard
from evaluation.generation.journal import begin_replies, open_journal
from evaluation.generation.stops import refuse_restart
from evaluation.inspect_task import interface
from evaluation.inspect_task.dialogue import close_dialogue, dialogue_of, first_messages, open_dialogue
from evaluation.inspect_task.scoring import SCORERS
from evaluation.log.run import CONVERSATION
from evaluation.prompts import PromptFiles, PromptSet, with_agent_texts
from evaluation.request import player_of
from evaluation.scale.references import agent_names, offline_agent, scale_of
from evaluation.suite import AgentTurn, EpisodeSetup, Player, Record, Suite, TaskSpec
from evaluation.suites import chosen_tasks, get_suite, registered_early, suite_names


def provider_of(suite_name: str) -> type[ModelAPI]:
    """Create the provider `NAME/...` of a suite's agents."""
    suite = get_suite(suite_name)

    class OfflineAgents(ModelAPI):
        """Answers a conversation by a suite's agent; self-playing agents are never asked."""

        def __init__(
            self,
            model_name: str,
            base_url: str | None = None,
            api_key: str | None = None,
            config: GenerateConfig = GenerateConfig(),  # noqa: B008
            **model_args: Any,
        ) -> None:
            """Raises InspectUserError for an unknown agent."""
            super().__init__(model_name, base_url, api_key, [], config)
            try:
                self._agent = offline_agent(suite, model_name)
                self._plays = self._agent is None and player(suite, model_name) is not None
            except ArenaError as error:
                raise interface.InspectUserError(str(error)) from None
            if self._agent is None and not self._plays:
                agents = ", ".join(f"{suite.name}/{name}" for name in agent_names(suite))
                raise interface.InspectUserError(
                    f"unknown agent {suite.name}/{model_name}; the offline agents are {agents}"
                )

        def tool_result_images(self) -> bool:
            """Allow pictures inside tool results."""
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
                raise interface.InspectUserError(
                    f"{name}: plays whole episodes by itself; it cannot answer messages"
                )
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


def registered(suite: Suite) -> Any:
    """Register a suite's task, agents and tools in Inspect; wrong arguments raise InspectUserError."""
    if suite.name not in _tasks:
        _tasks[suite.name] = _register(suite)
    return _tasks[suite.name]


def _register(suite: Suite) -> Any:
    @task(name=suite.task_name)
    @interface.of_distribution
    @interface.refusing
    def suite_task(
        protocol: str | None = None,
        folder: str | None = None,
        prompt: str | None = None,
        prompts: str | None = None,
        **choices: Any,
    ) -> Task:
        """Create the tasks of a suite, for `inspect eval arena_llm/TASK -T NAME=VALUE`.

        `protocol` is a preset's name or a file, `folder` one of task files, `prompt` a file that replaces the
        system prompt, `prompts` a folder of texts. `choices` are those of the suite. Raises ConfigError for
        wrong ones.
        """
        chosen = interface.chosen_with_options(suite, protocol, choices).choices
        own = Path(folder) if folder else None
        tasks = chosen_tasks(suite, chosen, own)
        if (model := interface.running_model()) is not None:
            suite.check(model, tasks, chosen)
        files = PromptFiles(Path(prompt) if prompt else None, Path(prompts) if prompts else None)
        return make_task(suite, tasks, chosen, prompts_of(suite, chosen, files), suite.task_version(own))

    _register_provider(suite.name)
    # Importing them registers them.
    tools_of(suite)
    return suite_task


def _register_provider(suite_name: str) -> None:
    @modelapi(name=suite_name)
    def agents() -> type[Any]:
        """Offline agents of the suite."""
        return provider_of(suite_name)


_tasks: dict[str, Any] = {}

for _name in suite_names():
    _register_provider(_name)
for _name in registered_early():
    registered(_suite := get_suite(_name)), brought(_suite, "registry", "__name__")


def make_task(
    suite: Suite, tasks: Sequence[TaskSpec], choices: Any, prompts: PromptSet, version: str = "0"
) -> Task:
    """Make an Inspect task of a suite's tasks, each played `choices.trials` times.

    The setup begins the episode, so any solver or agent that calls the suite's tools can replace the solver.
    `version` is that of the suite's tasks.
    """
    return interface.ChosenTask(
        choices,
        name=suite.task_name,
        version=version,
        # Together with the version of the tasks, this defines a log's scores.
        metadata={"scoring": scale.scoring} if (scale := scale_of(suite)) else None,
        dataset=MemoryDataset(_samples(tuple(tasks), choices), name=suite.task_name),
        setup=begin_episode(suite.name, tuple(tasks), choices, prompts.texts()),
        solver=play_episode(suite.name, choices),
        scorer=list(SCORERS),
        cleanup=_cleanup,
        epochs=Epochs(choices.trials, []),
        fail_on_error=False,
        token_limit=choices.max_tokens_per_episode,
        cost_limit=choices.max_cost_per_episode,
        time_limit=choices.time_limit_per_episode,
    )


def _samples(tasks: tuple[TaskSpec, ...], choices: Any) -> list[Sample]:
    if choices.conversation == "episode":
        return [sample_of(each) for each in tasks]
    ids = [each.id for each in tasks]
    metadata = {"tasks": ids, "groups": {each.id: each.group for each in tasks}}
    return [Sample(id=CONVERSATION, input=f"{len(ids)} tasks", target="pass marks", metadata=metadata)]


def sample_of(task: TaskSpec) -> Sample:
    """Convert a task to Inspect AI's sample."""
    metadata = {"group": task.group, "sha256": task.sha256, **task.metadata}
    return Sample(id=task.id, input=f"Task {task.id}", target=task.target or "none", metadata=metadata)


async def _cleanup(state: TaskState) -> None:
    finished = close_dialogue(state)
    admission().end(state.uuid, finished)
    if finished:
        open_journal().end(str(state.sample_id), state.epoch)


@solver
def begin_episode(suite: str, tasks: tuple[TaskSpec, ...], choices: Any, texts: dict[str, str]) -> Solver:
    """Open the episode and write the first messages, before any solver. `texts` are the prompts."""
    prompts = with_agent_texts(prompts_of(get_suite(suite)), choices).with_texts(texts)
    by_id = {each.id: each for each in tasks}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        refuse_restart(state)
        interface.log_every_call()
        sample, patient = str(state.sample_id), choices.time_limit_per_episode is None
        kept = begin_replies(sample, state.epoch)
        await admission().begin(state.uuid, sample, patient, kept.count, kept.cost)
        # Any other solver's requests too.
        guard(get_model())
        player = player_of(get_suite(suite), str(get_model()), choices)
        trial = state.epoch - 1
        if choices.conversation == "run":
            played = conversation_order(choices, tasks, trial)
            state.metadata["order"] = [each.id for each in played]
        else:
            played = (by_id[str(state.sample_id)],)
        session = Session(get_suite(suite), played, trial, choices, prompts, tasks)
        open_dialogue(state, session)
        if player is not None:
            state.messages = [ChatMessageUser(content=player.describe(played[0]))]
        else:
            state.messages = await first_messages(session)
        if choices.replies == "tools":
            tools = tools_of(session.suite)
            state.tools = [tools[name]() for name in choices.tool_names]
        return state

    return solve


@solver
def play_episode(suite: str, choices: Any) -> Solver:
    """Loop over observation, reply and action."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        dialogue, model = dialogue_of(state), str(get_model())
        session = dialogue.session
        if (player := player_of(session.suite, model, choices)) is not None:
            await _play(session, state, player, model)
        else:
            dialogue.use_agent()
            await dialogue.play()
        dialogue.keep()
        return state

    return solve


async def _play(session: Session, state: TaskState, player: Player, model: str) -> None:
    """Let an agent play the sample's episode by itself, and log it."""
    chosen = backend()
    task = session.tasks[0]
    waits = chosen.remote or chosen.processes > 0
    setup: EpisodeSetup = session.setup(task)
    record: Record = await in_thread(chosen.play, player, setup, wait=waits)
    session.records[task.id] = record
    for turn in record.turns:
        told = ", ".join(f"{name} {value:g}" for name, value in turn.items() if type(value) in (int, float))
        state.messages += [ChatMessageAssistant(content=str(turn["reply"])), ChatMessageUser(content=told)]
    state.output = ModelOutput.from_content(model, record.outcome)
    state.metadata["policy"] = player.facts()
