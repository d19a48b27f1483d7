"""Arena suite: the battery's tasks, played by scripts, tools or policies."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import ConfigError, EvaluationError
from arena.recording import software_versions
from evaluation.prompts import PromptSet
from evaluation.scale.references import FILE, Scale
from evaluation.suite import Environment, EpisodeSetup, Message, Observation, Suite, TaskSpec
from evaluation.suites import unknown_task
from llm_control.choices import ArenaChoices
from testbed import LEVEL_NAMES, Task, find_tasks, parse_levels
from testbed.originals import NAMES, is_published
from testbed.tasks import files_named, files_version, find_paths, level_of, read_tasks

if TYPE_CHECKING:
    from evaluation.by_hand.form import Form
    from testbed.curriculum import Generated


def task_spec(task: Task) -> TaskSpec:
    """Convert a task of the battery; the group is its level."""
    mark = task.spec.pass_mark
    return TaskSpec(
        task.id,
        task.level,
        task.sha256,
        target="unmarked" if mark is None else f"{mark:g}",
        metadata={"level": task.level, "pass_mark": mark},
        content=task,
    )


class ArenaSuite(Suite):
    """Physical common sense in the Animal-AI arena: ten levels of tasks."""

    name = "arena"
    title = "Animal-AI arena"
    task_name = "testbed"
    group_name = "level"
    choices = ArenaChoices
    has_files = True

    def tasks(self, choices: ArenaChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """List a folder's tasks (default: the shipped battery) in order. Raises ConfigError as `find_tasks`
        does."""
        found = find_tasks(_levels(choices), folder, choices.animal_ai, chance=choices.chance)
        return [task_spec(task) for task in found]

    def named(self, name: str, choices: ArenaChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """Find a task by id alone, or draw a training task."""
        if folder is None and _is_drawn(name):
            return [task_spec(_drawn(_ALL_LEVELS).task(name, choices.animal_ai))]
        files = files_named(name.partition("#")[0], folder)
        read = (read_tasks(path, choices.animal_ai, chance=choices.chance) for path in files)
        found = [task for tasks in read for task in tasks if task.id == name]
        if not found:
            raise unknown_task(name, [path.stem for path in find_paths(None, folder)])
        levels = _levels(choices)
        return [task_spec(task) for task in found if levels is None or level_of(task.path) in levels]

    def task_version(self, folder: Path | None = None) -> str:
        """Hash the names and digests of the task files (first twelve digits)."""
        return files_version(folder)

    def open(self, setup: EpisodeSetup) -> Environment:
        """Open an episode. Raises LayoutError if its arena cannot be built."""
        from llm_control.environment import ArenaEnvironment

        return ArenaEnvironment(setup)

    def opening(self, choices: ArenaChoices, prompts: PromptSet, episodes: int) -> list[Message]:
        """Compose the system text and any chosen demonstration."""
        from llm_control.messages import opening

        return opening(choices, prompts, episodes)

    def check(self, model: str, tasks: Sequence[TaskSpec], choices: ArenaChoices) -> None:
        """Refuse another battery's task files, and unsuitable offline agents. Raises ConfigError;
        EvaluationError if `arena/pixels` would get no pictures; RecordingError as `check_plans` does."""
        _refuse_other_files(tasks, choices.battery)
        if choices.needs_all_tasks and len({task.sha256 for task in tasks}) < 2:
            raise ConfigError(
                "vision = shuffled shows pictures of another arena, so it needs at least two tasks"
            )
        if model == "arena/pixels" and not choices.shows_images:
            raise EvaluationError("arena/pixels needs pictures, and this protocol has none; use arena/random")
        if model == "arena/ideal" or model.startswith("arena/replay/"):
            from llm_control.agents.informed import check_plans

            check_plans(model.removeprefix("arena/"), tasks, choices)
        asks = all(task.content.spec.question for task in tasks)
        if model in ("arena/random-experiments", "arena/prior-only") and not asks:
            raise EvaluationError(f"{model} plays the laboratory alone: --levels 11-14")
        if model and choices.sample_actions and not model.startswith("arena/policy/"):
            raise EvaluationError(f"{model}: sample_actions is for learned policies only (policy:FILE)")

    def versions(self) -> dict[str, str]:
        """Versions of the software that decides an episode's bits."""
        return software_versions()


