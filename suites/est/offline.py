"""Reference agents as offline agents, with a model's texts and replies."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluation.engines.backend import CURRENT
from evaluation.suite import AgentTurn, Message
from suites.est.agents import AGENTS as REFERENCES
from suites.est.episode import DARK, LIT, NOTHING
from suites.est.replies import written
from suites.est.world import OBJECTS, PRESETS, Bools

_SEEN = re.compile(rf"Step (\d+) of .*On the machine: (.+)\. The machine is ({LIT}|{DARK})\.")
_NUMBER = re.compile(r"(\d) \(")


async def _agent(turn: AgentTurn) -> str | tuple[str, dict[str, Any]]:
    """Answer after all panels of the conversation's current episode. Raises InspectUserError without panels,
    as in texts of the user's own."""
    preset = PRESETS[CURRENT.get().setup.choices.machine]
    playing = REFERENCES[turn.name](preset, 1, np.random.default_rng(turn.seed))
    seen = panels(turn.messages)
    if not seen:
        from evaluation.inspect_task.interface import InspectUserError

        raise InspectUserError(
            f"est/{turn.name}: found no panel; it reads the suite's own texts: leave out --prompts"
        )
    answers = [playing.act(panel[None], np.array([lit])) for panel, lit in seen]
    belief, trial = answers[-1].beliefs[0], answers[-1].trials[0]
    if "experiment" in turn.tools:
        on = (np.flatnonzero(trial) + 1).tolist()
        return "experiment", {"belief": belief.tolist(), "trial": on}
    return written(belief, trial)


AGENTS = dict.fromkeys(REFERENCES, _agent)
"""Reference agents by name."""


def panels(messages: Sequence[Message]) -> list[tuple[Bools, bool]]:
    """Extract the current episode's panels (9,) bool, with their lights."""
    found: list[tuple[Bools, bool]] = []
    for message in messages:
        seen = _SEEN.search(message.text) if message.role in ("user", "tool") else None
        if seen is None:
            continue
        if seen[1] == "1":
            found.clear()
        on = [] if seen[2] == NOTHING else [int(number) - 1 for number in _NUMBER.findall(seen[2])]
        found.append((np.isin(np.arange(OBJECTS), on), seen[3] == LIT))
    return found
