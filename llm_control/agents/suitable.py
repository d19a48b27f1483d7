"""Whether an offline agent can play what it is asked to, seen before anything is spent."""

from pathlib import Path

from arena.errors import EvaluationError
from llm_control.agents.provider import REPLAY
from llm_control.agents.recorded import check_recordings
from llm_control.choices import Protocol
from testbed import Task


def check_agent(model: str, tasks: tuple[Task, ...], protocol: Protocol) -> None:
    """Refuse an offline agent that cannot play these tasks; models of providers are not looked at.

    Raises EvaluationError where `arena/pixels` would get no pictures, and RecordingError as
    `check_recordings` does.
    """
    if model == "arena/pixels" and not protocol.shows_images:
        raise EvaluationError("arena/pixels needs pictures, and this protocol has none; use arena/random")
    replay = f"arena/{REPLAY}"
    if model.startswith(replay):
        check_recordings(Path(model.removeprefix(replay)), tasks, protocol)
