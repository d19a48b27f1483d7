"""Messages and requests of a sample: the model's side of `evaluation.episode`."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    ContentImage,
    ContentText,
    GenerateConfig,
    ModelOutput,
    execute_tools,
    get_model,
)
from inspect_ai.solver import TaskState
from inspect_ai.tool import Tool, ToolError, ToolResult, tool
from inspect_ai.util import store

from evaluation.agents.agents import Calls, CallStopped, ReplyingAgent, agent_of, opening
from evaluation.agents.replies import read_reply
from evaluation.choices.run_choices import RunChoices
from evaluation.engines.backend import in_thread
from evaluation.episode import Reply, Session, Shown
from evaluation.generation.generate import generate, generate_config
from evaluation.generation.journal import for_judges
from evaluation.generation.memory import ALONE, ONCE, SENT, TOLD, ImageBudget
from evaluation.generation.stops import FinalError, remember, stop_of
from evaluation.inspect_task.interface import of_distribution
from evaluation.log.exchanges import JUDGE, OTHER
from evaluation.prompts import Layout
from evaluation.request import full_name
from evaluation.suite import Observation, Part, Record
from render.image import data_uri, encoded

Content = list[ContentText | ContentImage]
"""Content of a message."""


class Dialogue:
    """Messages of a sample, in its `state`, and the replying `agent`."""

    def __init__(self, state: TaskState, session: Session) -> None:
        self.state, self.session = state, session
        self.agent: ReplyingAgent | None = None

    def use_agent(self, episode: str | None = None, trial: int | None = None) -> None:
        """Create the replying agent, whose log goes to the sample's metadata. Offline agents get a seed for
        the `episode` and its `trial`, by default those of the sample."""
        state, session, model = self.state, self.session, get_model()
        choices = session.choices
        trial = state.epoch - 1 if trial is None else trial
        config = generate_config(model, choices, episode or str(state.sample_id), trial)
        images, opening = ImageBudget(choices.images), len(state.messages) - 1
        calls = Calls(model, choices, session.prompts, state.tools, config, images, opening)
        if choices.agent != "direct":
            state.metadata["agent"] = calls.log
        # Maximum replies of the first episode; None if unbounded.
        self.agent = agent_of(calls, choices.bounds(session.tasks[0].content).replies)

    async def play(self) -> None:
        """Request replies and answer them, as long as the session continues."""
        session = self.session
        while session.wants_reply:
            reply = await self.ask()
            if reply is None:
                return
            finished = len(session.records)
            if reply.calls:
                await self.call_tools()
            elif reply.action is None:
                await self.show(await session.in_thread(session.refuse, reply.text))
            else:
                await self.show(await session.in_thread(session.reply, reply.action))
            if len(session.records) > finished:
                await self.judge()
                # Logged even if the rest fails.
                self.keep()

    async def ask(self) -> Reply | None:
        """Request the next reply, from the model named by the observation. None if it stopped."""
        state, other = self.state, self.session.now.model
        assert self.agent is not None, "there is no model to reply"
        try:
            output = await (self.agent.reply(state.messages) if other is None else self._ask_other(other))
        except FinalError as error:
            remember(state, error)
            raise
        except CallStopped as stopped:
            state.metadata["stopped"] = stopped.stop
            return None
        state.output = output if other is None else state.output
        state.messages.append(output.message)
        if (stop := stop_of(output)) is not None:
            state.metadata["stopped"] = stop
            return None
        choices, text = self.session.choices, output.completion
        if choices.replies == "text":
            return Reply(text, read_reply(text, choices).action, False)
        return Reply(text, None, bool(output.message.tool_calls))

    async def show(self, shown: Shown) -> None:
        """Add the message with a reply's result."""
        self.state.messages.append(await _message(self.session, shown))

    async def call_tools(self) -> None:
        """Call the tools of the last message. Each of ours plays a reply."""
        messages = (await execute_tools(self.state.messages, self.state.tools)).messages
        # The last call's observation line replaces no other observation.
        messages[-1].metadata = _about(self.session.now)
        self.state.messages += messages

    async def judge(self) -> None:
        """Judge the finished episodes that lack judgement."""
        await self.session.judge(self._noted, self._ask_judge)

    def keep(self) -> None:
        """Put the finished episodes into the sample's metadata, which the log keeps.

        `episode` is the record of a sample of one task; `episodes` those of a conversation by task, in
        playing order; `drawn_by` is the renderer of the sent pictures.
        """
        metadata, session = self.state.metadata, self.session
        if session.drawn_by is not None:
            metadata["drawn_by"] = session.drawn_by
        records = {task_id: record.as_dict() for task_id, record in session.records.items()}
        if "order" in metadata:
            metadata["episodes"] = records
        elif records:
            metadata["episode"] = next(iter(records.values()))

    async def _ask_other(self, name: str) -> ModelOutput:
        model = full_name(self.session.suite, name)
        return await _asked(model, OTHER, self.state.messages[-1].text, self.session.choices)

    async def _ask_judge(self, name: str, text: str) -> str:
        """Ask a judge about a text, once in a run."""
        model = full_name(self.session.suite, name)
        key = hashlib.sha256(f"{model}\n{text}".encode()).hexdigest()
        if key not in _answers:
            with for_judges():
                _answers[key] = (await _asked(model, JUDGE, text, self.session.choices)).completion
        return _answers[key]

    def _noted(self, record: Record) -> Record:
        """Add the agent's own notes to the record of the last episode. Turns get a `thought`, the last one
        also the agent's `memory`; without an agent replies hold all."""
        choices, agent = self.session.choices, self.state.metadata.get("agent", {})
        if choices.agent == "direct" or not record.turns:
            return record
        replies = [message.text for message in self.state.messages if message.role == "assistant"]
        thoughts = [
            text if choices.replies == "tools" else read_reply(text, choices).thought
            for text in replies[-len(record.turns) :]
        ]
        *turns, last = [
            {**turn, "thought": thought} for turn, thought in zip(record.turns, thoughts, strict=True)
        ]
        memory = {"memory": agent["memory"]} if "memory" in agent else {}
        return replace(record, turns=(*turns, {**last, **memory}))


