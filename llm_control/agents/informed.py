"""Offline agents that see more than the conversation: the oracle, and the replay of a recording.

A model provider of Inspect knows only messages. The runner therefore says which episode it plays, for as long
as its own coroutine runs, and these agents look it up.
"""

from functools import partial
from pathlib import Path
from weakref import WeakKeyDictionary

from evaluation.engines.backend import CURRENT, CurrentEpisode
from evaluation.suite import Environment
from llm_control.agents.plan_replies import Plan, next_reply
from llm_control.agents.recorded import recorded_plan, solution_plan

_plans: WeakKeyDictionary[Environment, Plan] = WeakKeyDictionary()


async def oracle_reply() -> str:
    """The oracle's next reply in the episode that is being played; it plans again after a deviation."""
    episode = CURRENT.get()
    environment = episode.environment
    if not _holds(environment):
        _plans[environment] = await _solved(episode)
    return next_reply(_plans[environment], len(environment.known), episode.setup.choices)


def replay_reply(folder: Path) -> str:
    """The next reply that plays the recording of this task: `folder`/TASK.json.

    Raises RecordingError as `recorded_plan` does.
    """
    setup, environment = CURRENT.get().setup, CURRENT.get().environment
    if environment not in _plans:
        task = setup.task.content
        _plans[environment] = recorded_plan(folder, task.spec, task.id, setup.trial, setup.choices)
    return next_reply(_plans[environment], len(environment.known), setup.choices)


def ideal_reply() -> str:
    """The next reply that plays the battery's own solution of this task.

    Raises RecordingError as `solution_plan` does.
    """
    setup, environment = CURRENT.get().setup, CURRENT.get().environment
    if environment not in _plans:
        task = setup.task.content
        _plans[environment] = solution_plan(task.spec, task.id, setup.trial, setup.choices)
    return next_reply(_plans[environment], len(environment.known), setup.choices)


def _holds(environment: Environment) -> bool:
    """Whether there is a plan, and the episode has followed it so far or to its end."""
    plan = _plans.get(environment)
    return plan is not None and all(
        planned == taken for planned, taken in zip(plan.actions, environment.known, strict=False)
    )


async def _solved(episode: CurrentEpisode) -> Plan:
    from testbed.oracle.solve import solve

    setup, taken = episode.setup, episode.environment.known
    task = setup.task.content
    asked = partial(
        solve, task.spec, task_id=task.id, seed=setup.choices.seed, trial=setup.trial, taken=taken
    )
    plan = await episode.compute(asked)
    return Plan(len(taken), (*taken, *plan.actions))
