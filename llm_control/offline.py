"""Offline agents of the arena that answer messages.

All but `random` and `pixels` also know the episode (`llm_control.agents.informed`). What these two draw at
random depends on the episode's seed and the number of the reply alone.

A script is made to fit what the protocol asks for: one step, no thoughts, tool calls. The agents know of it
what a model knows: the notes in the system text. Only that replies are moves is known to them from the
choices, as texts of others say it in words of their own.
"""

import base64
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from arena.errors import EvaluationError
from evaluation.engines.backend import CURRENT
from evaluation.prompts import RUNNER, load_prompt
from evaluation.script import Listed
from evaluation.suite import AgentTurn, Message
from llm_control.agents.pixels import GREEN, RED, YELLOW, answer, blobs
from llm_control.prompts import VARIABLES
from llm_control.script import (
    DEGREES_PER_STEP,
    WAIT,
    Command,
    Go,
    Script,
    Think,
    Turn,
    move_of,
    parse,
    random_script,
)
from render import Frame, decode

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ChatMessageAssistant

_NOTHING_SEEN = ("I see no ball", "No ball anywhere")


async def _reply(turn: AgentTurn) -> str | tuple[str, dict[str, Any]]:
    """Answer the conversation with a script, by calling `act` if available."""
    if (kind := asked_kind(turn.messages[-1].text)) is not None:
        rng = np.random.default_rng(turn.seed)
        return guess(kind, rng) if turn.name == "random" else perceive(kind, _last_image(turn.messages), rng)
    if turn.messages[-1].text in OPEN.values():
        return locate(turn.messages[-1].text, _last_image(turn.messages))
    if is_over(turn.messages):
        # An agent leaves a scaffold by its tool `submit`.
        return ("submit", {"answer": "done"}) if "submit" in turn.tools else "done"
    if turn.name in INFERRING and (belief := await _belief()) is not None:
        return belief
    script = await _script(turn)
    script = script if script == WAIT else fitted(script, turn.messages)
    if "act" in turn.tools:
        return "act", {"script": script}
    # Waiting is no script, so it is no `go` or `turn`.
    calls = script != WAIT and {"go", "turn"}.intersection(turn.tools)
    return as_call(script, turn.tools) if calls else script


INFERRING = ("oracle", "random-experiments", "prior-only")
"""Agents that compute the exact belief. The last two play only the laboratory."""

AGENTS = dict.fromkeys(("pixels", "random", *INFERRING, "ideal", "replay/FOLDER"), _reply)
"""Agents by name."""


async def _belief() -> str | None:
    """State the exact belief if requested; other agents answer with a script."""
    now = CURRENT.get()
    asked = now.setup.choices.beliefs and await now.compute(lambda environment: environment.asked)
    return str(Listed("Belief", tuple(round(each, 4) for each in asked.posterior))) if asked else None


async def _script(turn: AgentTurn) -> str:
    if turn.name not in ("random", "pixels"):
        from llm_control.agents.informed import informed_reply

        return await informed_reply(turn.name)
    replies = [script_of(message) for message in turn.messages if message.role == "assistant"]
    rng = np.random.default_rng([turn.seed, len(replies)])
    if turn.name == "random":
        return random_script(rng)
    return answer(_last_image(turn.messages), fruitless(replies), rng)


def _last_image(messages: Sequence[Message]) -> Frame:
    for message in reversed(messages):
        if message.role in ("user", "tool") and not isinstance(message.content, str):
            images = [part for part in message.content if part.type == "image"]
            if images:
                return decode(base64.b64decode(images[-1].image.partition(",")[2]))
    raise EvaluationError("arena/pixels needs pictures, and this conversation has none; use arena/random")


def fruitless(replies: list[str]) -> int:
    """Count the final replies that saw nothing."""
    seen = (not any(words in each for words in _NOTHING_SEEN) for each in reversed(replies))
    return next((count for count, each in enumerate(seen) if each), len(replies))


def script_of(message: "ChatMessageAssistant") -> str:
    """Extract a reply's script from its text or calls."""
    calls = [str(call.arguments.get("script", "")) for call in message.tool_calls or ()]
    return "\n".join([message.text, *calls])


