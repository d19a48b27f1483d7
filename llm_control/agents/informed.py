"""Offline agents with extra knowledge: oracle, and replays of solutions and recordings.

A model provider of Inspect knows only messages. The runner therefore names the running episode, for as long
as its own coroutine runs, and these agents look it up.
"""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from itertools import groupby, takewhile
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from arena import IDLE, Action, ArenaSpec, Recording, RecordingError
from arena.geometry.layout import resolve
from arena.geometry.placed import Layout
from evaluation.engines.backend import CURRENT, CurrentEpisode
from evaluation.suite import Environment, TaskSpec
from llm_control.choices import ArenaChoices
from llm_control.script import WAIT, Script, Think, compress
from testbed.proof.solutions import read
from testbed.tasks import SHIPPED_FOLDER

SCRIPTS = 20
"""Maximum number of scripts for a plan, below the paper's 30."""

END = str(Script((Think("That was all."),)))
"""Reply after the end of a plan."""


class Plan(NamedTuple):
    """Actions of an episode, of which `begun` preceded the first reply."""

    begun: int
    actions: tuple[Action, ...]

    @property
    def told(self) -> tuple[Action, ...]:
        """Actions left for the replies."""
        return self.actions[self.begun :]


def next_reply(plan: Plan, done: int, choices: ArenaChoices) -> str:
    """Write the next reply, after `done` actions of the plan. Raises RecordingError if no script can express
    the rest."""
    left = plan.actions[done:]
    if not left:
        return END
    if left[0] == IDLE:
        return WAIT
    until = left.index(IDLE) if IDLE in left else len(left)
    return str(Script(compress(left[:until])[: _size(plan.told, choices)]))


