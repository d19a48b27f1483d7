"""The arena's suite: the battery's tasks, played by scripts, tools or policies."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import ConfigError, EvaluationError
from arena.rules import SAFETY_STEPS
from evaluation.engines.player import Player
from evaluation.prompts import NO_FILES, PromptFiles, PromptSet
from evaluation.prompts.folder import with_files
from evaluation.selection import named
from evaluation.suite import Agent, EpisodeSetup, Record, Suite, TaskSpec
from llm_control.choices import PRESETS, ArenaChoices
from llm_control.paper import refuse_other_texts
from llm_control.prompts import arena_prompts
from testbed import find_tasks, parse_levels
from testbed.check import task_files
from testbed.originals import NAMES, is_published, located
from testbed.tasks import LEVELS_FOLDER, files_version, read_tasks

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_ai.tool import Tool

    from llm_control.environment import ArenaEnvironment

POLICY = "policy:"
"""What the name of a learned policy begins with as a user writes it."""


class ArenaSuite(Suite):
    """Physical common sense in the Animal-AI arena: ten levels of tasks."""

    name = "arena"
    title = "Animal-AI arena"
    task_name = "testbed"
    group_name = "level"
    choices = ArenaChoices
    presets = PRESETS
    agents = (
        *("pixels", "random", "oracle", "ideal", "replay/FOLDER"),
        *("held", "braitenberg", "random-steps", "policy/FILE"),
    )

    def tasks(self, choices: ArenaChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """The tasks in a folder (default: the shipped battery), in the order in which they are listed.

        Raises ConfigError if one is missing, if nothing is left, if the choices need a published battery and
        a task is not of it, and as `find_tasks` does.
        """
        from llm_control.environment import task_spec

        levels = parse_levels(choices.levels) if choices.levels is not None else None
        found = find_tasks(levels if choices.tasks is None else None, folder, choices.animal_ai)
        tasks = [task_spec(task) for task in found]
        if choices.tasks is not None:
            tasks = [t for t in named(tasks, choices.tasks) if levels is None or t.group in levels]
        _refuse_other_files(tasks, choices.battery)
        if not tasks:
            raise ConfigError(
                f"none of the tasks {', '.join((choices.tasks or ())[:3])}... is of the levels asked for"
            )
        if choices.needs_all_tasks and len({task.sha256 for task in tasks}) < 2:
            raise ConfigError(
                "vision = shuffled shows pictures of another arena, so it needs at least two tasks"
            )
        return tasks

    def task_version(self, folder: Path | None = None) -> str:
        """The first twelve digits of a SHA-256 over the names and digests of the task files."""
        return files_version(folder)

    def find_task(self, task_id: str, choices: ArenaChoices, folder: Path | None) -> TaskSpec | None:
        """The task of an id from its file, without reading all the others."""
        from llm_control.environment import task_spec

        stem = task_id.partition("#")[0]
        paths = [
            path
            for path in task_files(LEVELS_FOLDER if folder is None else located(folder))
            if path.stem == stem
        ]
        found = [task for path in paths for task in read_tasks(path, choices.animal_ai)]
        return next((task_spec(task) for task in found if task.id == task_id), None)

    def open(self, setup: EpisodeSetup) -> "ArenaEnvironment":
        """A new episode. Raises LayoutError if its arena cannot be built."""
        from llm_control.environment import ArenaEnvironment

        return ArenaEnvironment(setup)

    def prompts(self, files: PromptFiles = NO_FILES, choices: ArenaChoices | None = None) -> PromptSet:
        """The texts beside `llm_control.prompts`, and the user's own.

        Raises ConfigError if the choices need the paper's texts and no folder is given.
        """
        if choices is not None:
            refuse_other_texts(files, choices)
        return with_files(arena_prompts(), files, choices)

    def files(self, choices: ArenaChoices) -> dict[str, str]:
        """The hash of a demonstration's file and pictures."""
        from llm_control.demonstration.file import file_sha256

        shown = choices.demonstration
        return {"demonstration": file_sha256(Path(shown))} if isinstance(shown, str) else {}

    def remarks(self, choices: ArenaChoices, prompts: PromptSet, protocol: str | None) -> Sequence[str]:
        """What the run is in short if no preset says so, and how it differs from the paper."""
        from llm_control.paper.differences import differences_sentence, in_short

        short = [] if protocol else [f"Without a preset: {in_short(choices, prompts)}."]
        return () if choices.acts else (*short, differences_sentence(choices, prompts))

    def opening(self, choices: ArenaChoices, prompts: PromptSet, episodes: int) -> "list[ChatMessage]":
        """The system text and, if chosen, the demonstration."""
        from llm_control.messages import opening

        return opening(choices, prompts, episodes)

    def tools(self) -> "Mapping[str, Callable[[], Tool]]":
        """`act`, `go` and `turn`."""
        from llm_control.tools import TOOLS

        return TOOLS

    def called(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The script that a call of a tool stands for."""
        from llm_control.tools import script_of_call

        return script_of_call(tool, arguments)

    def register(self) -> None:
        """The tools, the perception probes, and Inspect's ReAct agent with the tool `act`."""
        import llm_control.registry  # noqa: F401

    def agent(self, name: str) -> Agent | None:
        """`random`, `pixels`, `oracle`, `ideal` and `replay/FOLDER`."""
        from llm_control.agents.offline import offline_agent

        return offline_agent(name)

    def player(self, name: str) -> Player | None:
        """`held`, `braitenberg`, `random-steps` and `policy/FILE`."""
        from llm_control.agents.players import player

        return player(name)

    def model_name(self, name: str) -> str | None:
        """`policy:FILE` stands for `arena/policy/FILE`."""
        file = name.removeprefix(POLICY)
        return f"arena/policy/{file}" if name.startswith(POLICY) and file else None

    def most_replies(self, task: TaskSpec, choices: ArenaChoices) -> int | None:
        """By the limit of the choices, or by the clock if each reply takes a step."""
        steps = task.content.spec.time_limit or SAFETY_STEPS
        limits = [choices.max_scripts, steps if choices.one_step else None]
        return min((limit for limit in limits if limit is not None), default=None)

    def check(self, model: str, tasks: Sequence[TaskSpec], choices: ArenaChoices) -> None:
        """Refuse an offline agent that cannot play these tasks.

        Raises EvaluationError if `arena/pixels` would get no pictures, and RecordingError as
        `check_solutions` and `check_recordings` do.
        """
        if model == "arena/pixels" and not choices.shows_images:
            raise EvaluationError("arena/pixels needs pictures, and this protocol has none; use arena/random")
        if model == "arena/ideal":
            from llm_control.agents.recorded import check_solutions

            check_solutions(tasks, choices)
        if model.startswith("arena/replay/"):
            from llm_control.agents.recorded import check_recordings

            check_recordings(Path(model.removeprefix("arena/replay/")), tasks, choices)
        if choices.sample_actions and not model.startswith("arena/policy/"):
            raise EvaluationError(f"{model}: sample_actions is for learned policies only (policy:FILE)")

    def versions(self) -> dict[str, str]:
        """The software that decides an episode's bits."""
        from arena.recording import software_versions

        return software_versions()

    def renderer(self, choices: ArenaChoices) -> str | None:
        """What draws pictures here; raises RenderError if nothing can."""
        from render.context import drawn_by

        return drawn_by()

    def logged_task(self, plain: Mapping[str, Any]) -> TaskSpec:
        """A task as a log has it."""
        from llm_control.environment import logged_task

        return logged_task(plain)

    def replayed(self, setup: EpisodeSetup, record: Mapping[str, Any]) -> Record:
        """The episode of an agent that acts at every step again."""
        from llm_control.environment import replayed

        return replayed(setup, record)


def _refuse_other_files(tasks: Sequence[TaskSpec], battery: str) -> None:
    """Raise ConfigError for the first task whose file is not that of the battery asked for."""
    name = next((each for each in NAMES if each == battery), None)
    other = [task.id for task in tasks if not is_published(task.id, task.sha256, name)]
    if battery == "any" or not other:
        return
    asking, wanted = f"battery = {battery}", name or NAMES[0]
    remedy = f"run `arena-llm testbed fetch {wanted}` once and give {wanted} to --testbed"
    if name is None:
        asking, remedy = "tasks = children", f"{remedy}, or short-form to --tasks"
    raise ConfigError(
        f"{asking} asks for the published task files, and {len(other)} of {len(tasks)} files are others by "
        f"their SHA-256 (the first: {other[0]}); {remedy}"
    )


SUITE = ArenaSuite()
