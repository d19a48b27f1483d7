"""Limits that a protocol sets to replies: their length, their thoughts, and how long they may repeat."""

from collections.abc import Sequence

from llm_control.choices import Protocol
from llm_control.script import DEGREES_PER_STEP, Go, Script, Think

Movement = tuple[tuple[bool, int], ...]
"""What a reply moves: for each command that takes time, whether it drives, and its signed steps."""


def objection(script: Script, protocol: Protocol) -> str | None:
    """Why the protocol does not allow a script, as the model is told; None where it does."""
    commands = [command for command in script.commands if not isinstance(command, Think)]
    if protocol.one_step and (len(commands) != 1 or commands[0].steps != 1):
        got = "no command" if not commands else " ".join(map(str, commands[:3]))
        return (
            f"Got {got}, expected one command of one step: "
            f"Go(1); Go(-1); Turn({DEGREES_PER_STEP}); or Turn(-{DEGREES_PER_STEP});"
        )
    thought = sum(map(len, script.thoughts))
    if protocol.thought_chars == 0 and script.thoughts:
        return "Think is not allowed in this episode; write the other commands only."
    if protocol.thought_chars is not None and thought > protocol.thought_chars:
        return f"The thoughts have {thought} characters together, {protocol.thought_chars} are allowed."
    return None


def movement(script: Script) -> Movement:
    """What a script moves; thoughts and turns of less than one step count as nothing."""
    moving = [command for command in script.commands if not isinstance(command, Think) and command.steps]
    return tuple(
        (isinstance(c, Go), c.steps if (c.amount if isinstance(c, Go) else c.degrees) > 0 else -c.steps)
        for c in moving
        if not isinstance(c, Think)
    )


def loops(movements: Sequence[Movement], turns: int) -> bool:
    """Whether the last `turns` replies move all the same, or in two alternating ways."""
    last = movements[-turns:]
    return len(last) == turns and all(one == other for one, other in zip(last, last[2:], strict=False))