def replies_needed(plan: Plan, choices: ArenaChoices) -> int:
    """Count the replies for a plan under these choices. Raises RecordingError as `next_reply`."""
    waits = plan.told.count(IDLE)
    stretches = [compress(run) for idle, run in groupby(plan.told, lambda a: a == IDLE) if not idle]
    if choices.one_step:
        return len(plan.told)
    if choices.replies == "tools" and "act" not in choices.tools:
        return waits + sum(map(len, stretches))
    size = _size(plan.told, choices)
    return waits + sum(-(-len(commands) // size) for commands in stretches)


def _size(told: Sequence[Action], choices: ArenaChoices) -> int:
    """Commands per script, more if idle steps take replies of their own."""
    if IDLE in told:
        return len(told)
    return max(2, -(-len(compress(told)) // min(SCRIPTS, choices.max_scripts or SCRIPTS)))


_plans: WeakKeyDictionary[Environment, Plan] = WeakKeyDictionary()


REPLAY = "replay/"
"""Prefix of the replaying agent's name, before the folder of recordings."""


async def informed_reply(name: str) -> str:
    """Compute a named agent's next reply in the running episode. Planning agents plan again after a
    deviation. Raises RecordingError for a recording that cannot be played."""
    episode = CURRENT.get()
    setup, environment = episode.setup, episode.environment
    plan = _plans.get(environment)
    # The episode may outlast the plan.
    astray = plan and any(a != b for a, b in zip(plan.actions, environment.known, strict=False))
    if name != "ideal" and not name.startswith(REPLAY) and (plan is None or astray):
        plan = await _found(name, episode)
    plan = _plans[environment] = plan or stored_plan(name, setup.task, setup.trial, setup.choices)
    return next_reply(plan, len(environment.known), setup.choices)


async def _found(name: str, episode: CurrentEpisode) -> Plan:
    from testbed.oracle.solve import experiment, solve

    setup, taken = episode.setup, episode.environment.known
    task = setup.task.content
    find = solve if name == "oracle" else partial(experiment, name == "random-experiments")
    named = {"task_id": task.id, "seed": setup.choices.seed, "trial": setup.trial}
    plan = await episode.compute(lambda _: find(task.spec, **named, taken=taken))
    return Plan(len(taken), (*taken, *plan.actions))


@cache
def stored_solutions() -> Mapping[str, Recording]:
    """The battery's own solutions by task."""
    return {task_id: proof.solution for task_id, proof in read(SHIPPED_FOLDER).items()}


def check_plans(name: str, tasks: Sequence[TaskSpec], choices: ArenaChoices) -> None:
    """Check before a run that `ideal` or `replay/FOLDER` covers every episode. Raises RecordingError as
    `stored_plan` does, and for missing files once for all."""
    if name.startswith(REPLAY):
        _check_files(Path(name.removeprefix(REPLAY)), tasks)
    for task in tasks:
        for trial in range(choices.trials):
            stored_plan(name, task, trial, choices)


def _check_files(folder: Path, tasks: Sequence[TaskSpec]) -> None:
    if not folder.is_dir():
        raise RecordingError(f"arena/replay/{folder}: no such folder; expected one of files TASK.json")
    missing = [task.id for task in tasks if not (folder / f"{task.id}.json").is_file()]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise RecordingError(
            f"{folder}: no recordings {', '.join(f'{each}.json' for each in missing[:3])}{more} for the "
            f"{len(tasks)} tasks; select existing tasks with --tasks"
        )


def stored_plan(name: str, task: TaskSpec, trial: int, choices: ArenaChoices) -> Plan:
    """Load an episode's plan: the battery's solution, or FOLDER/TASK.json.

    For `ideal` and `replay/FOLDER`. Idle steps at its end are left to the arena's clock, if any. Raises
    RecordingError without a solution, or if the recording cannot be read, is of another arena or seed or of
    several agents, begins otherwise than the protocol, or has actions that no reply can express.
    """
    if name == "ideal":
        if task.id not in stored_solutions():
            raise RecordingError(f"arena/ideal: no solution of {task.id}; it plays the shipped battery only")
        file, recording = Path(f"solution of {task.id}"), stored_solutions()[task.id]
    else:
        file = Path(name.removeprefix(REPLAY), f"{task.id}.json")
        recording = Recording.read(file)
    spec: ArenaSpec = task.content.spec
    _check_arena(file, recording, spec, (choices.seed, task.id, trial))
    actions = tuple(recording.unpacked())
    idle = sum(1 for _ in takewhile(lambda action: action == IDLE, actions))
    begun = sum(choices.initial_idle_steps)
    if idle < min(begun, len(actions)):
        raise RecordingError(
            f"{file}: begins with {idle} idle steps, this protocol with {begun}; "
            f"add --initial-idle-steps {idle}"
        )
    while spec.time_limit and len(actions) > begun and actions[-1] == IDLE:
        actions = actions[:-1]
    plan = Plan(begun, actions)
    _check_replies(file, plan, choices, idle)
    return plan


def _check_arena(file: Path, recording: Recording, spec: ArenaSpec, episode: tuple[int, str, int]) -> None:
    if not recording.is_of(spec):
        raise RecordingError(
            f"{file}: made in another arena (its task {recording.task_id}, Animal-AI's version, or a file "
            "that has changed since); give the folder of its task files, or --animal-ai"
        )
    if recording.others:
        raise RecordingError(f"{file}: has {len(recording.others) + 1} agents, an evaluation has one")
    made = (recording.seed, recording.task_id, recording.trial)
    if made != episode and _layout(spec, made) != _layout(spec, episode):
        raise RecordingError(
            f"{file}: the arena is random, and this is its seed {made[0]}, task {made[1]}, trial {made[2]}, "
            f"not seed {episode[0]}, task {episode[1]}, trial {episode[2]}; --seed and --trials choose"
        )


def _layout(spec: ArenaSpec, episode: tuple[int, str, int]) -> Layout:
    """Copy the layout without the agent's own skin, invisible to it."""
    layout = resolve(spec, *episode)
    return layout._replace(agents=tuple(agent._replace(skin="") for agent in layout.agents))


def _check_replies(file: Path, plan: Plan, choices: ArenaChoices, idle: int) -> None:
    try:
        needed = replies_needed(plan, choices)
    except RecordingError as error:
        raise RecordingError(f"{file}: {error}; `arena-llm replay {file}` plays any recording") from None
    if choices.max_scripts is not None and needed > choices.max_scripts:
        longer_opening = needed - (idle - plan.begun) <= choices.max_scripts
        remedy = f"--initial-idle-steps {idle}" if longer_opening else f"--max-scripts {needed}"
        raise RecordingError(
            f"{file}: takes {needed} replies (each idle step is one), this protocol allows "
            f"{choices.max_scripts}; add {remedy}"
        )
