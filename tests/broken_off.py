"""Runs that break off in the middle, for tests of what their logs say."""

from pathlib import Path

from inspect_ai.log import read_eval_log, write_eval_log

from evaluation.generation.journal import EpisodeReplies
from tests.llm_control.batteries import run


def broken_off(
    battery: Path, logs: Path, monkeypatch, replies: int, resume_it: bool = True, **choices: object
) -> Path:
    """The log of a conversation that was broken off after so many replies, and resumed where asked."""
    count, keep = 0, EpisodeReplies.keep

    def stopping(*arguments):
        nonlocal count
        keep(*arguments)
        count += 1
        if count == replies:
            raise RuntimeError("broken off")

    options = {"relaunches": 0, **choices}
    with monkeypatch.context() as patch:
        patch.setattr(EpisodeReplies, "keep", stopping)
        log = run(battery, logs, "arena/random", "one-conversation", **options).log
    return (
        run(battery, logs, "arena/random", "one-conversation", resume=True, **options).log
        if resume_it
        else log
    )


def without_requests(log: Path, replies: int) -> None:
    """Leave a log as earlier versions did, without the requests for so many replies before the kill."""
    read = read_eval_log(str(log))
    (sample,) = read.samples or []
    asked = [event for event in sample.events if event.event == "model"]
    kept = {event.uuid for event in asked[:replies]}
    sample.events = [event for event in sample.events if event.uuid not in kept]
    write_eval_log(read, str(log))
