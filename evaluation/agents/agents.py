"""Agents of a run: their instructions, and their requests for replies."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentText,
    GenerateConfig,
    Model,
    ModelOutput,
)
from inspect_ai.tool import Tool

from evaluation.agents.replies import result_in, step_in
from evaluation.choices.run_choices import RunChoices
from evaluation.generation.generate import generate
from evaluation.generation.memory import ALONE, ImageBudget, lasting, lasting_turns, rule_of, sent
from evaluation.generation.stops import stop_of
from evaluation.prompts import PromptSet, Variables
from evaluation.script import json_objects
from evaluation.suite import Suite


class CallStopped(Exception):
    """An agent's request, not one for a reply, ended without an answer. `stop` is as in `stop_of`."""

    def __init__(self, stop: dict[str, Any]) -> None:
        super().__init__(stop)
        self.stop = stop


@dataclass
class Calls:
    """Requests replies in one sample.

    The first `opening` messages of the conversation are always sent. `log` goes to the sample's metadata:
    `calls` has the kind of each request other than replies, by the id of its answer's message, and `asking`
    the kind of one in progress.
    """

    model: Model
    choices: RunChoices
    prompts: PromptSet
    tools: list[Tool]
    config: GenerateConfig
    images: ImageBudget
    opening: int
    log: dict[str, Any] = field(default_factory=dict)

    async def reply(
        self, messages: list[ChatMessage], note: str = "", turns: int | None = None
    ) -> ModelOutput:
        """Request the next reply; a `note` follows the last observation. At most the last `turns` are sent.
        Nothing follows an observation that is sent alone."""
        note = "" if rule_of(messages[-1]) == ALONE else note
        return await self._ask(self._sent(messages, turns), note, self.tools)

    async def aside(self, kind: str, messages: list[ChatMessage], note: str, turns: int | None = 0) -> str:
        """Answer a request that sees the last observation and a note. Raises CallStopped. It also sees at
        most that many earlier `turns`; None: as many as the choices allow."""
        # Remains set if a limit ends the sample during this request.
        self.log["asking"] = kind
        output = await self._ask(self._sent(messages, turns), note, [])
        del self.log["asking"]
        self.name(output, kind)
        if (stop := stop_of(output)) is not None:
            raise CallStopped(stop)
        return output.completion

    def name(self, output: ModelOutput, kind: str) -> None:
        """Mark an output in the log as a request of this kind."""
        self.log.setdefault("calls", {})[output.message.id] = kind

    def _sent(self, messages: list[ChatMessage], turns: int | None) -> list[ChatMessage]:
        limits = [each for each in (self.choices.memory_turns, turns) if each is not None]
        most, choices = min(limits, default=None), self.choices
        return sent(messages, self.opening, most, choices.memory_characters, choices.short_turns)

    async def _ask(self, messages: list[ChatMessage], note: str, tools: list[Tool]) -> ModelOutput:
        noted = _with_note(messages, note) if note else messages
        output, self.config = await generate(self.model, noted, tools, self.config, self.images)
        return output


def _with_note(messages: list[ChatMessage], note: str) -> list[ChatMessage]:
    """Append a text to the messages. After a tool's result as a message, since results cannot hold it."""
    last = messages[-1]
    if last.role != "user":
        return [*messages, ChatMessageUser(content=note)]
    own = last.content
    parts: list[Content] = [ContentText(text=own)] if isinstance(own, str) else list(own)
    return [*messages[:-1], ChatMessageUser(content=[*parts, ContentText(text=note)])]


STEP_SHARE = 5
"""Divisor of episode replies for the maximum replies per plan step."""

UNBOUNDED_SHARE = 20
"""Replies per plan step if the episode's replies are unbounded."""


