"""What Inspect AI loads by entry point: the tasks, tools and offline agents of the installed suites."""

from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.model import modelapi

from evaluation.capabilities import brought, prompts_of, tools_of
from evaluation.inspect_task.errors import refusing
from evaluation.inspect_task.inspect_options import chosen_with_options
from evaluation.inspect_task.naming import of_distribution
from evaluation.inspect_task.offline import provider_of
from evaluation.inspect_task.private import running_model
from evaluation.inspect_task.task import make_task
from evaluation.prompts import PromptFiles
from evaluation.selection import chosen_tasks
from evaluation.suite import Suite
from evaluation.suites import get_suite, suite_names


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

    def agents() -> type[Any]:
        """The suite's offline agents."""
        return provider_of(suite)

    modelapi(name=suite.name)(agents)
    # Importing them registers them.
    tools_of(suite), brought(suite, "registry", "__name__")
    return suite_task


_tasks = {name: _register(get_suite(name)) for name in suite_names()}