def files(choices: ArenaChoices) -> dict[str, str]:
    """Hash a demonstration's file and pictures."""
    if not isinstance(shown := choices.demonstration, str):
        return {}
    from llm_control.demonstration import file_sha256

    return {"demonstration": file_sha256(Path(shown))}


def remarks(choices: ArenaChoices, prompts: PromptSet, protocol: str | None) -> Sequence[str]:
    """Summarise the run without a preset, and differences from the paper."""
    from llm_control.paper.differences import differences_sentence, in_short

    short = [] if protocol else [f"Without a preset: {in_short(choices, prompts)}."]
    return () if choices.acts else (*short, differences_sentence(choices, prompts))


SCRIPT = "script"
"""Id of the script question in the form for people."""


def form(task: TaskSpec, choices: ArenaChoices, observation: Observation) -> "Form":
    """Make a field for the script, below the observation's own text. The rules are the system prompt's."""
    from evaluation.by_hand.form import Form, Text
    from llm_control.messages import system_text
    from llm_control.prompts import arena_prompts

    # Enough for thirty commands and a page of thoughts.
    script = Text(id=SCRIPT, ask="Your script", longest=4_000)
    rules = system_text(choices, arena_prompts(), 1)
    return Form("", (script,), lambda values: str(values[SCRIPT]), help=rules)


def _levels(choices: ArenaChoices) -> tuple[int, ...] | None:
    return None if choices.levels is None else parse_levels(choices.levels)


def _refuse_other_files(tasks: Sequence[TaskSpec], battery: str) -> None:
    """Raise ConfigError for the first task file outside the requested battery."""
    name = next((each for each in NAMES if each == battery), None)
    other = [task.id for task in tasks if not is_published(task.id, task.sha256, name)]
    if battery == "any" or not other:
        return
    asking, wanted = f"battery = {battery}", name or NAMES[0]
    remedy = f"run `arena-llm testbed fetch {wanted}` once and give {wanted} to --testbed"
    if name is None:
        asking, remedy = "tasks = children", f"{remedy}, or short-form to --tasks"
    raise ConfigError(
        f"{asking} asks for the published task files, and {len(other)} of {len(tasks)} files differ by "
        f"their SHA-256 (the first: {other[0]}); {remedy}"
    )


_ALL_LEVELS = f"1-{len(LEVEL_NAMES)}"


def split(name: str, choices: ArenaChoices) -> Iterator[str]:
    """Yield test ids of the battery, or endless drawn training ids."""
    if name == "test":
        return (path.stem for path in find_paths(_levels(choices)))
    return _drawn(choices.levels or _ALL_LEVELS).ids()


def _drawn(levels: str) -> "Generated":
    """Draw endless training tasks; the generator is loaded only when necessary."""
    from testbed.benchmark import TRAIN_SEED
    from testbed.curriculum import Generated

    return Generated(levels, TRAIN_SEED)


def _is_drawn(task_id: str) -> bool:
    """Return whether an id is a training task's (seven variant digits)."""
    variant = task_id.rpartition("-")[2]
    return variant.isascii() and variant.isdecimal() and len(variant) > 6


SUITE = ArenaSuite()

# All three variants of a task share the pass criterion.
FIRST_VARIANTS = tuple(f"{level:02}-{task:02}-01" for level in range(1, 11) for task in range(1, 31))

SCALE = Scale(
    Path(__file__).with_name(FILE),
    scoring=1,
    agents={"random": "random", "ideal": "ideal"},
    matters=("animal_ai",),
    settings=({"initial_idle_steps": (), "tasks": FIRST_VARIANTS},),
)