class PlanExecute:
    """Episode played by a plan. The log has each step, the turn before it, and its result. `most` is the
    maximum number of replies, None if unbounded."""

    def __init__(self, calls: Calls, most: int | None) -> None:
        self._calls = calls
        self._share = UNBOUNDED_SHARE if most is None else max(most // STEP_SHARE, 1)
        self._plan: list[dict[str, Any]] = calls.log.setdefault("plan", [])

    async def reply(self, messages: list[ChatMessage]) -> ModelOutput:
        """Request the executor's next reply. A finished step is followed by the next."""
        played = messages[self._calls.opening :]
        turn = sum(message.role == "assistant" for message in played)
        taken = turns_since_step(self._plan, turn + 1, played)
        if rule_of(messages[-1]):
            # A question asked only once is not part of the plan.
            note = self._calls.prompts["plan_so_far"].fill(earlier=_steps_listed(self._plan))
            return await self._calls.reply(messages, note, taken)
        if self._plan and taken >= self._share:
            self._plan[-1]["result"] = f"failed, because its {self._share} actions were used up"
        if not self._plan or self._plan[-1]["result"] is not None:
            await self._next_step(messages, turn)
            taken = 0
        output = await self._execute(messages, taken)
        step = self._plan[-1]
        acts = output.message.tool_calls or stop_of(output) is not None
        if not taken or acts or (result := result_in(output.completion)) is None:
            return output
        self._calls.name(output, "result")
        step["result"] = result
        await self._next_step(messages, turn)
        return await self._execute(messages, 0)

    async def _next_step(self, messages: list[ChatMessage], turn: int) -> None:
        number = len(self._plan) + 1
        note = self._calls.prompts["plan"].fill(
            number=number, earlier=_steps_listed(self._plan), share=self._share
        )
        step = step_in(await self._calls.aside("plan", messages, note))
        self._plan.append({"step": step, "after": turn, "result": None})

    async def _execute(self, messages: list[ChatMessage], taken: int) -> ModelOutput:
        *earlier, step = self._plan
        note = self._calls.prompts["plan_step"].fill(
            number=len(self._plan),
            step=step["step"],
            earlier=_steps_listed(earlier),
            left=self._share - taken,
        )
        return await self._calls.reply(messages, note, taken)


def turns_since_step(plan: Sequence[Mapping[str, Any]], turn: int, messages: Sequence[ChatMessage]) -> int:
    """Count the turns of a step up to a turn, from 1. Questions do not count. `messages` are those from the
    first observation to the one before the turn."""
    return lasting_turns(messages, max((step["after"] for step in plan if step["after"] < turn), default=0))


def _steps_listed(plan: list[dict[str, Any]]) -> str:
    """List steps with their results, as in the prompt."""
    lines = (f"{each['step']}\n   {each['result'] or 'not ended'}" for each in plan)
    return "\n".join(f"{n}. {line}" for n, line in enumerate(lines, start=1)) or "none"


CHARACTERS_PER_TOKEN = 4
"""Characters per token of English text, by OpenAI's rule of thumb. "What are tokens and how to count them",
help.openai.com."""

STATUSES = ("pending", "confirmed", "rejected")


@dataclass(frozen=True, slots=True)
class _Measurement:
    id: str
    statement: str


@dataclass(frozen=True, slots=True)
class _Hypothesis(_Measurement):
    status: str = "pending"
    evidence: list[str] = field(default_factory=list)


_Entry = _Hypothesis | _Measurement

_KINDS: Mapping[str, type[_Entry]] = {"hypotheses": _Hypothesis, "measurements": _Measurement}


class Memory:
    """Entries by their id: H1, M2, H3, ... where H is a hypothesis and M a measurement, counted together.
    Answers are read entry by entry; `dropped` counts unreadable entries."""

    def __init__(self) -> None:
        self.dropped = 0
        self._entries: dict[str, _Entry] = {}
        self._made = 0

    def __len__(self) -> int:
        return len(self._entries)

    def plain(self) -> dict[str, list[dict[str, Any]]]:
        """Convert the memory to plain values."""
        return {
            name: [asdict(each) for each in self._entries.values() if type(each) is kind]
            for name, kind in _KINDS.items()
        }

    def text(self) -> str:
        """Format the memory for the prompt: JSON, an entry per line."""
        lists = (
            f' "{name}": [' + ",".join(f"\n  {json.dumps(e, ensure_ascii=False)}" for e in entries) + "]"
            for name, entries in self.plain().items()
        )
        return "{\n" + ",\n".join(lists) + "\n}"

    def change(self, answer: str) -> bool:
        """Change the memory by an answer. False, and no change, if the answer has no such JSON."""
        change = _read(answer)
        if change is None:
            return False
        for each in self._texts(change.get("remove")):
            for name in each.split(","):
                self._entries.pop(self._known(name, self._entries), None)
        self._put(change, self._entries)
        return True

    def replace(self, answer: str, entries: int, tokens: int) -> bool:
        """Replace the memory by an answer's, cut to its limits. The oldest measurements go first, then the
        oldest hypotheses. If the answer has no entry, the memory is only cut and False is returned."""
        known, self._entries = self._entries, {}
        self._put(_read(answer) or {}, known)
        read = bool(self._entries)
        self._entries = self._entries or known
        while self._entries and (len(self) > entries or len(self.text()) > tokens * CHARACTERS_PER_TOKEN):
            oldest = sorted(self._entries, key=lambda id_: type(self._entries[id_]) is _Hypothesis)
            del self._entries[oldest[0]]
        return read

    def _put(self, change: Mapping[str, Any], known: Mapping[str, _Entry]) -> None:
        """Add entries. Unknown ids, or ids of the other kind, make new ones."""
        for name, kind in _KINDS.items():
            for found in _listed(change.get(name)):
                if (entry := self._entry(kind, found, known)) is not None:
                    self._entries[entry.id] = entry

    def _entry(self, kind: type[_Entry], found: Any, known: Mapping[str, _Entry]) -> _Entry | None:
        """Read one entry of an answer, or a bare statement. None if empty."""
        alone = {"statement": found} if isinstance(found, str) else {}
        plain = _lowered(found) if isinstance(found, dict) else alone
        id_ = self._known(str(plain.get("id")), known)
        old = known.get(id_)
        if type(old) is not kind:
            old = None
        statements = self._texts(plain.get("statement")) or ([old.statement] if old else [])
        if not statements:
            self.dropped += 1
            return None
        if old is None:
            self._made += 1
            id_ = f"{kind.__name__[1]}{self._made}"
        if kind is _Measurement:
            return _Measurement(id_, statements[0])
        status = str(plain.get("status") or STATUSES[0]).strip().lower()
        if status not in STATUSES:
            self.dropped += 1
            status = old.status if isinstance(old, _Hypothesis) else STATUSES[0]
        return _Hypothesis(id_, statements[0], status, self._texts(plain.get("evidence")))

    def _known(self, name: str, known: Mapping[str, _Entry]) -> str:
        """Find the id that a name such as h3 or 3 means."""
        name = name.strip().upper()
        return next((each for each in known if name in (each, each[1:])), name)

    def _texts(self, value: Any) -> list[str]:
        """Convert a value, or those in a list, to texts."""
        texts = [str(each).strip() for each in _listed(value) if not isinstance(each, dict | list)]
        self.dropped += len(_listed(value)) - len(texts)
        return [each for each in texts if each]


def _listed(value: Any) -> list[Any]:
    return [each for each in (value if isinstance(value, list) else [value]) if each is not None]


def _lowered(found: Mapping[str, Any]) -> dict[str, Any]:
    return {key.strip().lower(): value for key, value in found.items()}


def _read(answer: str) -> dict[str, Any] | None:
    """Read the last JSON object with changes in an answer. {} for no changes."""
    every = [_lowered(found) for _, _, found in json_objects(answer)]
    said = [found for found in every if found.keys() & {*_KINDS, "remove"}]
    return said[-1] if said else {} if {} in every else None


SUMMARY_EVERY = 10
"""Replies between summaries of the memory, as in the paper."""

ENTRIES, TOKENS = 40, 2000
"""Maximum entries and tokens of a memory summary, as in the paper."""


class Hypothesizer:
    """Episode played with a memory, whose final state is logged.

    The memory is changed before each reply except the first. Questions that are asked once, their answers,
    and everything shown after the end leave it unchanged.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls, self._memory = calls, Memory()
        self._keep()

    async def reply(self, messages: list[ChatMessage]) -> ModelOutput:
        """Request the next reply, after updating the memory by the last result."""
        turn = lasting_turns(messages[self._calls.opening :])
        if turn and not rule_of(messages[-1]):
            await self._reflect(messages)
            if turn % SUMMARY_EVERY == 0:
                await self._summarise(messages)
            self._keep(turn + 1)
        note = self._calls.prompts["memory"].fill(memory=self._memory.text())
        return await self._calls.reply(messages, note)

    async def _reflect(self, messages: list[ChatMessage]) -> None:
        last = next(message for message in reversed(lasting(messages)) if message.role == "assistant")
        note = self._calls.prompts["reflect"].fill(reply=_as_text(last), memory=self._memory.text())
        self._took(self._memory.change(await self._calls.aside("reflection", messages, note)), "reflection")

    async def _summarise(self, messages: list[ChatMessage]) -> None:
        note = self._calls.prompts["summarise"].fill(
            memory=self._memory.text(), entries=ENTRIES, tokens=TOKENS
        )
        answer = await self._calls.aside("summary", messages, note)
        self._took(self._memory.replace(answer, ENTRIES, TOKENS), "summary")

    def _took(self, read: bool, kind: str) -> None:
        before = self._calls.log.get("dropped", 0)
        if dropped := self._memory.dropped - before:
            self._calls.log["dropped"] = before + dropped
            transcript().info({"dropped": dropped, "of": kind}, source="arena_llm")
        if not read:
            self._calls.log["unreadable"] = self._calls.log.get("unreadable", 0) + 1
            transcript().info({"not read": kind}, source="arena_llm")

    def _keep(self, turn: int = 0) -> None:
        """Log the memory, and the entries that have changed since the turn before."""
        was, now = (_by_id(each) for each in (self._calls.log.get("memory", {}), self._memory.plain()))
        self._calls.log["memory"] = self._memory.plain()
        changes = [
            {"turn": turn, "id": id_, "entry": now.get(id_), "new": id_ not in was}
            for id_ in {**was, **now}
            if was.get(id_) != now.get(id_)
        ]
        self._calls.log.setdefault("memory_changes", []).extend(changes)


def _by_id(memory: Mapping[str, Sequence[dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    return {entry["id"]: entry for entries in memory.values() for entry in entries}


def _as_text(message: ChatMessage) -> str:
    """Format a reply and its tool calls as text."""
    calls = (message.tool_calls or ()) if message.role == "assistant" else ()
    return "\n".join(
        filter(None, [message.text, *(f"{c.function}({json.dumps(c.arguments)})" for c in calls)])
    )


class ReplyingAgent(Protocol):
    """Requests replies from the model in one sample."""

    async def reply(self, messages: list[ChatMessage]) -> ModelOutput:
        """Request the next reply in a conversation that ends with an observation. Raises CallStopped if the
        model stops in another request of the agent."""


class OwnAgent(Protocol):
    """Module of an agent that belongs to one suite.

    `TEXTS` are its texts by name, in files of its package `prompts`; the text with the agent's own name
    follows the rules of the suite, as `react` does. `NOTE_TOKENS` are the most that it adds to a request.
    """

    TEXTS: Variables
    NOTE_TOKENS: int

    def agent(self, calls: Calls) -> ReplyingAgent:
        """Make the agent of one sample."""

    def asides(self, choices: RunChoices, turn: int) -> tuple[int, ...]:
        """List answer tokens of further requests; see `asides` of this module."""


def agent_of(calls: Calls, most: int | None) -> ReplyingAgent:
    """Make the chosen agent. `most` is the maximum replies per episode, None if unknown. ReAct differs from
    the plain conversation by its instructions and its memory, so `Calls` is its agent too."""
    name = calls.choices.agent
    if name != "direct":
        calls.log["name"] = name
    if (own := calls.choices.own_agent) is not None:
        return own.agent(calls)
    if name == "plan-execute":
        return PlanExecute(calls, most)
    return Hypothesizer(calls) if name == "hypothesizer" else calls


def opening(suite: Suite, choices: RunChoices, prompts: PromptSet, episodes: int) -> list[ChatMessage]:
    """Compose the messages before the first observation, with the agent's instructions."""
    messages = suite.opening(choices, prompts, episodes)
    if choices.agent == "direct":
        return messages
    action = prompts["action_tools" if choices.replies == "tools" else "action_text"].fill()
    text = prompts[choices.agent.replace("-", "_")].fill(action=action)
    first, *rest = (
        messages if messages and messages[0].role == "system" else [ChatMessageSystem(content=""), *messages]
    )
    return [ChatMessageSystem(content="\n\n".join(filter(None, [first.text, text]))), *rest]


def asides(choices: RunChoices, turn: int) -> tuple[int, ...]:
    """List the maximum requests of an agent per turn, besides the reply. `turn` counts from 0. For each the
    tokens of its answer, 0 if it is about as long as a reply."""
    if (own := choices.own_agent) is not None:
        return own.asides(choices, turn)
    if choices.agent == "plan-execute":
        return (0, 0) if turn else (0,)
    if choices.agent == "hypothesizer" and turn:
        return (0,) if turn % SUMMARY_EVERY else (0, TOKENS)
    return ()


def note_tokens(choices: RunChoices) -> int:
    """Maximum tokens that an agent adds to each request, for estimates."""
    if (own := choices.own_agent) is not None:
        return own.NOTE_TOKENS
    return TOKENS if choices.agent == "hypothesizer" else 0
