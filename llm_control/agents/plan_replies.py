"""A plan of actions as replies to the arena."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from arena import IDLE, Action
from llm_control.choices import ArenaChoices
from llm_control.script import Script, Think, compress

SCRIPTS = 20
"""Maximum number of scripts for a plan: fewer than the 30 that the paper allows."""

WAIT = "I wait."
"""A reply that is no script: it costs one idle step, which no script can say."""

END = str(Script((Think("That was all."),)))
"""What is said once a plan is played."""


class Plan(NamedTuple):
    """All actions of an episode, of which `begun` had been taken before the first reply."""

    begun: int
    actions: tuple[Action, ...]

    @property
    def told(self) -> tuple[Action, ...]:
        """The actions that replies have to say."""
        return self.actions[self.begun :]


def next_reply(plan: Plan, done: int, choices: ArenaChoices) -> str:
    """What to say once `done` actions of the plan are taken.

    Raises RecordingError where no script says what comes next.
    """
    left = plan.actions[done:]
    if not left:
        return END
    if left[0] == IDLE:
        return WAIT
    until = left.index(IDLE) if IDLE in left else len(left)
    return str(Script(compress(left[:until])[: _size(plan.told, choices)]))


def replies_needed(plan: Plan, choices: ArenaChoices) -> int:
    """How many replies say a plan under a choices. Raises RecordingError as `next_reply` does."""
    waits = plan.told.count(IDLE)
    stretches = [compress(run) for idle, run in groupby(plan.told, lambda a: a == IDLE) if not idle]
    if choices.one_step:
        return len(plan.told)
    if choices.replies == "tools" and "act" not in choices.tools:
        return waits + sum(map(len, stretches))
    size = _size(plan.told, choices)
    return waits + sum(-(-len(commands) // size) for commands in stretches)


def _size(told: Sequence[Action], choices: ArenaChoices) -> int:
    """Commands per script: as many as need be where idle steps take replies of their own."""
    if IDLE in told:
        return len(told)
    most = min(SCRIPTS, choices.max_scripts or SCRIPTS)
    return max(2, -(-len(compress(told)) // most))
