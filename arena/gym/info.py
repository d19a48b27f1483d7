"""What `info` holds after each reset and step: numbers only, under the same keys."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from arena.episode import AgentState
from arena.rules import Event, EventKind, Outcome

OUTCOMES = (str(Outcome.STOPPED), *(str(each) for each in Outcome if each is not Outcome.STOPPED))
"""Names of the values of `info["outcome"]`; 0 is "stopped", until the arena ends the episode."""

EVENTS = tuple(str(kind) for kind in EventKind)
"""Names of the places of `info["events"]`."""

Info = dict[str, Any]
Infos = tuple[Info, Info]
"""The infos without the pass mark reached, and with it."""

NO_EVENTS = np.zeros(len(EVENTS), np.int64)
NO_EVENTS.setflags(write=False)


def quiet_infos(more: Info) -> Infos:
    """Infos, with `more` keys, after a step without events in an episode that is not over."""
    plain: Info = {"is_success": False, "passed": False, "outcome": 0, "events": NO_EVENTS} | more
    return plain, plain | {"is_success": True, "passed": True}


_NOTHING = quiet_infos({})[0]


def info_of(state: AgentState, events: Iterable[Event] = ()) -> dict[str, Any]:
    """An agent's info after a step with these events.

    `is_success` and `passed` bool: whether the pass mark is reached so far, False without one; `outcome` int:
    index into `OUTCOMES`; `events` int64 (len(EVENTS),): how often each of `EVENTS` happened in the step.
    There are no texts and no tuples, of which TorchRL cannot make tensors.
    """
    counts = np.zeros(len(EVENTS), np.int64)
    for event in events:
        counts[EVENTS.index(event.kind)] += 1
    passed = state.passed is True
    outcome = OUTCOMES.index(state.outcome) if state.outcome else 0
    return {"is_success": passed, "passed": passed, "outcome": outcome, "events": counts}


COMMON = ("is_success", "passed", "outcome", "events")
"""The keys of `info_of`."""


def common(infos: Sequence[Info | None]) -> Info:
    """What all infos have, in Gymnasium's format for many environments: an array for each key, and a mask of
    those that have it, which are not None."""
    found = [_NOTHING if info is None else info for info in infos]
    kinds = {"is_success": np.bool_, "passed": np.bool_, "outcome": np.int64}
    merged: Info = {key: np.array([info[key] for info in found], kind) for key, kind in kinds.items()}
    merged["events"] = np.zeros((len(infos), len(EVENTS)), np.int64)
    for number, info in enumerate(found):
        if info["events"] is not NO_EVENTS:
            merged["events"][number] = info["events"]
    has = np.array([info is not None for info in infos])
    return merged | {f"_{key}": has.copy() for key in COMMON}
