"""Limits on replies: their length, their thoughts, and how long they may repeat."""

from collections.abc import Sequence

from llm_control.choices import ArenaChoices
from llm_control.script import DEGREES_PER_STEP, Go, Script, Think

Movement = tuple[tuple[bool, int], ...]
"""What a reply moves: for each command that takes time, whether it drives, and its signed steps."""


def objection(script: Script, choices: ArenaChoices) -> str | None:
    """Why the choices do not allow a script, as the model is shown; None if they do."""
    commands = [command for command in script.commands if not isinstance(command, Think)]
    if choices.one_step and (len(commands) != 1 or commands[0].steps != 1):
        got = "no command" if not commands else " ".join(map(str, commands[:3]))
        return (
            f"Got {got}, expected one command of one step: "
            f"Go(1); Go(-1); Turn({DEGREES_PER_STEP}); or Turn(-{DEGREES_PER_STEP});"
        )
    thought = sum(map(len, script.thoughts))
    if choices.thought_chars == 0 and script.thoughts:
        return "Think is not allowed in this episode; write the other commands only."
    if choices.thought_chars is not None and thought > choices.thought_chars:
        return f"The thoughts have {thought} characters together, {choices.thought_chars} are allowed."
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
