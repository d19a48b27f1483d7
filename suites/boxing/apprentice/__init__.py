"""Box's Apprentice: a model that writes PyMC programs, fitted to its observations.

After Gandhi and others, "BoxingGym", section 4 and appendix C: propose a program, fit it, criticise it; the
last working one informs the model's experiments, answers and explanation.
"""

import json
import re
from pathlib import Path
from typing import Any, cast

from inspect_ai.model import ChatMessage, ModelOutput

from evaluation.agents.agents import Calls
from evaluation.choices.run_choices import RunChoices
from evaluation.engines.backend import CURRENT
from evaluation.prompts import variables_of
from suites.boxing.apprentice.sandbox import Limits, run_confined
from suites.boxing.choices import BoxingChoices
from suites.boxing.episode import NOVICE, Episode

TEXTS = variables_of("suites.boxing.apprentice.prompts")
"""Texts of this agent with their variables, explained in `variables.yaml`."""

PROGRAM_TOKENS = 800
"""Tokens of a program of 40 lines with its thoughts. Our assumption."""

NOTE_TOKENS = PROGRAM_TOKENS + Limits.characters // 4

_BLOCK = re.compile(
    r"^[ \t]*```[ \t]*(?:python|py)?[ \t]*\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE | re.IGNORECASE
)


def progress(episode: Episode) -> tuple[int, list[dict[str, Any]]]:
    """Count the finished experiments of an episode, and list their outcomes."""
    evaluation = episode.request.evaluation
    observations = [
        {"design": _numbers(turn.design), "outcome": list(turn.outcome or ()), "said": turn.said}
        for turn in episode.turns
        if turn.design is not None
    ]
    return episode.choices.experiments if evaluation == NOVICE else evaluation, observations


def _numbers(design: str) -> list[float] | str:
    """Extract a design's numbers; none in morals."""
    try:
        return [float(each) for each in design.split(",")]
    except ValueError:
        return design


def program_in(answer: str) -> str | None:
    """Extract the program of an answer, its last block of code, if any."""
    blocks = [found for found in _BLOCK.findall(answer) if found.strip()]
    return str(blocks[-1]) if blocks else None


class Apprentice:
    """Episode played with programs; the log has `programs`, each with its result."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._choices = cast(BoxingChoices, calls.choices)
        self._programs: list[dict[str, Any]] = calls.log.setdefault("programs", [])
        self._asked: set[int] = set()
        self._then = Path(__file__).with_name("fit.py").read_text(encoding="utf-8")

    async def reply(self, messages: list[ChatMessage]) -> ModelOutput:
        """Request the next reply, after due programs. Messages that are sent alone get no note."""
        done, observations = await CURRENT.get().compute(progress)
        if done in self._choices.fitted and done not in self._asked:
            self._asked.add(done)
            await self._propose(messages, done, observations)
        worked = [each for each in self._programs if each["worked"]]
        return await self._calls.reply(messages, self._shown("apprentice_model", worked))

    async def _propose(
        self, messages: list[ChatMessage], done: int, observations: list[dict[str, Any]]
    ) -> None:
        """Request and fit programs until the model has nothing to improve."""
        lines = "\n".join(map(json.dumps, observations))
        for number in range(1, self._choices.drafts + 1):
            note = self._calls.prompts["apprentice_program"].fill(
                observations=lines,
                number=number,
                most=self._choices.drafts,
                seconds=self._choices.program_seconds,
                earlier=self._shown("apprentice_earlier", self._programs),
            )
            program = program_in(await self._calls.aside("program", messages, note, None))
            if program is None:
                break
            limits = Limits(seconds=self._choices.program_seconds)
            ran = await run_confined(program, {"observations": observations}, self._then, limits)
            entry = {"experiments": done, "program": program.rstrip(), "worked": ran.worked}
            self._programs.append({**entry, "result": ran.text, "seconds": round(ran.seconds, 2)})

    def _shown(self, text: str, programs: list[dict[str, Any]]) -> str:
        """Describe the last of some programs; empty without any."""
        values = {name: programs[-1][name] for name in TEXTS[text]} if programs else {}
        return self._calls.prompts[text].fill(**values) if values else ""


agent = Apprentice
"""Agent of one sample."""


def asides(choices: RunChoices, turn: int) -> tuple[int, ...]:
    """List the tokens of all program answers, as if before the first turn."""
    chosen = cast(BoxingChoices, choices)
    return () if turn else (PROGRAM_TOKENS,) * (chosen.drafts * len(chosen.fitted))
