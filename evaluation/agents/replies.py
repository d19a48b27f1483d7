"""What of a model's reply is carried out, and what is its thought."""

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
    """A reply in its two parts; `action` is what the environment gets."""

    thought: str
    action: str


def read_reply(text: str, choices: RunChoices) -> Reply:
    """A reply in text as the run's agent reads it: the action is what stands behind the first `Action:`.

    It ends before an observation or a thought that the model made up to follow it. A reply without the label
    is an action as a whole, and so is every reply without an agent or beside the call of a tool.
    """
    found = None if choices.agent == "direct" or choices.replies == "tools" else _ACTION.search(text)
    if found is None:
        return Reply("", text)
    made_up = _NEXT.search(text, found.end())
    return Reply(text[: found.start()].strip(), text[found.end() : made_up and made_up.start()].strip())


def step_in(text: str) -> str:
    """The step that a planner states: what follows the last `Step:`, otherwise the whole text, in a line."""
    steps = [found["step"] for found in _STEP.finditer(text)]
    return " ".join((steps[-1] if steps else text).split()).rstrip("*_`")


def result_in(text: str) -> str | None:
    """What a reply without an action says came of a step of the plan, beginning with done or failed."""
    found = _RESULT.search(text)
    return None if found is None or _ACTION.search(text) else found["result"].replace("**", "").strip()
