"""Offline agents that see more than the conversation: the oracle, and the replay of a recording.

A model provider of Inspect knows only messages. The play loop therefore says which episode it plays, for as
long as its own coroutine runs, and these agents look it up.
"""

from functools import partial
from pathlib import Path
from weakref import WeakKeyDictionary

from anyio import to_thread

from evaluation.current import PLAYED, Seat
from evaluation.engines.backend import Known
from llm_control.agents.recorded import recorded_plan
from llm_control.agents.telling import Plan, next_reply
from testbed.oracle.solve import solve

_plans: WeakKeyDictionary[Known, Plan] = WeakKeyDictionary()


async def plan_elsewhere() -> None:
    """Let the process that plays the episode find the oracle's plan, so that other episodes go on meanwhile.

    Does nothing where there is a plan that holds, or where this process plays.
    """
    seat = PLAYED.get()
    if seat.far is not None and not _holds(seat.episode):
        _plans[seat.episode] = await to_thread.run_sync(_solved, seat, abandon_on_cancel=True)


def oracle_reply() -> str:
    """The oracle's next reply in the episode that is being played; it plans anew after a deviation."""
    seat = PLAYED.get()
    if not _holds(seat.episode):
        _plans[seat.episode] = _solved(seat)
    return next_reply(_plans[seat.episode], len(seat.episode.actions), seat.protocol)


def replay_reply(folder: Path) -> str:
    """The next reply that plays the recording of this task: `folder`/TASK.json.

    Raises RecordingError as `recorded_plan` does.
    """
    seat = PLAYED.get()
    episode = seat.episode
    if episode not in _plans:
        _plans[episode] = recorded_plan(folder, episode.spec, episode.task_id, episode.trial, seat.protocol)
    return next_reply(_plans[episode], len(episode.actions), seat.protocol)


def _holds(episode: Known) -> bool:
    """Whether there is a plan, and the episode has followed it so far or to its end."""
    plan = _plans.get(episode)
    return plan is not None and all(
        planned == taken for planned, taken in zip(plan.actions, episode.actions, strict=False)
    )


def _solved(seat: Seat) -> Plan:
    episode, taken = seat.episode, seat.episode.actions
    asked = partial(
        solve, episode.spec, task_id=episode.task_id, seed=episode.seed, trial=episode.trial, taken=taken
    )
    plan = seat.far.call(asked) if seat.far else asked()
    return Plan(len(taken), (*taken, *plan.actions))
