"""From actions back to the commands of a script."""

from collections.abc import Iterable
from itertools import groupby

from arena.action import BACKWARD, FORWARD, TURN_LEFT, TURN_RIGHT, Action
from arena.errors import RecordingError
from llm_control.script.commands import DEGREES_PER_STEP, Command, Go, Turn


def compress(actions: Iterable[Action]) -> tuple[Command, ...]:
    """The shortest list of commands with exactly these actions.

    Raises RecordingError for an action without a command: idling, or driving while turning.
    """
    return tuple(_command(action, len(list(run))) for action, run in groupby(actions))


def _command(action: Action, steps: int) -> Command:
    if action in (FORWARD, BACKWARD):
        return Go(steps if action == FORWARD else -steps)
    if action in (TURN_RIGHT, TURN_LEFT):
        return Turn(DEGREES_PER_STEP * (steps if action == TURN_RIGHT else -steps))
    raise RecordingError(
        f"no command has the action move={action.move.name}, rotate={action.rotate.name}: expected "
        "only driving or only turning in each step"
    )
