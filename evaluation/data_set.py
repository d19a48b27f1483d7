"""Transcripts of an agent's episodes for fine-tuning, in a resumable folder.

train.jsonl      one episode per line, in a provider's format (test.jsonl: of the test split)
episodes.jsonl   one line per episode: its task, how it ended, and what replays it
images/          the pictures, for formats whose lines do not contain them
manifest.json    arguments, versions, and whether all episodes are there
"""

import asyncio
import base64
import hashlib
import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import IO, Any, NamedTuple

from inspect_ai.model import ChatMessage, ChatMessageUser, messages_to_openai
from inspect_ai.tool import ToolDef

from arena.errors import EvaluationError
from arena.files import read_bytes, write_file
from evaluation.capabilities import prompts_of, tools_of
from evaluation.opened import Opened
from evaluation.transcript import transcript

MANIFEST, FACTS = "manifest.json", "episodes.jsonl"


class Format(StrEnum):
    """Chat format of the lines, for providers' training.

    `openai`: supervised fine-tuning, https://platform.openai.com/docs/guides/supervised-fine-tuning
    `anthropic`: a Messages request with the replies, as Amazon Bedrock takes it for Claude.
    `google`: supervised tuning of Gemini on Vertex AI, with images as files in a bucket.
    `sharegpt`: the format of LLaMA-Factory and others, with images as separate files.
    """

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GOOGLE = "google"
    SHAREGPT = "sharegpt"

    @property
    def has_files(self) -> bool:
        """Return whether pictures are separate files."""
        return self in (Format.GOOGLE, Format.SHAREGPT)


class Talk:
    """Conversation that ends with a reply, as OpenAI messages and tools. `files` are its pictures, `place` is
    their folder, whose URI may be named."""

    def __init__(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolDef], place: str, uri: str
    ) -> None:
        parts = [each for message in messages for each in _pictures_apart(message)]
        self.messages: list[dict[str, Any]] = [dict(m) for m in asyncio.run(messages_to_openai(parts))]
        schemas = [tool.parameters.model_dump(mode="json", exclude_none=True) for tool in tools]
        self.tools = [
            {"name": tool.name, "description": tool.description, "parameters": schema}
            for tool, schema in zip(tools, schemas, strict=True)
        ]
        self._place, self._uri = place, uri and f"{uri.rstrip('/')}/"
        self.files: dict[str, bytes] = {}

    @property
    def system(self) -> str:
        """Text of the rules."""
        return "\n\n".join(_text(message) for message in self.messages if message["role"] == "system")

    @property
    def told(self) -> list[dict[str, Any]]:
        """Messages after the rules."""
        return [message for message in self.messages if message["role"] != "system"]

    def file(self, part: Mapping[str, Any]) -> tuple[str, str]:
        """Name MIME type and path of a picture's file."""
        kind, data = _picture(part)
        path = f"{self._place}-{len(self.files)}.{kind.partition('/')[2]}"
        self.files[path] = base64.b64decode(data)
        return kind, self._uri + path


def _pictures_apart(message: ChatMessage) -> list[ChatMessage]:
    """Move a tool result's pictures to a user message, as OpenAI requires."""
    pictures = [] if isinstance(message.content, str) else [p for p in message.content if p.type == "image"]
    return (
        [message, ChatMessageUser(content=[*pictures])] if message.role == "tool" and pictures else [message]
    )


def _parts(message: Mapping[str, Any]) -> list[Any]:
    content = message.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _text(message: Mapping[str, Any]) -> str:
    return "".join(part["text"] for part in _parts(message) if part["type"] == "text")


def _picture(part: Mapping[str, Any]) -> tuple[str, str]:
    """Split a picture into MIME type and base64."""
    kind, _, data = part["image_url"]["url"].removeprefix("data:").partition(";base64,")
    return kind, data


