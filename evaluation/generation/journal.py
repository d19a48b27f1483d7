"""Journal of replies: stored before use, and reused by a resumed run.

Inspect AI logs only finished episodes. The replies of a run are therefore kept in a file of JSON lines next
to its log, below the providers' code; the file is removed when the run is complete. A resumed run plays every
unfinished episode from its beginning: a request that was answered before gets that answer, and any other goes
to the model.
"""

import hashlib
import json
import os
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from filelock import FileLock, Timeout
from pydantic import ValidationError

from arena.errors import EvaluationError
from evaluation.engines.backend import InUse
from evaluation.generation.stops import FinalError, cause_of, status_of

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ModelCall, ModelOutput
    from inspect_ai.tool import ToolInfo

ENDING = ".replies.jsonl"


class NotKept(FinalError):
    """Replies cannot be stored, so no more are requested."""


class RefusedBefore(EvaluationError):
    """A provider refused part of a request in the attempt being resumed."""

    def __init__(self, message: str, status: Any) -> None:
        super().__init__(message)
        self.status_code = status


class Line(NamedTuple):
    """Answer to a request: an `output`, or the reason it was `refused`."""

    episode: tuple[str, int]
    request: str
    answer: Mapping[str, Any]

    @property
    def spent(self) -> tuple[int, float]:
        """Tokens, and US dollars; 0 without a reply or a price."""
        usage = (self.answer.get("output") or {}).get("usage") or {}
        return int(usage.get("total_tokens") or 0), float(usage.get("total_cost") or 0.0)


class Journal:
    """Replies of a run; without a `path` they are not stored.

    `run` is the run's fingerprint. `tokens` and `cost` are what an earlier process spent on replies. Raises
    EvaluationError for an unreadable file, or one of another run.
    """

    def __init__(self, path: Path | None = None, run: str = "") -> None:
        self.path, self._run = path, run
        self.tokens, self.cost = 0, 0.0
        self._lines: dict[tuple[str, int], list[Line]] = defaultdict(list)
        self._unwritten: list[bytes] = []
        self._lead = self._heading = json.dumps({"run": run}).encode() + b"\n"
        if path is not None and path.exists():
            self._read(path)
        # No trial is 0: one answer of a judge may serve several episodes.
        self.judges = self.episode("judge", 0)

    def episode(self, sample: str, epoch: int) -> "EpisodeReplies":
        """Return the replies of an episode that begins or restarts."""
        return EpisodeReplies(self, (sample, epoch), self._lines[sample, epoch])

    def end(self, sample: str, epoch: int) -> None:
        """Forget the replies of a finished episode."""
        self._lines.pop((sample, epoch), None)

    def write(self, line: Line) -> None:
        """Write a line to the disk. Raises NotKept; `check` tries again."""
        if self.path is not None:
            self._lines[line.episode].append(line)
            self._unwritten.append(json.dumps(line._asdict()).encode() + b"\n")
            self.check()

    def check(self) -> None:
        """Raise NotKept if lines cannot be written."""
        if self.path is None or not self._unwritten:
            return
        try:
            with self.path.open("ab") as file:
                self._append(file)
        except OSError as error:
            why = error.strerror or error
            raise NotKept(
                f"{self.path}: a reply cannot be written ({why}); make room, use --resume"
            ) from None
        self._unwritten.clear()

    def remove(self) -> None:
        """Remove the file of a complete run."""
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)

    def _append(self, file: Any) -> None:
        end = file.tell()
        try:
            # If the file was removed meanwhile, so was its heading.
            file.write((self._lead if end else self._heading) + b"".join(self._unwritten))
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            # A partial line would be read as replies, and be written once more.
            with suppress(OSError):
                os.ftruncate(file.fileno(), end)
            raise
        self._lead = b""

    def _read(self, path: Path) -> None:
        run, text = None, b"\n"
        if not path.is_file():
            raise EvaluationError(f"{path}: cannot hold replies: it is not a file")
        try:
            with path.open("rb") as file:
                for number, text in enumerate(file, start=1):
                    found = _parsed(text)
                    run, line = found.get("run", run), _line(found)
                    if (line or "run" in found) and run != self._run:
                        raise EvaluationError(
                            f"{path}:{number}: holds replies of another run, which cannot be continued here; "
                            "rename the file to request the replies of unfinished episodes again"
                        )
                    if line is not None:
                        self._lines[line.episode].append(line)
        except OSError as error:
            raise EvaluationError(f"{path}: cannot be read: {error.strerror or error}") from None
        # A kill may leave a torn line, even the first.
        self._lead = (b"" if text.endswith(b"\n") else b"\n") + (b"" if run else self._heading)
        spent = [line.spent for lines in self._lines.values() for line in lines]
        self.tokens, self.cost = sum(tokens for tokens, _ in spent), sum(cost for _, cost in spent)


