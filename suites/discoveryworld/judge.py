"""Judgement of an agent's findings by a second model, from its notes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from arena.errors import EvaluationError
from evaluation.suite import Ask, EpisodeSetup, Record


async def judge(setup: EpisodeSetup, record: Record, ask: Ask) -> Record:
    """Add the metric `knowledge`, the share of critical questions answered by yes.

    Unchanged without a judge or questions. If the judge fails, or says neither yes nor no, there is no metric
    either, and the record has the reason.
    """
    model, questions = setup.choices.judge, record.replay["questions"]
    if model is None or not questions:
        return record
    notes = notes_of(record.turns)
    answers: list[tuple[str, bool | None, str]] = []
    failed = ""
    try:
        for question in questions:
            said = await ask(model, setup.prompts["judge"].fill(question=question, notes=notes))
            answers.append((question, verdict(said), said))
    except EvaluationError as error:
        failed = str(error)
    verdicts = [yes for _, yes, _ in answers]
    if not failed and None in verdicts:
        failed = "an answer ends with neither yes nor no"
    kept = {"model": model, "answers": [list(each) for each in answers]}
    if failed:
        return replace(record, replay={**record.replay, "judge": {**kept, "failed": failed}})
    metric = {"knowledge": sum(map(bool, verdicts)) / len(questions)}
    metrics, replay = {**record.metrics, **metric}, {**record.replay, "judge": {**kept, **metric}}
    return replace(record, metrics=metrics, replay=replay)


def notes_of(turns: Sequence[Mapping[str, Any]]) -> str:
    """Collect the agent's texts apart from actions by step, and its final memory."""
    notes = (
        (turn["turn"], " ".join(filter(None, (turn.get("thought"), turn["thoughts"])))) for turn in turns
    )
    written = [f"Step {step}: {text}" for step, text in notes if text]
    if turns and "memory" in turns[-1]:
        written.append(f"Notebook at the end: {json.dumps(turns[-1]['memory'], ensure_ascii=False)}")
    # A judge is sent this many final characters.
    return "\n".join(written)[-200_000:] or "(none)"


def verdict(said: str) -> bool | None:
    """Read the last word of an answer. None if neither yes nor no."""
    words = said.replace("*", " ").replace(".", " ").split()
    return {"yes": True, "no": False}.get(words[-1].casefold()) if words else None