def _calls(message: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    """List id, name and arguments of each call in a message."""
    functions = [(call["id"], call["function"]) for call in message.get("tool_calls") or ()]
    return [(id_, each["name"], json.loads(each["arguments"])) for id_, each in functions]


def _openai(talk: Talk) -> dict[str, Any]:
    tools = [{"type": "function", "function": tool} for tool in talk.tools]
    return {"messages": talk.messages} | ({"tools": tools} if tools else {})


def _anthropic(talk: Talk) -> dict[str, Any]:
    messages = []
    for message in talk.told:
        content = [_anthropic_part(part) for part in _parts(message)]
        calls = [{"type": "tool_use", "id": i, "name": n, "input": given} for i, n, given in _calls(message)]
        if (called := message.get("tool_call_id")) is not None:
            content = [{"type": "tool_result", "tool_use_id": called, "content": content}]
        role = "assistant" if message["role"] == "assistant" else "user"
        messages.append({"role": role, "content": [*content, *calls]})
    # Same format, other name.
    tools = [
        {"input_schema" if key == "parameters" else key: tool[key] for key in tool} for tool in talk.tools
    ]
    return {"system": talk.system, "messages": messages} | ({"tools": tools} if tools else {})


def _anthropic_part(part: Mapping[str, Any]) -> dict[str, Any]:
    if part["type"] == "text":
        return {"type": "text", "text": part["text"]}
    kind, data = _picture(part)
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


def _google(talk: Talk) -> dict[str, Any]:
    names: dict[str, str] = {}
    contents = []
    for message in talk.told:
        parts = [_google_part(part, talk) for part in _parts(message)]
        if (called := message.get("tool_call_id")) is not None:
            response = {"name": names[called], "response": {"result": _text(message)}}
            parts = [{"functionResponse": response}]
        names |= {id_: name for id_, name, _ in _calls(message)}
        calls = [{"functionCall": {"name": name, "args": given}} for _, name, given in _calls(message)]
        role = "model" if message["role"] == "assistant" else "user"
        contents.append({"role": role, "parts": [*parts, *calls]})
    system = {"role": "system", "parts": [{"text": talk.system}]}
    tools = {"tools": [{"functionDeclarations": talk.tools}]} if talk.tools else {}
    return {"systemInstruction": system, "contents": contents, **tools}


def _google_part(part: Mapping[str, Any], talk: Talk) -> dict[str, Any]:
    if part["type"] == "text":
        return {"text": part["text"]}
    kind, uri = talk.file(part)
    return {"fileData": {"mimeType": kind, "fileUri": uri}}


_SPEAKERS = {"user": "human", "assistant": "gpt", "tool": "observation"}


def _sharegpt(talk: Talk) -> dict[str, Any]:
    images: list[str] = []
    turns: list[dict[str, str]] = []
    for message in talk.told:
        shown = [part["text"] if part["type"] == "text" else "<image>" for part in _parts(message)]
        images += [talk.file(part)[1] for part in _parts(message) if part["type"] != "text"]
        called = [{"name": name, "arguments": given} for _, name, given in _calls(message)]
        speaker = "function_call" if called else _SPEAKERS[message["role"]]
        value = json.dumps(called[0], ensure_ascii=False) if called else "".join(shown)
        if speaker == "human" and turns and turns[-1]["from"] == "observation":
            # Pictures of a tool's result: turns take turns.
            turns[-1]["value"] += value
        else:
            turns.append({"from": speaker, "value": value})
    tools = json.dumps(talk.tools, ensure_ascii=False) if talk.tools else ""
    return {"conversations": turns, "system": talk.system, "tools": tools, "images": images}


_BUILDERS: dict[Format, Callable[[Talk], dict[str, Any]]] = {
    Format.OPENAI: _openai,
    Format.ANTHROPIC: _anthropic,
    Format.GOOGLE: _google,
    Format.SHAREGPT: _sharegpt,
}


class DatasetSpec(NamedTuple):
    """Specification of a data set; equal ones give equal bytes. `image_uri` is the folder's address for the
    provider."""

    opened: Opened
    agent: str
    split: str
    size: int
    format: Format
    image_uri: str = ""

    @property
    def lines(self) -> str:
        """Name of the transcript file."""
        return f"{self.split}.jsonl"

    def manifest(self) -> dict[str, Any]:
        """Manifest of an incomplete data set."""
        suite, choices = self.opened
        named = {"suite": suite.name, "agent": self.agent, "split": self.split, "size": self.size}
        lines = {"format": str(self.format), "image_uri": self.image_uri}
        texts = {"prompts_sha256": prompts_of(suite, choices).sha256, "versions": suite.versions()}
        return {"format_of_this_file": 2, "choices": choices.planned(), **named, **lines, **texts}

    def check(self) -> None:
        """Raise ArenaError if the agent cannot play the split's first task."""
        task_id, trial = next(self.opened.episodes(self.split))
        suite, task, _, choices, *_ = self.opened.setup(task_id, trial)
        suite.check(f"{suite.name}/{self.agent}", (task,), choices)

    def missing(self, first: int) -> Iterator[tuple[int, str, int]]:
        """Yield number, task and trial of each episode from `first` on."""
        numbered = enumerate(islice(self.opened.episodes(self.split), self.size))
        return ((number, *episode) for number, episode in islice(numbered, first, None))


class Row(NamedTuple):
    """Stored form of one episode."""

    line: str
    facts: str
    files: Mapping[str, bytes]


def make_row(episode: tuple[int, str, int], spec: DatasetSpec) -> Row:
    """Play an episode; the same bytes in every process of a machine."""
    number, task_id, trial = episode
    setup = spec.opened.setup(task_id, trial)
    messages, record = transcript(setup, spec.agent)
    last = max(place for place, message in enumerate(messages) if message.role == "assistant")
    calls = setup.choices.replies == "tools"
    makers = tools_of(setup.suite)
    tools = [ToolDef(makers[name]()) for name in setup.choices.tool_names] if calls else []
    # A thousand per folder; some file systems slow down with more.
    talk = Talk(messages[: last + 1], tools, f"images/{number // 1000:04d}/{number:07d}", spec.image_uri)
    line = json.dumps(_BUILDERS[spec.format](talk), ensure_ascii=False)
    facts = {"task_id": task_id, "trial": trial, **record.row(), "replay": dict(record.replay)}
    return Row(line, json.dumps(facts), talk.files)


def start(folder: Path, spec: DatasetSpec) -> int:
    """Create a data set's folder or cut it to whole lines. Count its episodes. Raises EvaluationError if the
    folder has other content, was started with another spec or other software, or cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / MANIFEST).exists():
            _check_same(folder, spec)
        elif any(folder.iterdir()):
            raise EvaluationError(f"{folder}: has other files in it; choose an empty folder by --out")
        else:
            write_file(folder / MANIFEST, _as_json(spec.manifest()))
        paths = folder / spec.lines, folder / FACTS
        done = min(map(len, map(_line_ends, paths)))
        for path in paths:
            with path.open("ab") as file:
                file.truncate([0, *_line_ends(path)][done])
        return done
    except OSError as error:
        raise EvaluationError(f"{folder}: cannot be written ({error.strerror or error})") from None


def _check_same(folder: Path, spec: DatasetSpec) -> None:
    try:
        there = json.loads(read_bytes(folder / MANIFEST))
        found = {**there["choices"], **there}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise EvaluationError(f"{folder / MANIFEST}: not the manifest of a data set") from None
    here = json.loads(_as_json(spec.manifest()))
    for name, value in {**here.pop("choices"), **here}.items():
        if found.get(name) != value:
            raise EvaluationError(
                f"{folder}: was started with {name} {found.get(name)!r}, got {value!r}; use the same to "
                "continue, or another folder"
            )


def _as_json(manifest: Mapping[str, Any]) -> str:
    return json.dumps(manifest, indent=1) + "\n"


def _line_ends(path: Path) -> list[int]:
    """Find the byte position of each complete line's end."""
    if not path.exists():
        return []
    with path.open("rb") as file:
        return [file.tell() for line in iter(file.readline, b"") if line.endswith(b"\n")]


def append(folder: Path, spec: DatasetSpec, rows: Iterable[Row]) -> Generator[int, None, None]:
    """Write episodes as they arrive; yield each written line's size in bytes. Raises EvaluationError if the
    disk is full or the folder is gone."""
    try:
        with (folder / spec.lines).open("ab") as lines, (folder / FACTS).open("ab") as facts:
            for row in rows:
                for name, content in row.files.items():
                    write_file(folder / name, content)
                _append_line(facts, row.facts)
                yield _append_line(lines, row.line)
    except OSError as error:
        raise EvaluationError(
            f"{folder}: cannot be written ({error.strerror or error}); the same command continues from here"
        ) from None


def _append_line(file: IO[bytes], line: str) -> int:
    data = f"{line}\n".encode()
    file.write(data)
    file.flush()
    return len(data)


def finish(folder: Path, spec: DatasetSpec) -> float | None:
    """Mark the manifest complete; return the mean score, None without any."""
    with (folder / FACTS).open(encoding="utf-8") as file:
        scores = [score for line in file if (score := json.loads(line)["score"]) is not None]
    with (folder / spec.lines).open("rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    mean = round(fmean(scores), 6) if scores else None
    ended = {**spec.manifest(), "complete": True, "mean_score": mean, "sha256": digest}
    write_file(folder / MANIFEST, _as_json(ended))
    return mean
