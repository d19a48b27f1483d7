"""A whole suite in one file: guess a number from answers of "higher" and "lower".

Installed next to arena-llm (`pip install ./examples/guessing`), it is run by
`arena-llm eval --suite guessing --model guessing/bisect`.
"""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from evaluation.by_hand.form import Form, Slider
from evaluation.choices.run_choices import Bounds, RunChoices
from evaluation.suite import AgentTurn, EpisodeSetup, ModelEnd, Observation, Record, Suite, TaskSpec

TEXTS = {
    "system": "I think of a whole number from 1 to 100. Reply with a guess; I answer higher, lower or right."
}


class GuessingChoices(RunChoices):
    """The choices of every suite, and how many guesses there are."""

    guesses: int = Field(default=7, ge=1, description="guesses per episode")

    def bounds(self, content: object = None) -> Bounds:
        return Bounds(replies=self.guesses)


class Guessing:
    """One episode: the number is part of the task, so every trial of it is the same."""

    def __init__(self, setup: EpisodeSetup) -> None:
        self.known = setup.task.content["number"]
        self._left = setup.choices.guesses
        self._turns: list[dict[str, object]] = []

    def begin(self) -> Observation:
        return Observation((f"You have {self._left} guesses.",))

    def reply(self, text: str) -> Observation:
        found = re.search(r"\d+", text)
        return self._answer(text, int(found[0])) if found else self.refuse(text, "That is no number.")

    def refuse(self, text: str, reason: str) -> Observation:
        return self._next({"reply": text, "error": reason}, reason)

    def finish(self) -> Record:
        right = bool(self._turns and self._turns[-1].get("answer") == "right")
        outcome = "right" if right else "out of guesses"
        end = ModelEnd.EPISODE if right or self._left <= 0 else ModelEnd.SOLVER
        summary = f"The number was {self.known}."
        return Record(
            tuple(self._turns), outcome, right, float(right), {"total_reward": float(right)}, end, {}, summary
        )

    def close(self) -> None:
        pass

    def _answer(self, text: str, guess: int) -> Observation:
        answer = "right" if guess == self.known else "higher" if guess < self.known else "lower"
        return self._next({"reply": text, "error": None, "guess": guess, "answer": answer}, answer)

    def _next(self, turn: dict[str, object], told: str) -> Observation:
        self._turns.append(turn)
        self._left -= 1
        return Observation((f"{told}; {self._left} left.",), done=told == "right" or self._left <= 0)


class GuessingSuite(Suite):
    """Numbers up to 10 and up to 100."""

    name = task_name = "guessing"
    title = "Guess a number"
    choices = GuessingChoices

    def tasks(self, choices: GuessingChoices, folder: Path | None) -> Sequence[TaskSpec]:
        return [self._task(top, number) for top in (10, 100) for number in (3, 7, top - 1)]

    def _task(self, top: int, number: int) -> TaskSpec:
        id_ = f"{number}-of-{top}"
        sha256 = hashlib.sha256(id_.encode()).hexdigest()
        return TaskSpec(
            id_, f"up to {top}", sha256, target=str(number), content={"top": top, "number": number}
        )

    def open(self, setup: EpisodeSetup) -> Guessing:
        return Guessing(setup)


def form(task: TaskSpec, choices: GuessingChoices, observation: Observation) -> Form:
    """A slider for the guess."""
    guess = Slider(id="guess", ask="Your guess", least=1, most=task.content["top"], shown=True)
    return Form(TEXTS["system"], (guess,), lambda values: str(values["guess"]))


async def bisect(turn: AgentTurn) -> str:
    """Halves what is left, from what the messages say."""
    low, high, guess = 1, 100, 0
    for message in turn.messages[1:]:
        if message.role == "assistant":
            guess = int(message.text)
        elif message.text.startswith("higher"):
            low = guess + 1
        elif message.text.startswith("lower"):
            high = guess - 1
    return str((low + high) // 2)


AGENTS = {"bisect": bisect}

SUITE = GuessingSuite()
