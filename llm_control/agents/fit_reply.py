"""How an offline agent's script is made to fit what the protocol asks for: one step, no thoughts, tool calls.

The agents know of the protocol what a model knows: the notes in the system text. Only that replies are moves
is known to them from the choices, as texts of others say it in words of their own.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evaluation.engines.backend import CURRENT
from evaluation.prompts import RUNNER, load_prompt
from llm_control.prompts import VARIABLES
from llm_control.script import DEGREES_PER_STEP, Command, Go, Script, Think, Turn, move_of, parse

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ChatMessageAssistant


WAIT = "I wait."
"""A reply that is no script: it costs one idle step, which no script can say."""


def script_of(message: "ChatMessageAssistant") -> str:
    """The script of a reply, in its text or in its calls."""
    calls = [str(call.arguments.get("script", "")) for call in message.tool_calls or ()]
    return "\n".join([message.text, *calls])


def fitted(script: str, messages: "Sequence[ChatMessage]") -> str:
    """The script cut to one step, or without its thoughts, where that is asked for; a move is one word."""
    system = "".join(message.text for message in messages if message.role == "system")
    # With the layout `roles: user` it is part of the first message.
    system = system or messages[0].text
    episode = CURRENT.get(None)
    moves = episode is not None and episode.setup.choices.commands == "moves"
    commands = parse(script).commands
    if moves or _note("note_one_step") in system:
        commands = (_first_step(commands),)
    if _note("note_no_thoughts") in system or _note("note_short_thoughts").partition("$")[0] in system:
        commands = tuple(command for command in commands if not isinstance(command, Think))
    return (move_of if moves else str)(Script(commands))


def is_over(messages: "Sequence[ChatMessage]") -> bool:
    """Whether the last message says that no episode is left; an agent scaffold may ask on."""
    return load_prompt("evaluation.prompts", "episode_last", RUNNER).text in messages[-1].text


def as_call(script: str, tools: Sequence[str]) -> tuple[str, dict[str, object]]:
    """The first command of a script for which there is a tool, `go` or `turn`, as a call.

    A script of nothing but thoughts becomes a call that takes no time.
    """
    commands = parse(script).commands
    if commands and all(isinstance(command, Think) for command in commands):
        return ("go", {"steps": 0}) if "go" in tools else ("turn", {"degrees": 0})
    for command in commands:
        if isinstance(command, Go) and "go" in tools:
            return "go", {"steps": command.amount}
        if isinstance(command, Turn) and "turn" in tools:
            return "turn", {"degrees": command.degrees}
    return ("turn", {"degrees": DEGREES_PER_STEP}) if "turn" in tools else ("go", {"steps": 1})


def _first_step(commands: Sequence[Command]) -> Command:
    for command in commands:
        if isinstance(command, Go) and command.steps:
            return Go(1 if command.amount > 0 else -1)
        if isinstance(command, Turn) and command.steps:
            return Turn(DEGREES_PER_STEP if command.degrees > 0 else -DEGREES_PER_STEP)
    return Turn(DEGREES_PER_STEP)


def _note(name: str) -> str:
    return load_prompt("llm_control.prompts", name, VARIABLES).text
