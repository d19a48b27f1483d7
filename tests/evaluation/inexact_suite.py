"""A suite whose texts are other ones in every process; its score depends on the replies alone."""

import os
from collections.abc import Sequence
from pathlib import Path

from evaluation.choices.run_choices import RunChoices
from evaluation.suite import AgentTurn, EpisodeSetup, ModelEnd, Observation, Record, Suite, TaskSpec


class Dice:
    """An episode of `Inexact.replies` replies that shows random words; the first reply decides it."""

    known = None

    def __init__(self) -> None:
        self._turns: list[dict[str, object]] = []

    def begin(self) -> Observation:
        return Observation((os.urandom(4).hex(),))

    def reply(self, text: str) -> Observation:
        self._turns.append({"reply": text, "error": None, "seen": os.urandom(4).hex()})
        return Observation((os.urandom(4).hex(),), done=len(self._turns) >= Inexact.replies)

    def refuse(self, text: str, reason: str) -> Observation:
        return self.reply(text)

    def finish(self) -> Record:
        right = bool(self._turns) and self._turns[0]["reply"] == "six"
        metrics = {"total_reward": os.urandom(1)[0] / 256 + len(self._turns)}
        end = ModelEnd.EPISODE if len(self._turns) >= Inexact.replies else ModelEnd.SOLVER
        return Record(tuple(self._turns), os.urandom(4).hex(), right, float(right), metrics, end)

    def close(self) -> None:
        pass


class Inexact(Suite):
    """Two tasks that are the same."""

    name = task_name = "inexact"
    title = "Dice"
    reproduced = ("score", "passed")
    agents = ("six",)
    replies = 3

    def tasks(self, choices: RunChoices, folder: Path | None) -> Sequence[TaskSpec]:
        return [TaskSpec(id_, "dice", "0" * 64) for id_ in ("a", "b")]

    def open(self, setup: EpisodeSetup) -> Dice:
        return Dice()

    def agent(self, name: str):
        return six if name == "six" else None


async def six(turn: AgentTurn) -> str:
    """Always replies the same."""
    return "six"


SUITE = Inexact()
