"""Whether the actions of a turn are those that its reply asks for."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from arena import IDLE, Action
from arena.recording import packed
from arena_llm.verify.report import Finding
from llm_control.choices import Protocol
from llm_control.limits import objection
from llm_control.script import Script, ScriptSyntaxError, parse


def reply_findings(
    turn: Mapping[str, Any], number: int, played: Sequence[Action], protocol: Protocol
) -> Iterator[Finding]:
    """What of a turn does not follow from its reply; `played` are its recorded actions.

    A reply that was refused costs one idle step, whatever it says.
    """
    script, problem = understood(str(turn["reply"]), protocol)
    refused = turn["error"] is not None
    # A text where a call of a tool is expected is refused with words of its own.
    if problem != turn["error"] and not (refused and protocol.replies == "tools"):
        yield Finding(number, "error", turn["error"], problem)
    if not refused:
        yield from _unlike(number, "thoughts", list(turn["thoughts"]), list(script.thoughts))
        yield from _unlike(number, "repairs", list(turn["repairs"]), [str(each) for each in script.repairs])
    asked = [IDLE] if refused or problem is not None else list(islice(script.actions(), len(played)))
    yield from _unlike(number, "actions", told(played), told(asked))
    steps = 1 if refused or problem is not None else script.steps
    if not turn["done"] and steps != len(played):
        yield Finding(number, "steps", len(played), steps)


def understood(reply: str, protocol: Protocol) -> tuple[Script, str | None]:
    """The script of a reply, or an empty one and what the model is told of it."""
    try:
        script = parse(reply, strict=protocol.strict)
    except ScriptSyntaxError as error:
        return Script(()), error.feedback
    problem = objection(script, protocol)
    return (script, None) if problem is None else (Script(()), problem)


def _unlike(number: int, what: str, logged: object, again: object) -> Iterator[Finding]:
    if logged != again:
        yield Finding(number, what, logged, again)


def told(actions: Sequence[Action]) -> str:
    """Actions as run lengths, such as "5 x forward, 2 x right"."""
    runs = [(Action(*divmod(index, 3)), count) for index, count in packed(list(actions))]  # type: ignore[arg-type]
    return ", ".join(f"{count} x {_name(action)}" for action, count in runs) or "none"


def _name(action: Action) -> str:
    move = ("", "forward", "backward")[action.move]
    turn = ("", "right", "left")[action.rotate]
    return " ".join(filter(None, (move, turn))) or "idle"
