"""Whether the model's part of an episode ended for the reason that is logged."""

from collections.abc import Iterator

from arena_llm.verify.kept import Kept
from arena_llm.verify.replies import understood
from arena_llm.verify.report import Finding
from llm_control.choices import Protocol
from llm_control.limits import loops, movement
from llm_control.play import ModelEnd


def end_findings(kept: Kept, protocol: Protocol, limited: bool, ours: bool) -> Iterator[Finding]:
    """What of the end of the model's part is not as the protocol has it.

    `limited` says that the log names a limit that ended the sample; `ours` that our own solver played, which
    stops for nothing else.
    """
    most = protocol.max_scripts
    if most is not None and len(kept.turns) > most:
        yield Finding(None, "turns", len(kept.turns), f"at most {most}")
    if kept.model_end is None:
        return
    expected = model_end(kept, protocol)
    if kept.model_end != expected:
        yield Finding(None, "end of the model's part", kept.model_end, str(expected))
    elif expected is ModelEnd.SOLVER and ours and not limited:
        yield Finding(None, "end of the model's part", kept.model_end, "no limit is logged that would end it")


def model_end(kept: Kept, protocol: Protocol) -> ModelEnd:
    """Why the model was asked no more, from the turns alone; SOLVER where nothing of the protocol says so."""
    turns = kept.turns
    if turns[-1]["done"] if turns else kept.recording.steps <= sum(protocol.initial_idle_steps):
        return ModelEnd.EPISODE
    if protocol.max_scripts is not None and len(turns) >= protocol.max_scripts:
        return ModelEnd.MAX_SCRIPTS
    if protocol.loop_turns is not None and _loops(kept, protocol, protocol.loop_turns):
        return ModelEnd.LOOP
    return ModelEnd.SOLVER


def _loops(kept: Kept, protocol: Protocol, turns: int) -> bool:
    replies = [
        () if turn["error"] is not None else movement(understood(str(turn["reply"]), protocol)[0])
        for turn in kept.turns
    ]
    return loops(replies, turns)