async def first_messages(session: Session, before: str = "") -> list[ChatMessage]:
    """Begin a session; compose its first messages in the layout's roles. They include the first observation,
    which begins with the text `before`."""
    # Not in another thread, because a demonstration's pictures are drawn by this one.
    rules = opening(session.suite, session.choices, session.prompts, len(session.tasks))
    first = await _message(session, await session.in_thread(session.begin, before))
    return joined([*rules, first], session.prompts.layout)


async def _message(session: Session, shown: Shown) -> ChatMessageUser:
    made = await in_thread(content, shown, session.choices)
    return ChatMessageUser(content=list(made), metadata=_about(session.now))


def _about(now: Observation) -> dict[str, str] | None:
    """Metadata of an observation's message: time of sending, and later substitute."""
    sent = None if now.done or now.kind != "predict" else ONCE
    about = {SENT: ALONE if now.fresh else sent, TOLD: None if now.done else now.told}
    return {key: text for key, text in about.items() if text is not None} or None


_answers: dict[str, str] = {}
"""Answers of judges in this process, by hash of model and text."""


async def _asked(model: str, role: str, text: str, choices: Any) -> ModelOutput:
    """Make one request. Raises as `evaluation.generation.generate.generate`."""
    config = GenerateConfig(
        temperature=0.0, max_retries=choices.retries, attempt_timeout=choices.reply_timeout
    )
    asked = get_model(model, role=role)
    output, _ = await generate(asked, [ChatMessageUser(content=text)], [], config, ImageBudget("all"))
    return output


def content(parts: Sequence[Part | bytes], choices: RunChoices) -> Content:
    """Convert texts and pictures to message content. A frame is encoded as chosen, an image file's bytes are
    used unchanged."""
    return [
        ContentText(text=part)
        if isinstance(part, str)
        else ContentImage(
            image=data_uri(part if isinstance(part, bytes) else encoded(part, choices.image_format)),
            detail=choices.image_detail,
        )
        for part in parts
    ]


def joined(messages: Sequence[ChatMessage], layout: Layout) -> list[ChatMessage]:
    """Merge a conversation's first messages by the layout's roles.

    With the role `user` everything up to the first reply is one message; where two messages meet, their texts
    become one without anything in between.
    """
    first = next((i for i, m in enumerate(messages) if isinstance(m, ChatMessageAssistant)), len(messages))
    if layout.roles == "system" or not first:
        return list(messages)
    whole: Content = []
    for message in messages[:first]:
        own = message.content
        parts: Content = [ContentText(text=own)] if isinstance(own, str) else own  # type: ignore[assignment]
        if whole and parts and isinstance(whole[-1], ContentText) and isinstance(parts[0], ContentText):
            whole[-1] = ContentText(text=whole[-1].text + parts[0].text)
            parts = parts[1:]
        whole += parts
    return [ChatMessageUser(content=list(whole)), *messages[first:]]


_KEY = "arena_session"

_dialogues: dict[str, Dialogue] = {}
"""Dialogues of running samples by sample id. Physics cannot be in the logged store."""


def open_dialogue(state: TaskState, session: Session) -> None:
    """Make a session the one that the sample's tools play."""
    state.store.set(_KEY, state.uuid)
    _dialogues[state.uuid] = Dialogue(state, session)


def dialogue_of(state: TaskState) -> Dialogue:
    """Find the dialogue of a sample, even if its state was replaced. Raises KeyError if none is open."""
    found = _dialogues[state.uuid]
    found.state = state
    return found


def close_dialogue(state: TaskState) -> bool:
    """Forget a sample's session and free its resources. Return whether its episodes were finished."""
    found = _dialogues.pop(state.uuid, None)
    if found is not None:
        found.session.close()
    return found is not None and not found.session.wants_reply


async def play_reply(text: str) -> ToolResult:
    """Play a reply in the calling sample; for the tools of suites."""
    found = _dialogues.get(store().get(_KEY, ""))
    if found is None:
        raise ToolError("no episode is open: this tool works only in a task of arena_llm")
    session = found.session
    return list(await in_thread(content, await session.in_thread(session.reply, text), session.choices))


def acting(reply: Callable[..., str]) -> Callable[[], Tool]:
    """Make a tool that plays the reply made from its arguments. The function's docstring describes the tool
    and its arguments to the model."""

    @wraps(reply)
    async def execute(**arguments: Any) -> ToolResult:
        return await play_reply(reply(**arguments))

    def make() -> Tool:
        return execute

    make.__name__ = reply.__name__
    return tool(of_distribution(make))