class EpisodeReplies:
    """Replies of an episode: kept `lines` of earlier attempts, and new ones. `count` replies are of the run's
    own model; all cost `cost` US dollars."""

    def __init__(self, journal: Journal, episode: tuple[str, int], lines: Sequence[Line]) -> None:
        self._journal, self._episode = journal, episode
        self.count = sum("output" in line.answer and line.answer.get("role") is None for line in lines)
        self.cost = sum(line.spent[1] for line in lines)
        self._kept: dict[str, deque[Line]] = defaultdict(deque)
        for line in lines:
            self._kept[line.request].append(line)
        self._given: set[str | None] = set()
        self._asked = ""

    def next(self, request: str) -> "tuple[ModelOutput, ModelCall | None] | None":
        """Return the kept answer to a request, or None to request it. The answer is as a provider's code
        returns it. Raises RefusedBefore, and NotKept if its answer could not be kept."""
        from inspect_ai.model import ModelCall, ModelOutput

        self._asked = request
        while kept := self._kept.get(request):
            answer = kept.popleft().answer
            if "refused" in answer:
                raise RefusedBefore(str(answer["refused"]), answer.get("status"))
            with suppress(ValidationError, IndexError):
                output = ModelOutput.model_validate(answer["output"])
                self._given.add(output.message.id)
                sent = answer.get("parameters")
                return output, None if sent is None else ModelCall(request=sent)
        self._journal.check()
        return None

    def keep(
        self, request: str, output: "ModelOutput", parameters: Mapping[str, Any] | None, role: str | None
    ) -> None:
        """Store a reply; `role` is the model's, None for the run's own. Raises NotKept."""
        plain = output.model_dump(mode="json", exclude_none=True)
        kept = {"output": plain, "parameters": parameters, "role": role}
        self._journal.write(Line(self._episode, request, kept))

    def refuse(self, error: BaseException) -> None:
        """Store that a provider refused part of the last request, then retried."""
        if not isinstance(error, RefusedBefore):
            kept = {"refused": cause_of(error), "status": status_of(error)}
            self._journal.write(Line(self._episode, self._asked, kept))

    def has_given(self, output: "ModelOutput") -> bool:
        """Return whether an output is a kept one, already paid for."""
        return output.message.id in self._given


def digest(model: str, messages: "Sequence[ChatMessage]", tools: "Sequence[ToolInfo]") -> str:
    """Hash a request by texts, calls, tools and number of pictures. New pictures, those after the last reply,
    count too."""
    replied = max((i for i, message in enumerate(messages) if message.role == "assistant"), default=-1)
    said = [_said(message, new=place > replied) for place, message in enumerate(messages)]
    whole = json.dumps([model, said, [tool.name for tool in tools]], default=str)
    return hashlib.sha256(whole.encode()).hexdigest()


def _said(message: "ChatMessage", new: bool) -> list[Any]:
    parts = message.content if not isinstance(message.content, str) else ()
    images = [part.image for part in parts if part.type == "image"]
    calls = message.tool_calls if message.role == "assistant" else None
    called = [[call.function, call.arguments] for call in calls or ()]
    return [message.role, message.text, called, images if new else len(images)]


def _parsed(line: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _line(found: Mapping[str, Any]) -> Line | None:
    """Read a line of a journal. None for a torn or damaged one."""
    try:
        sample, epoch = found["episode"]
        line = Line((str(sample), int(epoch)), str(found["request"]), found["answer"])
        return line if {"output", "refused"} & line.answer.keys() and min(line.spent) >= 0 else None
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def new_name() -> str:
    """Name the journal of a new run, like its log."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}_{uuid4().hex[:8]}{ENDING}"


def find_journal(log: Path, header: Any) -> Path | None:
    """Find the journal of a log's run. None without one, as in earlier versions. Raises EvaluationError for
    an unexpected name."""
    name = (header.eval.metadata or {}).get("journal")
    if name is None:
        return None
    if not isinstance(name, str) or not name.endswith(ENDING) or Path(name).name != name:
        raise EvaluationError(
            f"{log}: metadata.journal: got {name!r}, expected a file name ending in {ENDING}"
        )
    return log.parent / name


open_journal = InUse(Journal())
"""Journal of the current run. A run by Inspect's own command keeps nothing."""

_episode: ContextVar[EpisodeReplies] = ContextVar("replies", default=open_journal().judges)


@contextmanager
def no_other_process(journal: Path | None) -> Iterator[None]:
    """Lock the run against other processes. Raises EvaluationError if one continues it already. A folder
    without locks, as on some shared drives, stays unlocked."""
    if journal is None:
        yield
        return
    lock = FileLock(f"{journal}.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise EvaluationError(
            f"{journal}: another process is playing this run, and would pay for the same replies; "
            "wait for its end, or stop it first"
        ) from None
    except (OSError, NotImplementedError):
        yield
        return
    try:
        yield
    finally:
        lock.release()
        with suppress(OSError):
            Path(lock.lock_file).unlink(missing_ok=True)


def begin_replies(sample: str, epoch: int) -> EpisodeReplies:
    """Make an episode's replies answer the requests of this context."""
    _episode.set(begun := open_journal().episode(sample, epoch))
    return begun


def episode_replies() -> EpisodeReplies:
    """Return the replies of the current episode."""
    return _episode.get()


@contextmanager
def for_judges() -> Iterator[None]:
    """Store answers meanwhile as judges', for any episode with the same requests."""
    token = _episode.set(open_journal().judges)
    try:
        yield
    finally:
        _episode.reset(token)
