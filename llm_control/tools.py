"""Tools through which any agent of Inspect AI can play: `act`, `go` and `turn`.

They play the episode that the task's setup began for the sample, so they need no arguments of their own.
"""

from collections.abc import Callable

from inspect_ai.solver import TaskState
from inspect_ai.tool import Tool, ToolError, ToolResult, tool
from inspect_ai.util import store

from evaluation.inspect_task.naming import of_distribution
from evaluation.inspect_task.session import Session
from llm_control.script import Go, Turn

_KEY = "arena_session"

_sessions: dict[str, Session] = {}
"""The running samples' sessions by sample id; physics cannot lie in the store, which goes to the log."""


def open_session(state: TaskState, session: Session) -> None:
    """Make a session the one that the sample's tools play."""
    state.store.set(_KEY, state.uuid)
    _sessions[state.uuid] = session


def session_of(state: TaskState) -> Session:
    """The session of a sample. Raises KeyError where none is open."""
    return _sessions[state.uuid]


def close_session(state: TaskState) -> None:
    """Forget a sample's session and free its physics."""
    session = _sessions.pop(state.uuid, None)
    if session is not None:
        session.close()


async def _play(script: str) -> ToolResult:
    session = _sessions.get(store().get(_KEY, ""))
    if session is None:
        raise ToolError("no episode is open: the tools work in the task arena_llm/testbed only")
    return list(await session.apart(session.reply, script))


@tool
@of_distribution
def act() -> Tool:
    """Plays a script of the language `Think('...'); Go(12); Turn(-90);`."""

    async def execute(script: str) -> ToolResult:
        """Carry out a script, and see what came of it.

        Args:
            script: One or more commands, such as Think('on'); Turn(30); Go(10);
        """
        return await _play(script)

    return execute


@tool
@of_distribution
def go() -> Tool:
    """Drives."""

    async def execute(steps: int) -> ToolResult:
        """Drive straight on, and see what came of it.

        Args:
            steps: Steps of 0.06 seconds, forward where positive, backward where negative.
        """
        return await _play(str(Go(steps)))

    return execute


@tool
@of_distribution
def turn() -> Tool:
    """Turns on the spot."""

    async def execute(degrees: int) -> ToolResult:
        """Turn, and see what came of it.

        Args:
            degrees: To the right where positive, to the left where negative; in multiples of 6.
        """
        return await _play(str(Turn(degrees)))

    return execute


TOOLS: dict[str, Callable[[], Tool]] = {"act": act, "go": go, "turn": turn}
"""What makes each tool, by its name."""
