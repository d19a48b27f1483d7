"""Requests to a second model, where a suite asks for one: to judge an episode, or to speak in it."""

import hashlib
from dataclasses import replace
from functools import partial
from typing import Any

from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelOutput, get_model
from inspect_ai.solver import TaskState

from evaluation.agents.replies import read_reply
from evaluation.capabilities import judged
from evaluation.generation.generate import generate
from evaluation.generation.image_budget import ImageBudget
from evaluation.generation.journal import for_judges
from evaluation.inspect_task.session import Session
from evaluation.log.exchanges import JUDGE, OTHER
from evaluation.models import full_name
from evaluation.suite import Record

_answers: dict[str, str] = {}
"""What judges of this process answered, by the hash of model and text."""


async def judge_episodes(session: Session, state: TaskState) -> None:
    """Let the suite complete the records of the finished episodes that it has not judged yet."""
    for task_id in [each for each in session.records if each not in session.judged]:
        setup = session.setup(next(task for task in session.tasks if task.id == task_id))
        record = _noted(session.records[task_id], state, session.choices)
        session.records[task_id] = await judged(setup, record, partial(_judged, session))
        session.judged.add(task_id)


async def _judged(session: Session, name: str, text: str) -> str:
    """The answer of a judge to a text, which is asked for once in a run."""
    model = full_name(session.suite, name)
    key = hashlib.sha256(f"{model}\n{text}".encode()).hexdigest()
    if key not in _answers:
        with for_judges():
            _answers[key] = (await _asked(model, JUDGE, text, session.choices)).completion
    return _answers[key]


async def ask_other(session: Session, state: TaskState) -> ModelOutput:
    """The reply of the other model that the session's observation is for. Raises as `generate`."""
    model = full_name(session.suite, str(session.asks))
    return await _asked(model, OTHER, state.messages[-1].text, session.choices)


def _noted(record: Record, state: TaskState, choices: Any) -> Record:
    """The record of the episode that has just ended, with what its agent wrote beside the replies.

    Turns get a `thought`, the last one also the agent's `memory`; without an agent replies hold all.
    """
    if choices.agent == "direct" or not record.turns:
        return record
    replies = [message.text for message in state.messages if message.role == "assistant"]
    thoughts = [
        text if choices.replies == "tools" else read_reply(text, choices).thought
        for text in replies[-len(record.turns) :]
    ]
    *turns, last = [
        {**turn, "thought": thought} for turn, thought in zip(record.turns, thoughts, strict=True)
    ]
    memory = {"memory": state.metadata["agent"]["memory"]} if "memory" in state.metadata["agent"] else {}
    return replace(record, turns=(*turns, {**last, **memory}))


async def _asked(model: str, role: str, text: str, choices: Any) -> ModelOutput:
    """One request. Raises as `evaluation.generation.generate.generate`."""
    config = GenerateConfig(
        temperature=0.0, max_retries=choices.retries, attempt_timeout=choices.reply_timeout
    )
    asked = get_model(model, role=role)
    output, _ = await generate(asked, [ChatMessageUser(content=text)], [], config, ImageBudget("all"))
    return output