def fitted(script: str, messages: "Sequence[ChatMessage]") -> str:
    """Shorten a script to one step, one word, or without thoughts."""
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
    """Return whether the last message ends all episodes. A scaffold may still ask."""
    return load_prompt("evaluation.prompts", "episode_last", RUNNER).text in messages[-1].text


def as_call(script: str, tools: Sequence[str]) -> tuple[str, dict[str, object]]:
    """Convert a script's first possible command to a call of a tool. A script of thoughts alone becomes a
    call that takes no time."""
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


DISTANCE_BINS = {"near": (2.0, 5.0), "middle": (7.0, 11.0), "far": (14.0, 20.0)}
"""Distances in metres by answer, with gaps, so that centimetres never decide."""


class Kind(NamedTuple):
    """Kind of question, with its text and possible answers."""

    question: str
    answers: tuple[str, ...]


KINDS = {
    "side": Kind("Is the green ball left or right of the middle of the image?", ("left", "right")),
    "distance": Kind(
        "How far away is the green ball, which is one metre across? near: less than 6 metres; middle: 6 to "
        "12 metres; far: more than 12 metres.",
        tuple(DISTANCE_BINS),
    ),
    "count": Kind("How many balls are in the image?", ("0", "1", "2", "3", "4")),
    "nearer": Kind(
        "Two balls, one green and one yellow, are of the same size. Which is nearer?", ("green", "yellow")
    ),
}
"""Kinds of questions by name."""

ASKED = "Answer with one word and nothing else. Possible answers: "


def asked_kind(text: str) -> str | None:
    """Find the kind of a probe message; None for any other message."""
    return next((name for name, kind in KINDS.items() if kind.question in text and ASKED in text), None)


def guess(kind: str, rng: np.random.Generator) -> str:
    """Draw one of the answers at random."""
    answers = KINDS[kind].answers
    return answers[int(rng.integers(len(answers)))]


def perceive(kind: str, frame: Frame, rng: np.random.Generator) -> str:
    """Answer from the picture's balls, as `arena/pixels` finds them, otherwise guess."""
    green, yellow = blobs(frame, GREEN), blobs(frame, YELLOW)
    if kind == "count":
        return str(min(len(green) + len(yellow), 4))
    if not green or (kind == "nearer" and not yellow):
        return guess(kind, rng)
    if kind == "side":
        return "right" if green[0].bearing > 0 else "left"
    if kind == "nearer":
        return "green" if green[0].distance < yellow[0].distance else "yellow"
    return "near" if green[0].distance < 6 else "middle" if green[0].distance < 12 else "far"


THINGS = ("green ball", "yellow ball", "red ball", "wall", "ramp", "tunnel", "grey block", "red zone")
PLACES = ("left", "middle", "right", "none")

OPEN = {
    "where": "Where in the image is each of these things? Answer with a JSON object of all things and "
    "nothing else. Each value is the third of the image with the middle of the nearest such thing: left, "
    f"middle or right; or none. The things: {', '.join(THINGS)}.",
    "bearing": "At how many degrees is the middle of the nearest ball of any colour? Straight ahead is 0, "
    "the left edge of the image -50, the right edge 50. Answer with a number or none, and nothing else.",
}
"""Open questions, whose answers are only compared, by name."""


def locate(question: str, frame: Frame) -> str:
    """Answer one of `OPEN` from the picture's balls, as `arena/pixels` finds them."""
    colors = dict(zip(THINGS, (GREEN, YELLOW, RED), strict=False))
    balls = [(b.distance, b.bearing, name) for name, color in colors.items() for b in blobs(frame, color)]
    if question == OPEN["bearing"]:
        return f"{min(balls)[1]:.0f}" if balls else "none"
    # The edges are at 50 degrees, so thirds end at 22; the nearest ball of a colour comes last.
    thirds = {name: PLACES[(b > -22) + (b > 22)] for _, b, name in sorted(balls, reverse=True)}
    return json.dumps(dict.fromkeys(THINGS, "none") | thirds)
