"""The open sessions of running samples, and the call by which a suite's tools play."""

from inspect_ai.solver import TaskState
from inspect_ai.tool import ToolError, ToolResult
from inspect_ai.util import store

from evaluation.inspect_task.session import Session

_KEY = "arena_session"

_sessions: dict[str, Session] = {}
"""The running samples' sessions by sample id; physics cannot lie in the store, which goes to the log."""


def open_session(state: TaskState, session: Session) -> None:
    """Make a session the one that the sample's tools play."""
    state.store.set(_KEY, state.uuid)
    _sessions[state.uuid] = session


def session_of(state: TaskState) -> Session:
    """The session of a sample. Raises KeyError if none is open."""
    return _sessions[state.uuid]


def close_session(state: TaskState) -> bool:
    """Forget a sample's session and free its resources; says whether its episodes were finished."""
    session = _sessions.pop(state.uuid, None)
    if session is not None:
        session.close()
    return session is not None and not session.wants_reply


async def play_reply(text: str) -> ToolResult:
    """Play a reply in the sample whose tool calls this; for the tools of suites."""
    session = _sessions.get(store().get(_KEY, ""))
    if session is None:
        raise ToolError("no episode is open: this tool works only in a task of arena_llm")
    return list(await session.in_thread(session.reply, text))
