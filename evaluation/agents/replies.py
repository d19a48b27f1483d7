"""Action and thought of a model's reply."""

import re
from typing import NamedTuple

from evaluation.choices.run_choices import RunChoices

_LABEL = r"^[ \t>#*_`-]*{}[ \t]*\d*[ \t]*[*_`]*[ \t]*:[ \t*_]*"
_ACTION = re.compile(_LABEL.format("action"), re.IGNORECASE | re.MULTILINE)
_NEXT = re.compile(_LABEL.format("(?:observation|thought)"), re.IGNORECASE | re.MULTILINE)
_STEP = re.compile(_LABEL.format("step") + r"(?P<step>\S.*)", re.IGNORECASE | re.MULTILINE)
_RESULT = re.compile(
    _LABEL.format("result") + r"(?P<result>(?:done|failed)\b.*)", re.IGNORECASE | re.MULTILINE
)


class Reply(NamedTuple):
    """Parts of a reply; `action` is passed to the environment."""

    thought: str
    action: str


def read_reply(text: str, choices: RunChoices) -> Reply:
    """Split a reply by its first `Action:`.

    The action ends before an observation or a thought that the model made up. A reply without the label is an
    action as a whole, and so is every reply without an agent or with a tool call.
    """
    found = None if choices.agent == "direct" or choices.replies == "tools" else _ACTION.search(text)
    if found is None:
        return Reply("", text)
    made_up = _NEXT.search(text, found.end())
    return Reply(text[: found.start()].strip(), text[found.end() : made_up and made_up.start()].strip())


def step_in(text: str) -> str:
    """Extract a planner's step in one line: after the last `Step:`, or all."""
    steps = [found["step"] for found in _STEP.finditer(text)]
    return " ".join((steps[-1] if steps else text).split()).rstrip("*_`")


def result_in(text: str) -> str | None:
    """Extract a plan step's result from a reply without an action. It begins with done or failed."""
    found = _RESULT.search(text)
    return None if found is None or _ACTION.search(text) else found["result"].replace("**", "").strip()
