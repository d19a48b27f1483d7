"""From actions back to a script: the commands that say them."""

from collections.abc import Iterable
from itertools import groupby

from arena.action import BACKWARD, FORWARD, TURN_LEFT, TURN_RIGHT, Action
from arena.errors import RecordingError
from llm_control.script.commands import DEGREES_PER_STEP, Command, Go, Turn


def compress(actions: Iterable[Action]) -> tuple[Command, ...]:
    """The shortest list of commands that takes exactly these actions.

    Raises RecordingError for an action that no command takes: idling, or driving and turning at once.
    """
    return tuple(_command(action, len(list(run))) for action, run in groupby(actions))


def _command(action: Action, steps: int) -> Command:
    if action == FORWARD:
        return Go(steps)
    if action == BACKWARD:
        return Go(-steps)
    if action == TURN_RIGHT:
        return Turn(DEGREES_PER_STEP * steps)
    if action == TURN_LEFT:
        return Turn(-DEGREES_PER_STEP * steps)
    raise RecordingError(
        f"no script says the action move={action.move.name}, rotate={action.rotate.name}: expected "
        "only driving or only turning in each step"
    )
