"""What `info` holds after each reset and step: numbers only, under the same keys."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from arena.agent_state import AgentState
from arena.rules import Event, EventKind, Outcome

OUTCOMES = (str(Outcome.STOPPED), *(str(each) for each in Outcome if each is not Outcome.STOPPED))
"""Names of the values of `info["outcome"]`; 0 is "stopped", until the arena ends the episode."""

EVENTS = tuple(str(kind) for kind in EventKind)
"""Names of the places of `info["events"]`."""

_PLACES = {kind: place for place, kind in enumerate(EventKind)}


def info_of(state: AgentState, events: Iterable[Event] = ()) -> dict[str, Any]:
    """An agent's info after a step with these events.

    `is_success` and `passed` bool: whether the pass mark is reached so far, False without one; `outcome` int:
    index into `OUTCOMES`; `events` int64 (len(EVENTS),): how often each of `EVENTS` happened in the step.
    There are no texts and no tuples, of which TorchRL cannot make tensors.
    """
    counts = np.zeros(len(EVENTS), np.int64)
    for event in events:
        counts[_PLACES[event.kind]] += 1
    passed = state.passed is True
    outcome = OUTCOMES.index(state.outcome) if state.outcome else 0
    return {"is_success": passed, "passed": passed, "outcome": outcome, "events": counts}
