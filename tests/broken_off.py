"""Runs that break off in the middle, for tests of what their logs say."""

from pathlib import Path

import evaluation.inspect_task.task as played
from evaluation.generation.journal import Journal
from tests.llm_control.batteries import run


def broken_off(
    battery: Path, logs: Path, monkeypatch, replies: int, resume_it: bool = True, **choices: object
) -> Path:
    """The log of a conversation that was broken off after so many replies, and resumed where asked."""
    count = 0

    class Stopping(Journal):
        def keep(self, output):
            nonlocal count
            super().keep(output)
            count += 1
            if count == replies:
                raise RuntimeError("broken off")

    options = {"relaunches": 0, **choices}
    with monkeypatch.context() as patch:
        patch.setattr(played, "Journal", Stopping)
        log = run(battery, logs, "arena/random", "one-conversation", **options).log
    return (
        run(battery, logs, "arena/random", "one-conversation", resume=True, **options).log
        if resume_it
        else log
    )
