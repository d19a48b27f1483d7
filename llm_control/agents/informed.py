"""Offline agents that see more than the conversation: the oracle, and the replay of a recording.

A model provider of Inspect knows only messages. The play loop therefore says which episode it plays, for as
long as its own coroutine runs, and these agents look it up.
"""

from pathlib import Path
from weakref import WeakKeyDictionary

from arena import Episode
from llm_control.agents.oracle.solve import solve
from llm_control.agents.recorded import recorded_plan
from llm_control.agents.telling import Plan, next_reply
from llm_control.played import PLAYED

_plans: WeakKeyDictionary[Episode, Plan] = WeakKeyDictionary()


def oracle_reply() -> str:
    """The oracle's next reply in the episode that is being played; it plans anew after a deviation."""
    seat = PLAYED.get()
    if not _holds(seat.episode):
        _plans[seat.episode] = _solved(seat.episode)
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


def _holds(episode: Episode) -> bool:
    """Whether there is a plan, and the episode has followed it so far or to its end."""
    plan = _plans.get(episode)
    return plan is not None and all(
        planned == taken for planned, taken in zip(plan.actions, episode.actions, strict=False)
    )


def _solved(episode: Episode) -> Plan:
    taken = episode.actions
    plan = solve(episode.spec, task_id=episode.task_id, seed=episode.seed, trial=episode.trial, taken=taken)
    return Plan(len(taken), (*taken, *plan.actions))
