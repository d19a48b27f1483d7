"""Whether the actions of a turn are those that its reply asks for."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from arena import IDLE, Action
from arena.recording import packed
from arena_llm.verify.report import Finding
from llm_control.script import Script, ScriptSyntaxError, parse


def reply_findings(
    turn: Mapping[str, Any], number: int, played: Sequence[Action], strict: bool
) -> Iterator[Finding]:
    """What of a turn does not follow from its reply; `played` are its recorded actions.

    A reply that was refused costs one idle step, whatever it says.
    """
    script, problem = _understood(str(turn["reply"]), strict)
    refused = turn["error"] is not None
    if problem is not None and problem != turn["error"]:
        yield Finding(number, "error", turn["error"], problem)
    if not refused:
        yield from _unlike(number, "thoughts", list(turn["thoughts"]), list(script.thoughts))
        yield from _unlike(number, "repairs", list(turn["repairs"]), [str(each) for each in script.repairs])
    asked = [IDLE] if refused or problem is not None else list(islice(script.actions(), len(played)))
    yield from _unlike(number, "actions", told(played), told(asked))
    steps = 1 if refused or problem is not None else script.steps
    if not turn["done"] and steps != len(played):
        yield Finding(number, "steps", len(played), steps)


def _understood(reply: str, strict: bool) -> tuple[Script, str | None]:
    try:
        return parse(reply, strict=strict), None
    except ScriptSyntaxError as error:
        return Script(()), error.feedback


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
